import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { keyWaitText } from "../../../src/live/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import {
  cameraAnswers,
  describeReply,
  interleaved,
  keyFramePayload,
  reply,
  rtpPacket,
  type ScriptedAnswer,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { type HarnessOptions, makeSource, type SourceHarness } from "../../support/rtsp/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SECOND_US = 1_000_000;
/** A P slice that begins its picture. */
const P_SLICE = Buffer.from([0x41, 0x9a, 1, 2, 3, 4, 5, 6, 7, 8]);
const MICROPHONE = ["m=audio 0 RTP/AVP 8", "a=control:trackID=2"];

/** A camera whose packets come when the simulated clock says so. */
class PacedCamera {
  readonly clock = new SimulatedClock();
  readonly server: ScriptedRtspServer;
  readonly harness: SourceHarness;
  #sequence = 0;
  #socket: Socket | undefined;

  private constructor(server: ScriptedRtspServer, options: Partial<HarnessOptions>) {
    this.server = server;
    this.harness = makeSource({ url: server.url, clock: this.clock, ...options });
  }

  static async start(
    answers: Readonly<Record<string, ScriptedAnswer>> = {},
    options: Partial<HarnessOptions> = {},
  ): Promise<PacedCamera> {
    const server = await new ScriptedRtspServer(
      cameraAnswers({
        PLAY: (_request, socket) => {
          made.#socket = socket;
          return reply(200, ["Session: 4711"]);
        },
        ...answers,
      }),
    ).start(0);
    const made: PacedCamera = new PacedCamera(server, options);
    cleanups.push(
      () => server.stop(),
      () => made.harness.source.stop(),
    );
    made.harness.source.start();
    return made;
  }

  get plays(): number {
    return this.server.methods().filter((method) => method === "PLAY").length;
  }

  /** `seconds` of pictures, one each `gapUs`; `payload` of each by the number of the packet. */
  async send(
    seconds: number,
    gapUs: number,
    payload: (index: number) => Buffer | undefined,
    while_: () => boolean = () => true,
  ): Promise<void> {
    await this.harness.until(() => this.#socket !== undefined || !while_());
    for (let passedUs = 0; passedUs < seconds * SECOND_US && while_(); passedUs += gapUs) {
      const bytes = payload(this.#sequence);
      if (bytes !== undefined) {
        const timestamp = Math.round((this.clock.monotonicUs() * 9) / 100);
        const before = this.harness.source.attempts;
        this.#socket?.write(
          interleaved(0, rtpPacket({ sequence: this.#sequence, timestamp, payload: bytes })),
        );
        this.#sequence += 1;
        if (this.harness.source.attempts !== before) return;
      }
      await this.clock.advanceSlowly(gapUs, Math.min(gapUs, 100_000));
    }
  }
}

describe("how far apart key frames are", () => {
  it.each([
    [undefined, "waiting for a key frame: set", "ожидание ключевого кадра: задайте"],
    [300_000, "the camera sends one each 1 s:", "камера передаёт его каждые 1 с:"],
    [12_400_000, "the camera sends one each 12 s:", "камера передаёт его каждые 12 с:"],
  ])("of %s µs is said in seconds", (intervalUs, english, russian) => {
    expect(keyWaitText(intervalUs, "en")).toContain(english);
    expect(keyWaitText(intervalUs, "ru")).toContain(russian);
  });
});

describe("waiting for a key frame", () => {
  it("is a state of its own, in one session over one transport, and ends with the key frame", async () => {
    const camera = await PacedCamera.start({}, { transport: "auto" });
    await camera.send(15, 200_000, () => P_SLICE);
    const { harness } = camera;
    expect(harness.states.at(-1)).toEqual({ state: "waiting", keyIntervalUs: undefined });
    expect(harness.states.map(({ state }) => state)).toEqual(["connecting", "waiting"]);
    await camera.send(1, 200_000, (index) => (index === 75 ? keyFramePayload(1) : P_SLICE));
    await harness.until(() => harness.frames.length >= 2);
    expect(harness.states.at(-1)).toEqual({ state: "active" });
    expect(harness.frames[0]).toMatchObject({ key: true, damaged: false });
    expect(camera.plays).toBe(1);
    expect(harness.source.transport).toBe("tcp");
  });

  it("says how far apart the camera's key frames are once two have come", async () => {
    const camera = await PacedCamera.start();
    const { harness } = camera;
    await camera.send(41, 200_000, (index) => (index % 100 === 0 ? keyFramePayload(index) : P_SLICE));
    for (const socket of camera.server.sockets) socket.destroy();
    const isLost = () => harness.states.at(-1)?.state === "lost";
    await camera.clock.advanceSlowly(5 * SECOND_US, 20_000, isLost);
    await camera.clock.advanceSlowly(SECOND_US, 20_000, () => camera.plays === 2);
    await harness.until(() => camera.plays === 2);
    await camera.send(6, 200_000, () => P_SLICE);
    const state = harness.states.at(-1);
    expect(state?.state).toBe("waiting");
    const intervalUs = state?.state === "waiting" ? state.keyIntervalUs : undefined;
    expect(Math.abs((intervalUs ?? 0) - 20 * SECOND_US)).toBeLessThan(SECOND_US);
    expect(keyWaitText(intervalUs, "en")).toContain(
      `the camera sends one each ${Math.round((intervalUs ?? 0) / SECOND_US)} s: set a key frame`,
    );
  });
});

describe("a camera that sends rarely", () => {
  it("one picture in 12 s: one session", async () => {
    const camera = await PacedCamera.start();
    await camera.send(120, 12 * SECOND_US, (index) => keyFramePayload(index));
    await camera.harness.until(() => camera.harness.frames.length >= 9);
    expect(camera.plays).toBe(1);
  });

  it("one picture in 12 s, and no answer to any keep-alive: no session for each picture", async () => {
    const camera = await PacedCamera.start({ GET_PARAMETER: () => undefined });
    await camera.send(600, 12 * SECOND_US, (index) => keyFramePayload(index));
    expect(camera.plays).toBeLessThanOrEqual(3);
  });

  it("that is dead is found out within 10 s, although nothing closes the connection", async () => {
    const camera = await PacedCamera.start({ GET_PARAMETER: () => undefined });
    const { harness } = camera;
    await camera.send(5, 200_000, (index) => keyFramePayload(index));
    await camera.clock.advanceSlowly(11 * SECOND_US, 100_000, () => harness.states.at(-1)?.state === "lost");
    expect(harness.states.at(-1)).toMatchObject({ reason: "no frames from the camera for 10 s" });
  });

  it("whose pictures stop is found out within 10 s, although it answers", async () => {
    const camera = await PacedCamera.start();
    const { harness } = camera;
    await camera.send(5, 200_000, (index) => keyFramePayload(index));
    await camera.clock.advanceSlowly(11 * SECOND_US, 100_000, () => harness.states.at(-1)?.state === "lost");
    expect(harness.states.at(-1)).toMatchObject({ reason: "no frames from the camera for 10 s" });
  });
});

describe("a camera that hangs up", () => {
  it("at a keep-alive request is asked by another one, and if it minds all of them, by none", async () => {
    const hangUp: ScriptedAnswer = (_request, socket) => {
      socket.destroy();
      return undefined;
    };
    let opened = 0;
    const camera = await PacedCamera.start({
      OPTIONS: (request, socket) => {
        if (request.headers.has("session")) return hangUp(request, socket);
        opened += 1;
        return reply(200, ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"]);
      },
      GET_PARAMETER: hangUp,
      SETUP: () => reply(200, ["Session: 4711;timeout=8", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]),
    });
    const isOver = () => camera.plays >= 3;
    for (let round = 0; round < 12; round += 1) {
      await camera.send(5, 200_000, (index) => keyFramePayload(index));
      await camera.harness.until(() => camera.harness.states.at(-1)?.state !== "connecting");
    }
    expect(isOver()).toBe(true);
    expect(camera.plays).toBe(3);
    expect(opened).toBe(3);
  });
});

describe("what a session loses", () => {
  const reportedLosses = ({ harness }: PacedCamera) => harness.stream.losses.reported.map(({ id }) => id);

  it("sound that is announced and never sent is named", async () => {
    const camera = await PacedCamera.start(
      { DESCRIBE: () => describeReply([...VIDEO_SDP, ...MICROPHONE]) },
      { wantAudio: true },
    );
    await camera.send(6, 200_000, (index) => keyFramePayload(index));
    expect(reportedLosses(camera)).toEqual([]);
    await camera.send(6, 200_000, (index) => keyFramePayload(index));
    expect(reportedLosses(camera)).toEqual(["sound-not-sent"]);
  });

  it("sound of an unknown kind and a second video are named at once", async () => {
    const sdp = [
      ...VIDEO_SDP,
      "m=video 0 RTP/AVP 98",
      "a=rtpmap:98 VP8/90000",
      "a=control:trackID=3",
      "m=audio 0 RTP/AVP 99",
      "a=rtpmap:99 EVRC/8000",
      "a=control:trackID=2",
    ];
    const camera = await PacedCamera.start({ DESCRIBE: () => describeReply(sdp) }, { wantAudio: true });
    await camera.send(1, 200_000, (index) => keyFramePayload(index));
    expect(camera.harness.stream.losses.reported).toEqual([
      { id: "other-video", detail: "VP8", count: 0 },
      { id: "sound-unsupported", detail: "EVRC", count: 0 },
    ]);
    expect(camera.harness.frames.length).toBeGreaterThan(0);
  });

  it("pictures without parameter sets are counted", async () => {
    const sdp = VIDEO_SDP.map((line) =>
      line.startsWith("a=fmtp") ? "a=fmtp:96 packetization-mode=1" : line,
    );
    const camera = await PacedCamera.start({ DESCRIBE: () => describeReply(sdp) });
    await camera.send(6, 200_000, (index) => keyFramePayload(index));
    expect(reportedLosses(camera)).toEqual(["no-parameter-sets"]);
    expect(camera.harness.states.at(-1)?.state).toBe("waiting");
  });

  it("packets of an unknown structure, of another type, and that are none are counted", async () => {
    const camera = await PacedCamera.start();
    await camera.send(3, 200_000, (index) => keyFramePayload(index));
    for (const socket of camera.server.sockets) {
      const packet = rtpPacket({ sequence: 15, timestamp: 300_000, payload: P_SLICE });
      const other = Buffer.from(packet);
      other[1] = 0x80 | 101;
      const structure = rtpPacket({
        sequence: 15,
        timestamp: 300_000,
        payload: Buffer.from([0x7e, 1, 2, 3]),
      });
      const malformed = Buffer.from(packet);
      malformed[0] = 0x8f;
      socket.write(Buffer.concat([other, structure, malformed].map((bytes) => interleaved(0, bytes))));
    }
    await camera.send(5, 200_000, (index) => keyFramePayload(index + 1));
    expect(reportedLosses(camera).toSorted()).toEqual([
      "malformed-packets",
      "other-payload-type",
      "unknown-structure",
    ]);
  });

  it("pictures that stop while packets come are named when no other reason is known", async () => {
    const camera = await PacedCamera.start();
    await camera.send(3, 200_000, (index) => keyFramePayload(index));
    await camera.send(20, 200_000, () => Buffer.from([0x06, 0x05, 0x01, 0x00, 0x80]));
    expect(reportedLosses(camera)).toEqual(["no-picture"]);
  });
});
