import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VideoFormat } from "../../../src/live/codec/codec.js";
import {
  AUDIO,
  append,
  idleSlabs,
  makeFrame,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
  VIDEO,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";

const FRAME_US = 40_000;
const OTHER_VIDEO: VideoFormat = { ...VIDEO, width: 640, height: 360 };
const EQUAL_VIDEO: VideoFormat = { ...VIDEO, initialization: Uint8Array.from(VIDEO.initialization) };

const step = fc.record({
  size: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 4000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 200_000, max: 700_000 }) },
  ),
  key: fc.boolean(),
  format: fc.constantFrom(VIDEO, VIDEO, VIDEO, EQUAL_VIDEO, OTHER_VIDEO),
  memory: fc.constantFrom("slab" as const, "own" as const, "both" as const),
  audio: fc.boolean(),
  damaged: fc.constantFrom(false, false, false, true),
  stepUs: fc.constantFrom(FRAME_US, FRAME_US, FRAME_US, FRAME_US, 1, 400_000, 20_000_000, 90_000_000),
  discontinuity: fc.constantFrom(false, false, false, false, false, true),
  offsetUs: fc.constantFrom(0, 0, 80_000),
  pauseMs: fc.constantFrom(0, 0, 0, 15),
});

interface Sent {
  readonly decodeTimeUs: number;
  readonly bytes: Uint8Array;
  readonly key: boolean;
  readonly damaged: boolean;
  readonly presentationOffsetUs: number;
  readonly codec: number;
  readonly startsFragment: boolean;
}

let test: TestArchive;
let directory: ReturnType<typeof temporaryDirectory>;

beforeAll(async () => {
  directory = temporaryDirectory();
  test = await startArchive(directory.path, { segmentSeconds: 1 });
});

afterAll(() => directory.remove());

describe("random recordings", () => {
  it("are read back as sent, in order, whatever their formats, gaps and segments", async () => {
    let startUs = Date.now() * 1000;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        startUs += 1_000_000;
        const key = newStreamKey();
        const writer = test.archive.writer(key);
        const sent: Sent[] = [];
        let decodeTimeUs = startUs;
        let gap = true; // a fragment starts with a key frame: what precedes it is not recorded
        for (const [at, one] of steps.entries()) {
          decodeTimeUs += one.stepUs;
          const breaks = one.discontinuity || one.stepUs > 60_000_000;
          if (breaks) gap = true;
          const { size, audio, pauseMs, offsetUs, stepUs, ...fields } = one;
          const bytes = patternBytes(size, at);
          const spec = { ...fields, decodeTimeUs, bytes, presentationOffsetUs: offsetUs };
          append(writer, spec);
          if (!gap || one.key) {
            const { key: isKey, damaged } = one;
            const common = { decodeTimeUs, bytes, key: isKey, damaged, presentationOffsetUs: offsetUs };
            sent.push({ ...common, codec: VIDEO.codec, startsFragment: gap });
            gap = false;
          }
          if (audio && !gap) {
            const sound = patternBytes(160, at + 500);
            append(writer, { format: AUDIO, decodeTimeUs, bytes: sound, key: true });
            const common = { decodeTimeUs, bytes: sound, key: true, damaged: false, presentationOffsetUs: 0 };
            sent.push({ ...common, codec: AUDIO.codec, startsFragment: false });
          }
          if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
        await writer.end();
        const reader = test.archive.read(key, { fromUs: 0 });
        const read = await readFrames(reader, sent.length);
        reader.close();
        expect(read.map(described)).toEqual(sent.map(described));
        const fragments = test.archive.fragments(key, 0, Number.MAX_SAFE_INTEGER);
        expect(fragments).toHaveLength(sent.filter((frame) => frame.startsFragment).length);
      }),
      { numRuns: 40 },
    );
    await test.archive.stop();
    await test.archive.stop();
    expect(
      archiveProblems({ volumePaths: [test.volumePath], summaries: [...test.index.committed.values()] }),
    ).toEqual([]);
  });

  it("give every slab back once they are written", async () => {
    const again = await startArchive(directory.path);
    const writer = again.archive.writer(newStreamKey());
    idleSlabs.clear();
    const startUs = Date.now() * 1000 + 100_000_000;
    const frames = Array.from({ length: 20 }, (_, at) => {
      return makeFrame({
        decodeTimeUs: startUs + at * FRAME_US,
        bytes: patternBytes(5000, at),
        key: at === 0,
      });
    });
    for (const frame of frames) {
      writer.append(frame);
      frame.release();
    }
    await until(
      () => idleSlabs.size === 20,
      "slabs to come back",
      () => idleSlabs.size,
    );
    await again.archive.stop();
  });
});

function described(frame: Sent | Awaited<ReturnType<typeof readFrames>>[number]): unknown[] {
  const { decodeTimeUs, codec, key, damaged, presentationOffsetUs, startsFragment, bytes } = frame;
  const content = Buffer.from(bytes).toString("latin1");
  const digest = content.length > 100 ? `${content.slice(0, 50)}…${content.slice(-50)}` : content;
  return [decodeTimeUs, codec, key, damaged, presentationOffsetUs, startsFragment, content.length, digest];
}
