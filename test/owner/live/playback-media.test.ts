import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { NativeCodec, Transcoding } from "../../../src/picture/index.js";
import { type RecordedUnit, soundUnits, videoUnits } from "../../support/api/exported-archive.js";
import { at, newChannels, PlaybackHarness } from "../../support/api/playback-harness.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decodedFrames, packetsOf } from "../../support/media/movie-probe.js";
import { toneAac } from "../../support/media/tone.js";

/** Clips of 3 s, a key frame a second, recorded from nine o'clock on. */

const [GATE = ""] = newChannels(1);
let test: PlaybackHarness;
let directory: TemporaryDirectory;

beforeEach(async () => {
  test = await PlaybackHarness.start();
  directory = new TemporaryDirectory();
});

afterEach(async () => {
  await test.stop();
  directory.remove();
});

const clips = new Map<string, Promise<RecordedUnit[]>>();

/** A clip, made once. */
function clip(
  codec: "h264" | "h265" | "mpeg4" | "mjpeg",
  options: Parameters<typeof videoUnits>[1],
): Promise<RecordedUnit[]> {
  const name = `${codec} ${JSON.stringify(options)}`;
  const made = clips.get(name) ?? videoUnits(codec, options);
  clips.set(name, made);
  return made;
}

/** The movie of a feed as a file, its times from the recording's beginning on. */
function file(feed: number): string {
  const path = join(directory.path, `${feed}.mp4`);
  writeFileSync(path, test.movie(feed));
  return path;
}

function transcoding(): Transcoding {
  return new Transcoding({ codec: new NativeCodec(), clock: test.clock, log: SILENT_LOG });
}

describe("the media of a playback", () => {
  it("are a fragmented MP4 file that decodes to the recorded pictures, B-frames too", async () => {
    const units = await clip("h264", { seconds: 3, bFrames: 2 });
    await test.recordUnits(GATE, 0, units);
    test.play([GATE], { fromS: 0 });
    await test.run(3);
    expect(await decodedFrames(["-i", file(1)])).toHaveLength(75);
    const packets = await packetsOf(file(1), "v:0");
    expect(packets.filter(({ key }) => key)).toHaveLength(3);
    const steps = packets.slice(1).map(({ dtsS }, at) => dtsS - (packets[at]?.dtsS ?? 0));
    expect(Math.max(...steps)).toBeLessThan(0.0401);
  });

  it("are H.265 as it is for a client that plays it", async () => {
    await test.recordUnits(GATE, 0, await clip("h265", { seconds: 3 }));
    test.play([GATE], { fromS: 0 }, { codecs: ["avc1", "hvc1"] });
    await test.run(3);
    expect(test.streamsSent).toMatchObject([{ source: "main", mime: expect.stringMatching(/"hvc1\./) }]);
    expect(await decodedFrames(["-i", file(1)])).toHaveLength(75);
  });

  it.each(["h265", "mjpeg", "mpeg4"] as const)(
    "come as H.264 where the client does not play %s",
    async (codec) => {
      await test.recordUnits(GATE, 0, await clip(codec, { seconds: 3 }));
      test.play([GATE], { fromS: 0 }, { transcoding: transcoding() });
      await test.runUntil(() => test.pictures().length >= 70);
      expect(test.streamsSent).toMatchObject([
        {
          source: "transcode",
          reason: "codec-not-playable",
          mime: expect.stringMatching(/"avc1\./),
          width: 320,
        },
      ]);
      expect((await decodedFrames(["-i", file(1)])).length).toBeGreaterThanOrEqual(70);
    },
  );

  it("are one key frame of the picture that stands, where it is transcoded", async () => {
    await test.recordUnits(GATE, 0, await clip("h265", { seconds: 3, bFrames: 2 }));
    const playback = test.play([GATE], { fromS: 1.5, mode: "picture" }, { transcoding: transcoding() });
    await test.runUntil(() => test.states.length === 1);
    playback.step(1);
    await test.runUntil(() => test.states.length === 2);
    const shownAt = test.states.map(([, time]) => time);
    for (const [at, [, time]] of test.states.entries()) {
      const before = test.sent.findIndex(
        (each) => each.kind === "message" && each.message === test.messagesOf("playback")[at],
      );
      const shown = test.sent.slice(0, before).findLast((each) => each.kind === "fragment");
      expect(shown?.second).toBeLessThanOrEqual(time);
      expect(shown?.second).toBeGreaterThan(time - 0.04);
    }
    expect(shownAt[1]).toBeCloseTo(1.52, 2);
    expect(test.pictures()[0]).toMatchObject({ key: true, jump: true });
    expect(test.pictures().length).toBeLessThan(12);
    expect(test.streamsSent).toHaveLength(1);
    expect((await decodedFrames(["-i", file(1)])).length).toBeGreaterThanOrEqual(2);
  });

  it("are key frames one by one backwards, where they are transcoded", async () => {
    await test.recordUnits(GATE, 0, await clip("h265", { seconds: 3 }));
    test.play([GATE], { fromS: 2.5, speed: -4 }, { transcoding: transcoding() });
    await test.runUntil(() => test.states.some(([state]) => state === "start"));
    expect(test.pictures().map(({ key, second }) => [key, second])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
    ]);
  });

  it("are refused with a reason where they cannot be transcoded", async () => {
    await test.recordUnits(GATE, 0, await clip("mjpeg", { seconds: 3 }));
    const codec = new NativeCodec();
    Object.assign(codec, { openVideoEncoder: () => undefined });
    const without = new Transcoding({ codec, clock: test.clock, log: SILENT_LOG });
    test.play([GATE], { fromS: 0 }, { transcoding: without });
    await test.runUntil(() => test.messagesOf("problem").length > 0);
    expect(test.messagesOf("problem")).toMatchObject([{ id: 1, reason: "no-playable-stream" }]);
    expect(test.messagesOf("problem")[0]?.text).toMatch(/MJPEG.*no encoder/);
  });
});

describe("the sound of a playback", () => {
  const G711: AudioFormat = {
    codec: Codec.PCMU,
    sampleRate: 8000,
    channels: 1,
    initialization: new Uint8Array(0),
  };
  const watch = { sound: true };
  const codecs = ["avc1", "mp4a", "flac"] as const;

  async function recordG711(seconds: number): Promise<void> {
    const video = await clip("h264", { seconds });
    const pieces = Array.from({ length: seconds * 50 }, (_, index) => Buffer.alloc(160, index % 200));
    await test.recordUnits(GATE, 0, [...video, ...soundUnits(G711, pieces, 20_000)]);
  }

  it("is G.711 as FLAC, at the pictures' times", async () => {
    await recordG711(3);
    test.play([GATE], { fromS: 0 }, { codecs, watch });
    await test.run(3);
    expect(test.streamsSent).toMatchObject([{ sound: true, mime: expect.stringMatching(/avc1.*,flac"/) }]);
    const packets = await packetsOf(file(1), "a:0");
    expect(packets.length).toBeGreaterThan(70);
    const [first] = await packetsOf(file(1), "v:0");
    expect(Math.abs((packets[0]?.ptsS ?? 0) - (first?.ptsS ?? 0))).toBeLessThan(0.1);
    expect(await decodedFrames(["-i", file(1)], "0:a:0")).toHaveLength(packets.length);
  });

  it("is AAC as it is", async () => {
    const { format, units } = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: 3 });
    const sound = soundUnits(format, units, (1024 / 16_000) * 1e6);
    await test.recordUnits(GATE, 0, [...(await clip("h264", { seconds: 3 })), ...sound]);
    test.play([GATE], { fromS: 0 }, { codecs, watch });
    await test.run(3);
    expect(test.streamsSent).toMatchObject([{ sound: true, mime: expect.stringMatching(/mp4a\.40\.2"/) }]);
    expect((await packetsOf(file(1), "a:0")).length).toBeGreaterThan(40);
  });

  it("goes on at its place after a seek back, in the same stream", async () => {
    await recordG711(3);
    const playback = test.play([GATE], { fromS: 1.5 }, { codecs, watch });
    await test.run(1);
    test.clear();
    playback.seek(at(0.5));
    await test.run(0.5);
    expect(test.streamsSent).toEqual([]);
    expect(test.sounds().length).toBeGreaterThan(20);
    expect(test.sounds()[0]?.second).toBeLessThan(1);
  });

  it("is there at speed 1 only: at others the stream has none", async () => {
    await recordG711(3);
    const playback = test.play([GATE], { fromS: 0 }, { codecs, watch });
    await test.run(0.4);
    playback.setSpeed(2);
    await test.run(0.4);
    expect(test.streamsSent.map(({ sound }) => sound)).toEqual([true, false]);
    playback.setSpeed(1);
    await test.run(0.5);
    expect(test.streamsSent.map(({ sound }) => sound)).toEqual([true, false, true]);
  });

  it("is left out where the client does not play it, and that is said", async () => {
    await recordG711(3);
    test.play([GATE], { fromS: 0 }, { codecs: ["avc1", "mp4a"], watch });
    await test.run(1);
    expect(test.streamsSent).toMatchObject([{ sound: false, reason: "sound-codec-not-playable" }]);
    expect(test.sounds()).toEqual([]);
  });

  it("ends with the right to it, and the pictures go on", async () => {
    await recordG711(3);
    const playback = test.play([GATE], { fromS: 0 }, { codecs, watch });
    await test.run(0.5);
    test.hasSoundRight = false;
    playback.review();
    await test.settle();
    test.clear();
    await test.run(0.5);
    expect(test.sounds()).toEqual([]);
    expect(test.pictures().length).toBeGreaterThan(8);
    expect(playback.ids).toEqual([1]);
  });
});
