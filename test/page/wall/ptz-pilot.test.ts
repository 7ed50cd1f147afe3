import { beforeEach, describe, expect, it } from "vitest";
import { joystick, type PtzParameters, PtzPilot } from "../../../src/page/wall/ptz/ptz-pilot.js";

const RIGHT = { pan: 50, tilt: 0, zoom: 0 };
const MOVE_RIGHT = { command: "startmove", panspeed: 50, tiltspeed: 0, stoptimeout: 2000 };
const STOP = { command: "stop" };

/** A camera that answers when the test says so. */
class World {
  readonly sent: PtzParameters[] = [];
  readonly refused: unknown[] = [];
  readonly last: PtzParameters[] = [];
  readonly pilot: PtzPilot;
  #answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #timers: { call: () => void }[] = [];

  constructor() {
    this.pilot = new PtzPilot({
      send: (parameters) =>
        new Promise<void>((resolve, reject) => {
          this.sent.push(parameters);
          this.#answers.push({ resolve, reject });
        }),
      sendLast: (parameters) => this.last.push(parameters),
      after: (_ms, call) => {
        const timer = { call };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
      onRefused: (error) => this.refused.push(error),
    });
  }

  get timers(): number {
    return this.#timers.length;
  }

  async answer(error?: Error): Promise<void> {
    const next = this.#answers.shift();
    if (error === undefined) next?.resolve();
    else next?.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async repeat(): Promise<void> {
    for (const { call } of this.#timers.splice(0)) call();
    await Promise.resolve();
  }
}

describe("moving a camera while something is held", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it("is stopped at once when the page is left, whatever waits for an answer", async () => {
    world.pilot.move(RIGHT);
    world.pilot.move({ ...RIGHT, tilt: 50 });
    world.pilot.abandon();
    expect([world.last, world.timers]).toEqual([[STOP], 0]);
    await world.answer();
    expect(world.sent).toEqual([MOVE_RIGHT]);
    world.pilot.abandon();
    expect(world.last).toEqual([STOP]);
  });

  it("is stopped when the page is left between the release and the stop's turn", () => {
    world.pilot.move(RIGHT);
    world.pilot.stop();
    world.pilot.abandon();
    expect(world.last).toEqual([STOP]);
  });

  it("tells the movement again while it is held, and stops at release", async () => {
    world.pilot.move(RIGHT);
    await world.answer();
    await world.repeat();
    await world.answer();
    expect(world.sent).toEqual([MOVE_RIGHT, MOVE_RIGHT]);
    world.pilot.stop();
    await world.answer();
    expect(world.sent.at(-1)).toEqual(STOP);
    expect(world.timers).toBe(0);
  });

  it("has one request under way, and then sends the newest wish", async () => {
    for (const pan of [10, 20, 30, 40]) world.pilot.move({ ...RIGHT, pan });
    expect(world.sent).toHaveLength(1);
    await world.answer();
    expect(world.sent.map(({ panspeed }) => panspeed)).toEqual([10, 40]);
  });

  it("never leaves out the stop, also behind a movement that is not answered yet", async () => {
    world.pilot.move(RIGHT);
    world.pilot.stop();
    expect(world.sent).toEqual([MOVE_RIGHT]);
    await world.answer();
    expect(world.sent).toEqual([MOVE_RIGHT, STOP]);
    await world.answer();
    expect(world.timers).toBe(0);
  });

  it("sends nothing for a stop of what stands", () => {
    world.pilot.stop();
    world.pilot.move({ pan: 1, tilt: -1, zoom: 0 });
    expect(world.sent).toEqual([]);
  });

  it("stops the zoom that ended while the camera still turns", async () => {
    world.pilot.move({ ...RIGHT, zoom: 30 });
    await world.answer();
    await world.answer();
    world.pilot.move(RIGHT);
    await world.answer();
    await world.answer();
    expect(world.sent.slice(2)).toEqual([STOP, MOVE_RIGHT]);
  });

  it("says why the camera refuses, and does not ask again by itself", async () => {
    world.pilot.move(RIGHT);
    const reason = new Error("another user controls the camera");
    await world.answer(reason);
    expect(world.refused).toEqual([reason]);
    expect(world.timers).toBe(0);
    expect(world.sent).toHaveLength(1);
  });

  it("stops before a saved position", async () => {
    world.pilot.move(RIGHT);
    await world.answer();
    world.pilot.once({ command: "gotopreset", index: 3 });
    await world.answer();
    await world.answer();
    expect(world.sent.slice(1)).toEqual([STOP, { command: "gotopreset", index: 3 }]);
  });
});

it("the pointer turns the camera to where it is, the farther the faster, and not at all in the middle", () => {
  expect(joystick(0.05, -0.1)).toEqual({ pan: 0, tilt: 0 });
  expect(joystick(1, 0)).toEqual({ pan: 100, tilt: 0 });
  expect(joystick(0, -1)).toEqual({ pan: 0, tilt: 100 });
  expect(joystick(-2, 1)).toEqual({ pan: -100, tilt: -100 });
  expect(joystick(0.5, 0).pan).toBeGreaterThan(joystick(0.3, 0).pan);
});
