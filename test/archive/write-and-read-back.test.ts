import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  type TestArchive,
  temporaryDirectory,
} from "../support/archive-fixture.js";

const FRAME_US = 40_000;

describe("what is written is read back", () => {
  let test: TestArchive;
  let directory: ReturnType<typeof temporaryDirectory>;

  beforeEach(async () => {
    directory = temporaryDirectory();
    test = await startArchive(directory.path);
  });

  afterEach(async () => {
    await test.archive.stop();
    directory.remove();
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
});
