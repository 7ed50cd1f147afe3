import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { aacFormat } from "../../../src/camera/talk/adts.js";
import { IDLE_MS_MAX, SPEECH_SECONDS_MAX, Speech } from "../../../src/camera/talk/speech.js";
import { type SpokenFormat, WAITING_SECONDS_MAX } from "../../../src/camera/talk/spoken-sound.js";
import { RtspFailure } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { silentLog } from "../../support/site/site-samples.js";

const SECOND_US = 1_000_000;
const sound = (seconds: number, byte = 1) => Buffer.alloc(Math.round(8000 * seconds), byte);

interface Packet {
  readonly atMs: number;
  readonly position: number;
  readonly isFirst: boolean;
  readonly bytes: Buffer;
}

/** A speech to a camera that listens, and may be lost. */
async function setUp(format: SpokenFormat = { kind: "g711", law: "mu" }) {
  const clock = new SimulatedClock();
  const packets: Packet[] = [];
  const camera = { opened: 0, closed: 0, refuses: false, lose: (_: RtspFailure): void => undefined };
  const speech = new Speech({
    ...{ format, clock, log: silentLog },
    open: async (onLost) => {
      if (camera.refuses) throw new RtspFailure("refused", "the camera is not there");
      camera.opened += 1;
      camera.lose = onLost;
      return {
        channel: {
          close: async () => {
            camera.closed += 1;
          },
        },
        voice: {
          say: (bytes, position, isFirst) => {
            packets.push({ atMs: clock.monotonicUs() / 1000, position, isFirst, bytes });
          },
          close: () => undefined,
        },
      };
    },
  });
  await speech.begin();
  const pass = (seconds: number) => clock.advanceSlowly(seconds * SECOND_US, 20_000);
  return { clock, packets, camera, speech, pass };
}

describe("a speech", () => {
  it("that comes at once is sent in real time, one packet each 20 ms, and then ends the session", async () => {
    const { packets, camera, speech, pass } = await setUp();
    const writing = speech.write(sound(3));
    await pass(1);
    expect(packets.length).toBeGreaterThanOrEqual(48);
    expect(packets.length).toBeLessThanOrEqual(50);
    await pass(1.2);
    await writing;
    speech.finish();
    await pass(2);
    expect(await speech.ended).toEqual({ seconds: 3, droppedSeconds: 0, reason: undefined });
    const said = packets.filter(({ bytes }) => bytes[0] === 1);
    expect(said.map(({ position }) => position)).toEqual(
      said.map((_, index) => 160 * index + (said[0]?.position ?? 0)),
    );
    expect(said.map(({ isFirst }) => isFirst).indexOf(true, 1)).toBe(-1);
    expect(packets.slice(150).every(({ bytes }) => bytes.every((byte) => byte === 0xff))).toBe(true);
    expect(camera).toMatchObject({ opened: 1, closed: 1 });
  });

  it("of AAC is sent one access unit each time that one lasts; what is pushed too fast loses the oldest", async () => {
    const aac = aacFormat(16_000, 1);
    const { packets, speech, pass } = await setUp({ kind: "aac", ...aac });
    const frame = (byte: number) => Buffer.from([0xff, 0xf1, 0x60, 0x40, 0x01, 0x3f, 0xfc, byte, byte]);
    const writing = speech.write(Buffer.concat([...Array(40).keys()].map((at) => frame(at))));
    await pass(1);
    expect(packets.map(({ bytes }) => bytes[0])).toEqual([...packets.keys()]);
    expect(packets.map(({ position }) => position)).toEqual(
      packets.map((_, at) => 1024 * at + (packets[0]?.position ?? 0)),
    );
    expect(packets.length).toBeGreaterThanOrEqual(13);
    expect(packets.length).toBeLessThanOrEqual(16);
    await writing;
    speech.push(Buffer.concat([...Array(40).keys()].map((at) => frame(100 + at))));
    await pass(0.2);
    expect(packets.at(-1)?.bytes[0]).toBeGreaterThanOrEqual(100 + 40 - 32);
    speech.push(Buffer.alloc(20));
    expect((await speech.ended).reason).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("that stops and goes on marks the first packet after the silence, whose time counts", async () => {
    const { packets, speech, pass } = await setUp();
    speech.push(sound(0.2));
    await pass(1);
    speech.push(sound(0.2));
    await pass(1);
    const first = packets.filter(({ isFirst }) => isFirst);
    expect(first).toHaveLength(2);
    expect(((first[1]?.position ?? 0) - (first[0]?.position ?? 0)) / 8000).toBeCloseTo(1, 1);
  });

  it("that is written faster than it is spoken waits; one that is pushed so loses the oldest", async () => {
    const { packets, speech, pass } = await setUp();
    const writing = speech.write(sound(2));
    speech.push(sound(1, 2));
    speech.push(sound(WAITING_SECONDS_MAX, 3));
    await pass(0.5);
    await writing;
    expect(packets.every(({ bytes }) => bytes[0] === 3)).toBe(true);
    speech.end(undefined);
    expect((await speech.ended).droppedSeconds).toBe(3);
  });

  it("ends by itself when nothing is said, and when it lasts too long", async () => {
    const idle = await setUp();
    await idle.pass(IDLE_MS_MAX / 1000 + 0.1);
    expect((await idle.speech.ended).reason).toMatchObject({ code: "BAD_REQUEST" });
    const long = await setUp();
    for (let at = 0; at <= SPEECH_SECONDS_MAX && !long.speech.isOver; at += 1) {
      long.speech.push(sound(1));
      long.clock.advance(SECOND_US);
    }
    expect((await long.speech.ended).reason).toMatchObject({ code: "TOO_LARGE" });
  });

  it("ends by itself where so little is said that it is not sent, and a second of it waits for no one", async () => {
    const { speech, packets, pass } = await setUp();
    speech.push(sound(0.03));
    await pass(IDLE_MS_MAX / 1000 + 0.1);
    expect(packets).toEqual([]);
    expect((await speech.ended).reason).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("gives up a camera that takes a few packets and goes, again and again", async () => {
    const { camera, speech, pass } = await setUp();
    const writing = speech.write(sound(20));
    for (let lost = 0; lost < 10 && !speech.isOver; lost += 1) {
      await pass(0.3);
      camera.lose(new RtspFailure("closed", "the camera closed the connection"));
      await pass(0.6);
    }
    await writing;
    expect(camera.opened).toBe(4);
    expect((await speech.ended).reason?.message).toBe("the camera closed the connection");
  });

  it("goes on after a connection that is lost, and gives up a camera that does not come back", async () => {
    const { packets, camera, speech, pass } = await setUp();
    const writing = speech.write(sound(4));
    await pass(1);
    camera.lose(new RtspFailure("closed", "the camera closed the connection"));
    const before = packets.length;
    await pass(0.4);
    expect(packets).toHaveLength(before);
    await pass(2.5);
    expect(camera.opened).toBe(2);
    expect(packets.length).toBeGreaterThan(before + 100);
    camera.refuses = true;
    camera.lose(new RtspFailure("closed", "the camera closed the connection"));
    await pass(3);
    await writing;
    expect((await speech.ended).reason?.message).toBe("the camera is not there");
  });

  it("that is ended while the camera is asked closes the session that comes", async () => {
    const clock = new SimulatedClock();
    let closed = 0;
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const speech = new Speech({
      ...{ format: { kind: "g711", law: "mu" }, clock, log: silentLog },
      open: async () => {
        await asked;
        const channel = {
          close: async () => {
            closed += 1;
          },
        };
        return { channel, voice: { say: () => undefined, close: () => undefined } };
      },
    });
    const begun = speech.begin();
    speech.end(new NvrdError("FORBIDDEN", "no more"));
    answer();
    await expect(begun).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(closed).toBe(1);
    expect(clock.timers).toBe(0);
  });
});
