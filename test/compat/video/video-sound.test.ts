import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, parseApiTime, type StreamKey } from "../../../src/base/index.js";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import { Frame, LiveStream } from "../../../src/live/index.js";
import type { SoundPiece } from "../../../src/picture/index.js";
import { LiveSounds } from "../../../src/player/video/live-sound.js";
import type { SoundCodec } from "../../../src/player/video/sound-part.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, FRAME_US, liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { type RawClient, type RawPart, readParts } from "../../support/http/raw-http.js";
import { hear, toneAac } from "../../support/media/tone.js";

const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };
const UNIT_US = 64_000;
const SECONDS = 2;
/** Units whose time lies in the two seconds. */
const PUBLISHED = Math.ceil((SECONDS * 1_000_000) / UNIT_US);

let api: ApiHarness | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

function open(server: ApiHarness, query: string): RawClient {
  const client = server.connect();
  client.get(`/video?${ROOT_QUERY}&channelid=${GATE_ID}&sound=on${query}`);
  return client;
}

it.each([
  ["none", "none"],
  ["off", "off"],
  ["on", undefined],
] as const)("says in a header whether sound comes: %s", async (sound, said) => {
  api = await startApi();
  const stream = api.streams.live(GATE_ID);
  stream.setSound(sound);
  const client = open(api, "");
  await until("the request", () => stream.subscribers > 0);
  stream.publish(liveFrame(0, { key: true }));
  await until("the answer", () => client.text.includes("\r\n\r\n"));
  expect(/^sound: (\w+)/im.exec(client.text)?.[1]).toBe(said);
});

const soundOf = (client: RawClient): RawPart[] =>
  readParts(client.body).parts.filter((part) => part.type === "audio, PCMU");
const bytesOf = (parts: readonly RawPart[]): Buffer => Buffer.concat(parts.map((part) => part.body));

/** AAC of a 440 Hz tone at half level, 16 kHz: each unit 64 ms. */
let tone: { units: Buffer[]; format: AudioFormat };
beforeEach(async () => {
  tone = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: SECONDS });
});

function soundFrame(at: number, format = tone.format): Frame {
  return new Frame({
    format,
    decodeTimeUs: NINE_US + at * UNIT_US,
    presentationOffsetUs: 0,
    key: true,
    damaged: false,
    undecodable: false,
    discontinuity: false,
    ranges: [{ slab: undefined, bytes: tone.units[at] ?? Buffer.alloc(0) }],
  });
}

/** Publishes two seconds of picture and sound in the order of their times. */
function publishAll(server: ApiHarness, options: { keyAt?: number } = {}): void {
  const stream = server.streams.live(GATE_ID);
  for (let index = 0; index < 50; index++) {
    stream.publish(liveFrame(index, { key: index === (options.keyAt ?? 0) }));
    for (let at = 0; at < tone.units.length; at++) {
      const timeUs = at * UNIT_US;
      if (timeUs >= index * FRAME_US && timeUs < (index + 1) * FRAME_US) stream.publish(soundFrame(at));
    }
  }
}

function expectTone(parts: readonly RawPart[]): void {
  const sound = bytesOf(parts);
  expect(sound.length).toBeGreaterThan(8000 * SECONDS - 800);
  const heard = hear(g711ToPcm([sound.subarray(2000, 14_000)], "mu"), 8000);
  expect(heard.frequency).toBe(440);
  expect(heard.level).toBeGreaterThan(0.47);
  expect(heard.level).toBeLessThan(0.53);
  expect(heard.purity).toBeGreaterThan(0.98);
}

/** No part is earlier than one before it, but for what the resampler holds back. */
function expectOrder(parts: readonly RawPart[]): void {
  const times = parts.map((part) => parseApiTime(part.timestamp) ?? Number.NaN);
  for (const [at, time] of times.entries())
    if (at > 0 && !(time >= (times[at - 1] ?? 0) - 5000)) expect.fail(`part ${at} goes back in time`);
}

describe("/video?sound=on of a camera that sends AAC", () => {
  it("carries the tone as µ-law of 8 kHz, in order of time between the pictures", async () => {
    api = await startApi({ clock: new SimulatedClock(NINE_US) });
    const server = api;
    const client = open(server, "");
    await until("a viewer subscribes", () => server.streams.live(GATE_ID).subscribers === 1, {
      seen: () => server.streams.live(GATE_ID).subscribers,
    });
    publishAll(server);
    await until(
      "all pictures and sound",
      () => {
        const all = readParts(client.body).parts.length - soundOf(client).length;
        return all === 50 && bytesOf(soundOf(client)).length > 8000 * SECONDS - 800;
      },
      { seen: () => [readParts(client.body).parts.length, bytesOf(soundOf(client)).length] },
    );
    expectTone(soundOf(client));
    expectOrder(readParts(client.body).parts);
  });

  it("begins with the sound of the current group of pictures, in its place, for a late viewer", async () => {
    api = await startApi({ clock: new SimulatedClock(NINE_US) });
    const server = api;
    server.streams.live(GATE_ID).setState({ state: "active" });
    publishAll(server);
    const late = open(server, "");
    const later = open(server, "");
    for (const client of [late, later]) {
      await until("all the sound", () => bytesOf(soundOf(client)).length > 8000 * SECONDS - 800, {
        seen: () => bytesOf(soundOf(client)).length,
      });
      expectTone(soundOf(client));
      expectOrder(readParts(client.body).parts);
    }
  });

  it("goes on with the pictures while the codec hangs, and logs once where it fails", async () => {
    const clock = new SimulatedClock(NINE_US);
    const settle: ((pieces: readonly SoundPiece[]) => void)[] = [];
    const hanging: SoundCodec = {
      openSoundTranscoder: () => ({
        push: () => new Promise((resolve) => settle.push(resolve)),
        close: () => undefined,
      }),
    };
    api = await startApi({ clock, soundCodec: hanging });
    const server = api;
    const client = open(server, "");
    await until("a viewer subscribes", () => server.streams.live(GATE_ID).subscribers === 1, {
      seen: () => server.streams.live(GATE_ID).subscribers,
    });
    const stream = server.streams.live(GATE_ID);
    stream.publish(liveFrame(0, { key: true }));
    stream.publish(soundFrame(0));
    stream.publish(liveFrame(1));
    await until("the first picture", () => readParts(client.body).parts.length === 1, {
      seen: () => readParts(client.body).parts.length,
    });
    clock.advance(100_000);
    stream.publish(liveFrame(2));
    await until("the pictures behind the sound", () => readParts(client.body).parts.length === 3, {
      seen: () => readParts(client.body).parts.length,
    });
    settle[0]?.([{ data: Buffer.alloc(512, 0xff), timeUs: NINE_US, durationUs: 64_000 }]);
    await until("the sound, late", () => soundOf(client).length === 1, {
      seen: () => soundOf(client).length,
    });
    stream.publish(soundFrame(1));
    clock.advance(2_000_000);
    for (let index = 3; index < 10; index++) stream.publish(liveFrame(index));
    await until("all the pictures", () => readParts(client.body).parts.length === 11, {
      seen: () => readParts(client.body).parts.length,
    });
  });

  it("sends the pictures alone, with one log line, where the sound cannot be converted", async () => {
    api = await startApi();
    const server = api;
    const client = open(server, "");
    await until("a viewer subscribes", () => server.streams.live(GATE_ID).subscribers === 1);
    const stream = server.streams.live(GATE_ID);
    const broken: AudioFormat = { ...tone.format, initialization: new Uint8Array(0) };
    for (let index = 0; index < 10; index++) {
      stream.publish(liveFrame(index, { key: index === 0 }));
      stream.publish(soundFrame(index, broken));
    }
    await until("the pictures", () => readParts(client.body).parts.length === 10);
    await until("a word in the log", () => server.logLines.some((line) => line.codec === "AAC"));
    expect(server.logLines.filter((line) => line.codec === "AAC")).toHaveLength(1);
  });

  it("is converted once for all viewers of a stream, and no longer than one watches", async () => {
    let pushed = 0;
    let closed = 0;
    const counting: SoundCodec = {
      openSoundTranscoder: () => ({
        push: async () => {
          pushed += 1;
          return [];
        },
        close: () => {
          closed += 1;
        },
      }),
    };
    api = await startApi({ soundCodec: counting });
    const server = api;
    const viewers = [open(server, ""), open(server, ""), open(server, "")];
    await until("all watch", () => server.streams.live(GATE_ID).subscribers === 3);
    publishAll(server);
    await until("all is converted", () => pushed >= PUBLISHED);
    for (const viewer of viewers) viewer.destroy();
    await until("the transcoder is closed", () => closed === 1);
    expect(pushed).toBe(PUBLISHED);
  });

  it("comes from the archive too, with the times of the recording", async () => {
    const clock = new SimulatedClock(NINE_US + 86_400_000_000);
    api = await startApi({ clock });
    const server = api;
    const pictures = archivedFrames(50);
    const [first] = pictures;
    if (first === undefined) throw new Error("no frames");
    const sound = tone.units.map((bytes, at) => ({
      ...first,
      startsFragment: false,
      codec: Codec.AAC,
      format: { ...tone.format },
      decodeTimeUs: NINE_US + at * UNIT_US + 1,
      bytes,
    }));
    const recorded = [...pictures, ...sound].sort((one, other) => one.decodeTimeUs - other.decodeTimeUs);
    server.archive.record(GATE, recorded);
    const client = open(server, "&mode=archive&starttime=21.11.2026+09:00:00");
    await until("the first frame", () => readParts(client.body).parts.length > 0);
    await until("all the sound", () => {
      clock.advance(5000);
      return bytesOf(soundOf(client)).length > 8000 * SECONDS - 800;
    });
    expectTone(soundOf(client));
    expectOrder(readParts(client.body).parts);
    expect(soundOf(client)[0]?.timestamp).toBe("21.11.2026 09:00:00.000");
  });
});

describe("the sound of a stream nobody watches any more", () => {
  it("gives every frame back: those that waited and those that were being converted", async () => {
    const pending: ((reason: Error) => void)[] = [];
    const hanging: SoundCodec = {
      openSoundTranscoder: () => ({
        push: () => new Promise((_, reject) => pending.push(reject)),
        close: () => {
          for (const reject of pending.splice(0)) reject(new Error("closed"));
        },
      }),
    };
    const sounds = new LiveSounds(hanging, createLog({ level: "silent" }));
    const stream = new LiveStream(GATE);
    const sound = sounds.join(stream);
    const frames = Array.from({ length: 100 }, (_, at) => soundFrame(at % tone.units.length));
    for (const frame of frames) {
      sound.soundOf(frame);
      frame.release();
    }
    sounds.leave(stream);
    await until("all are given back", () => frames.every(isReleased), {
      seen: () => frames.filter((frame) => !isReleased(frame)).length,
    });
  });
});

/** Whether the last lease is back: to take one is refused then. */
function isReleased(frame: Frame): boolean {
  try {
    frame.retain();
  } catch {
    return true;
  }
  frame.release();
  return false;
}
