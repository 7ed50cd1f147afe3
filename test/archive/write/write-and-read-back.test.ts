import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startVolumeThread } from "../../../src/archive/disk/start-thread.js";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  VIDEO,
} from "../../support/archive/archive-fixture.js";

const FRAME_US = 40_000;

describe("what is written is read back", () => {
  let test: TestArchive;
  let directory: ReturnType<typeof temporaryDirectory>;

  beforeEach(async () => {
    directory = temporaryDirectory();
    test = await startArchive(directory.path, { startThread: startVolumeThread });
  });

  afterEach(async () => {
    await test.archive.stop();
    directory.remove();
  });

  it("has left open/ for its place when the archive has stopped", async () => {
    const key = newStreamKey();
    const startUs = Date.now() * 1000;
    for (let at = 0; at < 20; at++)
      append(test.archive.writer(key), {
        decodeTimeUs: startUs + at * FRAME_US,
        bytes: patternBytes(9_000, at),
        key: at === 0,
      });
    await test.archive.stop();
    expect(readdirSync(join(test.volumePath, "open"))).toEqual([]);
    const placed = readdirSync(join(test.volumePath, "streams"), { recursive: true, encoding: "utf8" });
    expect(placed.filter((path) => path.endsWith(".seg"))).toHaveLength(1);
  });

  it("gives back every frame, video and audio, byte for byte", async () => {
    const key = newStreamKey();
    const writer = test.archive.writer(key);
    const startUs = Date.now() * 1000;
    const sent: { bytes: Uint8Array; decodeTimeUs: number }[] = [];
    for (let at = 0; at < 100; at++) {
      const decodeTimeUs = startUs + at * FRAME_US;
      const bytes = patternBytes(at % 25 === 0 ? 60_000 : 9_000 + at, at);
      append(writer, { decodeTimeUs, bytes, key: at % 25 === 0, memory: "both" });
      sent.push({ bytes, decodeTimeUs });
      const sound = patternBytes(160, at + 1000);
      append(writer, { format: AUDIO, decodeTimeUs, bytes: sound, key: true });
      sent.push({ bytes: sound, decodeTimeUs });
    }
    await writer.end();
    const reader = test.archive.read(key, { fromUs: startUs });
    const frames = await readFrames(reader, 200);
    reader.close();
    expect(frames.map((frame) => frame.decodeTimeUs)).toEqual(sent.map((frame) => frame.decodeTimeUs));
    for (const [at, frame] of frames.entries())
      expect(frame.bytes.equals(sent[at]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(frames.map((frame) => frame.startsFragment).filter(Boolean)).toHaveLength(1);
    expect(test.archive.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
  });

  it("records pictures in one piece although sound begins later, with times seconds ahead", async () => {
    const key = newStreamKey();
    const writer = test.archive.writer(key);
    const startUs = Date.now() * 1000;
    const fragments = () => test.archive.fragments(key, 0, Number.MAX_SAFE_INTEGER);
    for (let at = 0; at < 100; at++) {
      const decodeTimeUs = startUs + at * FRAME_US;
      append(writer, { decodeTimeUs, bytes: patternBytes(900, at), key: at % 25 === 0 });
      if (at < 10) continue;
      // The segment was begun without sound.
      while (fragments().length === 0) await new Promise((resolve) => setImmediate(resolve));
      const sound = { format: AUDIO, bytes: patternBytes(160, at + 1000), key: true };
      append(writer, { ...sound, decodeTimeUs: decodeTimeUs + 8_000_000 });
    }
    await writer.end();
    expect(fragments()).toHaveLength(1);
    expect((fragments()[0]?.toUs ?? 0) - startUs).toBe(100 * FRAME_US);
    const reader = test.archive.read(key, { fromUs: startUs });
    const frames = await readFrames(reader, 190);
    reader.close();
    expect(frames.filter(({ format }) => format !== undefined && "width" in format)).toHaveLength(100);
  });

  it("gives each frame the format a decoder needs, with the initialization data of its segment", async () => {
    const key = newStreamKey();
    const writer = test.archive.writer(key);
    const startUs = Date.now() * 1000;
    const aac = {
      codec: Codec.AAC,
      sampleRate: 16_000,
      channels: 1,
      initialization: Buffer.from("1408", "hex"),
    };
    for (let at = 0; at < 10; at++) {
      const decodeTimeUs = startUs + at * FRAME_US;
      append(writer, { decodeTimeUs, bytes: patternBytes(9_000, at), key: at === 0 });
      append(writer, { format: aac, decodeTimeUs, bytes: patternBytes(160, at), key: true });
    }
    await writer.end();
    const reader = test.archive.read(key, { fromUs: startUs });
    const frames = await readFrames(reader, 20);
    reader.close();
    const [video, sound] = frames;
    expect(video?.format).toMatchObject({ codec: VIDEO.codec, width: VIDEO.width, height: VIDEO.height });
    expect(Buffer.from(video?.format?.initialization ?? [])).toEqual(Buffer.from(VIDEO.initialization));
    expect(sound?.format).toEqual({ ...aac, initialization: Uint8Array.from(aac.initialization) });
    expect(new Set(frames.map((frame) => frame.format)).size).toBe(2);
  });
});
