import { beforeEach, describe, expect, it } from "vitest";
import { ThreadRequests, type VolumeThread } from "../../../src/archive/disk/volume-thread.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const TIMEOUT_MS = 10_000;

let clock: SimulatedClock;
let asked: number[];
let requests: ThreadRequests;

beforeEach(() => {
  clock = new SimulatedClock();
  asked = [];
  const thread: VolumeThread = {
    postMessage: (message) => asked.push((message as { id: number }).id),
    onMessage: () => undefined,
    onFailure: () => undefined,
    terminate: async () => undefined,
  };
  requests = new ThreadRequests({ thread, clock, name: "volume /v" });
});

const ask = () => requests.call((id) => ({ id }), TIMEOUT_MS);
const refused = { code: "NOT_AVAILABLE" };

describe("a volume's thread that hangs in its disk", () => {
  it("is waited for ten seconds, by each who asks", async () => {
    const outcome = expect(ask()).rejects.toMatchObject(refused);
    clock.advance(TIMEOUT_MS * 1000);
    await outcome;
  });

  it("is asked no more after half a minute: who asks is refused at once, and nothing piles up before it", async () => {
    const outcome = expect(ask()).rejects.toMatchObject(refused);
    clock.advance(31_000_000);
    await outcome;
    for (let at = 0; at < 100; at++) await expect(ask()).rejects.toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  it("is asked again when it has answered, although nobody waits for that answer any more", async () => {
    const outcome = expect(ask()).rejects.toMatchObject(refused);
    clock.advance(31_000_000);
    await outcome;
    requests.answer({ op: "reply", id: asked[0] ?? 0, value: "late" });
    const answered = ask();
    requests.answer({ op: "reply", id: asked[1] ?? 0, value: "in time" });
    expect(await answered).toBe("in time");
  });
});
