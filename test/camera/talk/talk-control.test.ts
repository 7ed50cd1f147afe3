import { afterEach, describe, expect, it } from "vitest";
import { createLog, newGuid } from "../../../src/base/index.js";
import { TalkControl } from "../../../src/camera/talk/talk-control.js";
import { EVENT_TYPES, type EventInput } from "../../../src/event/index.js";
import { SlabPool } from "../../../src/live/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { DEFAULT_CAMERA_OPTIONS } from "../../../src/site/index.js";
import { until } from "../../support/api/api-harness.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { testDevices } from "../../support/camera/camera-devices.js";
import {
  cameraAnswers,
  describeReply,
  reply,
  type ScriptedAnswer,
  ScriptedRtspServer,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { MemorySite, testCamera } from "../../support/site/memory-site.js";

const PASSWORD = "Secret#1";
const BY = { type: 1, id: newGuid(), name: "porter" } as const;
const SDP = [
  ...["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=camera", "t=0 0"],
  ...["m=audio 0 RTP/AVP 0", "a=sendonly", "a=control:back"],
];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A camera with a loudspeaker that answers by script, and who speaks to it. */
async function start(
  answers: Readonly<Record<string, ScriptedAnswer>> = {},
  login: { readonly login: string; readonly password: string } = { login: "", password: "" },
) {
  const server = await new ScriptedRtspServer(
    cameraAnswers({ DESCRIBE: () => describeReply(SDP), PLAY: () => reply(200), ...answers }),
  ).start();
  cleanups.push(() => server.stop());
  const clock = new ManualClock();
  const log = createLog({ level: "silent" });
  const camera = testCamera();
  const { connection } = camera;
  const site = new MemorySite([
    {
      ...camera,
      connection: { ...connection, ...login, hostname: server.url },
      kept: {
        ...DEFAULT_CAMERA_OPTIONS,
        connection: { ...DEFAULT_CAMERA_OPTIONS.connection, soundTransmittingEnabled: true },
      },
    },
  ]);
  const { devices, budgets } = testDevices({ site, clock, log });
  cleanups.push(() => devices.stop());
  const raised: EventInput[] = [];
  const talk = new TalkControl({
    ...{ site, devices, budgets, clock, log, codec: new NativeCodec() },
    pool: new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 4 * 1024 * 1024 }),
    events: {
      raise: (input: EventInput) => {
        raised.push(input);
        return undefined as never;
      },
    },
  });
  cleanups.push(() => talk.stop());
  const speak = (signal = new AbortController().signal) =>
    talk.speak({ channelId: camera.id, format: { kind: "g711", law: "mu" }, by: BY, signal });
  const refusesSound = () => devices.notes.refusesSound(site.current.cameras[0] ?? camera);
  return { server, clock, site, talk, raised, speak, refusesSound };
}

const challenge: ScriptedAnswer = () =>
  reply(401, ['WWW-Authenticate: Digest realm="camera", nonce="n", algorithm=MD5']);

describe("a camera that does not listen is told in words, and is free at once for the next speaker:", () => {
  it.each<[string, Record<string, ScriptedAnswer>, string, string]>([
    ["busy with others", { SETUP: () => reply(453) }, "NOT_AVAILABLE", "the camera is busy (453 Reason)"],
    ["busy at all", { DESCRIBE: () => reply(503) }, "NOT_AVAILABLE", "the camera is busy (503 Reason)"],
    ["without a back channel", { DESCRIBE: () => reply(551) }, "NOT_SUPPORTED", "no ONVIF back channel"],
    ["that takes no transport", { SETUP: () => reply(461) }, "NOT_AVAILABLE", "takes sound neither over TCP"],
    ["that refuses to play", { PLAY: () => reply(455) }, "NOT_AVAILABLE", "answered PLAY with 455"],
    ["that denies this user the sound", { SETUP: () => reply(403) }, "NOT_AVAILABLE", "check its rights"],
    ["that asks for a password", { DESCRIBE: challenge }, "NOT_AVAILABLE", "enter them"],
    [
      "that goes in the middle",
      {
        PLAY: (_, socket) => {
          socket.destroy();
          return undefined;
        },
      },
      "NOT_AVAILABLE",
      "closed the connection",
    ],
  ])("one %s", async (_, answers, code, words) => {
    const { speak, talk, raised } = await start(answers);
    for (const attempt of [1, 2])
      await expect(speak(), `attempt ${attempt}`).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
    await talk.stop();
    expect(raised).toEqual([]);
  });

  it.each<[string, Record<string, ScriptedAnswer>, boolean]>([
    ["one without a back channel", { DESCRIBE: () => reply(551) }, true],
    ["one that is busy", { SETUP: () => reply(453) }, false],
  ])("whether %s takes sound is remembered where it has said so", async (_, answers, isRefused) => {
    const { speak, refusesSound } = await start(answers);
    await expect(speak()).rejects.toThrow();
    expect(refusesSound()).toBe(isRefused);
  });

  it("that one takes no sound is forgotten when its settings are changed", async () => {
    const { speak, site, refusesSound } = await start({ DESCRIBE: () => reply(551) });
    await expect(speak()).rejects.toThrow();
    const [camera] = site.current.cameras;
    await site.change((now) => ({
      ...now,
      cameras: now.cameras.map((one) => ({ ...one, name: "Another" })),
    }));
    expect([site.current.cameras[0] === camera, refusesSound()]).toEqual([false, false]);
  });

  it("that one takes no sound is forgotten when it listens", async () => {
    let answer = reply(551);
    const { speak, talk, refusesSound } = await start({ DESCRIBE: () => answer });
    await expect(speak()).rejects.toThrow();
    answer = describeReply(SDP);
    await speak();
    expect(refusesSound()).toBe(false);
    await talk.stop();
  });

  it("one that refuses the password is asked once, and never shows the password", async () => {
    const login = { login: "viewer", password: PASSWORD };
    const { speak, server } = await start({ DESCRIBE: challenge }, login);
    const refused = await speak().catch((error: Error) => error);
    expect(refused).toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringContaining("correct them"),
    });
    expect(JSON.stringify(refused)).not.toContain(PASSWORD);
    const asked = server.requests.length;
    await expect(speak()).rejects.toMatchObject({ message: expect.stringContaining("correct them") });
    expect(server.requests).toHaveLength(asked);
  });

  it("one that never answers is given up after 7 s", async () => {
    const { speak, server, clock } = await start({ OPTIONS: () => undefined, DESCRIBE: () => undefined });
    const speaking = speak().catch((error: Error) => error);
    await until("OPTIONS", () => server.methods().includes("OPTIONS"));
    clock.advance(2000);
    await until("DESCRIBE", () => server.methods().includes("DESCRIBE"));
    clock.advance(5000);
    expect(await speaking).toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringContaining("does not answer DESCRIBE within 5 s"),
    });
  });

  it("one that always answers at the last moment is given up after 15 s", async () => {
    const { speak, server, clock } = await start({ DESCRIBE: () => undefined });
    const speaking = speak().catch((error: Error) => error);
    for (let count = 1; count <= 3; count += 1) {
      await until("DESCRIBE", () => server.methods().filter((one) => one === "DESCRIBE").length === count);
      clock.advance(4900);
      const { connections } = server;
      server.sockets.at(-1)?.write(`RTSP/1.0 302 Moved\r\nCSeq: 2\r\nLocation: ${server.url}\r\n\r\n`);
      await until("the next connection", () => server.connections > connections);
    }
    clock.advance(400);
    expect(await speaking).toMatchObject({
      code: "NOT_AVAILABLE",
      message: "the camera does not get ready to listen within 15 s",
    });
  });
});

describe("who spoke", () => {
  it("is not notified of a speaker who goes while the camera is asked, nor is the camera asked for one who has gone", async () => {
    const { speak, server, raised } = await start({ DESCRIBE: () => undefined });
    const gone = new AbortController();
    const speaking = speak(gone.signal).catch((error: Error) => error);
    await until("DESCRIBE", () => server.methods().includes("DESCRIBE"));
    gone.abort();
    expect(await speaking).toMatchObject({ code: "NOT_AVAILABLE" });
    const { connections } = server;
    await expect(speak(gone.signal)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(server.connections).toBe(connections);
    expect(raised).toEqual([]);
  });

  it("is reported from beginning to end, also of one who said nothing", async () => {
    const { speak, clock, raised } = await start();
    const speech = await speak();
    clock.advance(10_100);
    expect(await speech.ended).toMatchObject({ seconds: 0 });
    expect(raised.map(({ typeId }) => typeId)).toEqual([
      EVENT_TYPES.talkStarted.id,
      EVENT_TYPES.talkEnded.id,
    ]);
    expect(raised[1]?.comment).toBe("0.0 s: nothing was said for 10 s");
  });

  it("is the first of two: the other is told the name, and the camera has one session", async () => {
    const { speak, server } = await start();
    const first = await speak();
    await expect(speak()).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringMatching(/^porter is speaking to the channel /),
    });
    expect(server.methods().filter((method) => method === "SETUP")).toHaveLength(1);
    expect(first.isOver).toBe(false);
  });
});
