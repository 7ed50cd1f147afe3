import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteBudget } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  PACKAGER_BYTES_MAX,
  PACKAGING_BYTES_MAX,
  PART_SHARE_MIN,
  TARGET_DURATION_S,
} from "../../../src/player/hls/limits.js";
import { MediaWindow } from "../../../src/player/hls/media-window.js";
import { Packager } from "../../../src/player/hls/packager.js";
import { parseMediaFile } from "../../../src/player/hls/playlist.js";
import { type ReadPlaylist, type ReadSegment, readPlaylist } from "../../support/hls/hls-playlist.js";
import { H264_SETS, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";

const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
/** Rounding of what is written with six digits. */
const ROUNDING_S = 2e-6;

interface Picture {
  readonly stepUs: number;
  readonly key: boolean;
  readonly gap: boolean;
  readonly offsetUs: number;
}

/** A camera with a rate, jitter and GOP, and sometimes a late picture, a gap, or a jump of its clock. */
const camera = fc
  .record({
    frameUs: fc.constantFrom(16_667, 33_333, 40_000, 66_667, 100_000, 125_000, 200_000, 1_000_000, 4_000_000),
    jitter: fc.constantFrom(0, 0.01, 0.3),
    gop: fc.constantFrom(1, 12, 25, 100, 250, 1000),
    faults: fc.constantFrom(0, 0.002, 0.05),
    seconds: fc.integer({ min: 3, max: 60 }),
    seeds: fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
  })
  .map(({ frameUs, jitter, gop, faults, seconds, seeds }) => {
    const draw = (): number => seeds.next().value as number;
    const pictures: Picture[] = [];
    for (let us = 0, index = 0; us < seconds * 1e6 && index < 1500; index += 1) {
      const isFault = draw() < faults;
      const kind = isFault ? Math.floor(draw() * 4) : -1;
      const leapsUs = [3 * frameUs, 700_000, 20_000_000, -60_000_000];
      const stepUs = kind < 0 ? frameUs * (1 + (draw() - 0.5) * jitter) : (leapsUs[kind] ?? frameUs);
      const gap = kind >= 2;
      pictures.push({ stepUs: Math.round(stepUs), key: gap || index % gop === 0, gap, offsetUs: 0 });
      us += Math.abs(stepUs);
    }
    return pictures;
  });

/** Packages the pictures and passes each playlist that could be read meanwhile to `look`. */
function play(
  pictures: readonly Picture[],
  look: (playlist: ReadPlaylist, window: MediaWindow) => void,
): void {
  let packager: Packager | undefined;
  const window = new MediaWindow(
    () => packager?.partTargetUs,
    () => {
      if (window.hasSegment) queue.push(window.text.toString());
    },
    new ByteBudget(PACKAGING_BYTES_MAX),
  );
  const queue: string[] = [];
  packager = new Packager({ sink: window, parts: true, sound: false, speed: 1 });
  const format = { codec: Codec.H264, width: 160, height: 120, initialization: H264_SETS };
  let decodeTimeUs = START_US;
  for (const [index, { stepUs, key, gap, offsetUs }] of pictures.entries()) {
    decodeTimeUs += stepUs;
    const bytes = key ? annexB(idr(40, index)) : annexB(slice(20, index));
    const unit = { format, decodeTimeUs, presentationOffsetUs: offsetUs, key, discontinuity: gap, bytes };
    packager.video(unit);
    // Players see the state after a picture, not between two calls.
    const text = queue.splice(0).at(-1);
    if (text !== undefined) look(readPlaylist(window.text.toString()), window);
  }
}

const roundsTo = (seconds: number): number => Math.round(seconds - ROUNDING_S);
const bySequence = (playlist: ReadPlaylist): Map<number, ReadSegment> =>
  new Map(playlist.segments.map((segment) => [segment.sequence, segment]));

describe("whatever a camera sends, a live playlist", () => {
  it("keeps the rules of durations: EXT-X-TARGETDURATION, PART-TARGET and the 85 % of it", () => {
    fc.assert(
      fc.property(camera, (pictures) => {
        play(pictures, (playlist) => {
          expect(playlist.targetDuration).toBe(TARGET_DURATION_S);
          const { partTarget, partHoldBack } = playlist;
          if (partTarget !== undefined) expect(partHoldBack).toBeCloseTo(3 * partTarget, 6);
          for (const { duration, parts } of playlist.segments) {
            if (duration !== undefined) expect(roundsTo(duration)).toBeLessThanOrEqual(TARGET_DURATION_S);
            for (const [index, part] of parts.entries()) {
              expect(part.duration).toBeLessThanOrEqual((partTarget ?? 0) + ROUNDING_S);
              const isLast = duration !== undefined && index === parts.length - 1;
              if (!isLast) {
                const least = (partTarget ?? 0) * PART_SHARE_MIN - ROUNDING_S;
                expect(part.duration).toBeGreaterThanOrEqual(least);
              }
            }
            const sum = parts.reduce((total, part) => total + part.duration, 0);
            if (parts.length > 0 && duration !== undefined) expect(sum).toBeCloseTo(duration, 4);
          }
        });
      }),
      { numRuns: 25 },
    );
  });

  it("only grows at its end and shrinks at its beginning", () => {
    fc.assert(
      fc.property(camera, (pictures) => {
        let before: ReadPlaylist | undefined;
        play(pictures, (playlist) => {
          const known = bySequence(before ?? playlist);
          const first = playlist.segments[0]?.sequence ?? 0;
          expect(first).toBeGreaterThanOrEqual(before?.segments[0]?.sequence ?? 0);
          for (const [index, segment] of playlist.segments.entries()) {
            expect(segment.sequence).toBe(first + index);
            const same = known.get(segment.sequence);
            if (same === undefined) continue;
            expect(segment.discontinuities).toBe(same.discontinuities);
            expect(segment.timeMs).toBe(same.timeMs);
            expect(segment.map).toBe(same.map);
            if (same.uri !== undefined) {
              expect(segment.uri).toBe(same.uri);
              expect(segment.duration).toBe(same.duration);
            }
            // Parts that were listed stay until they are old, or until there are none any more.
            if (segment.parts.length > 0)
              expect(segment.parts.slice(0, same.parts.length)).toEqual(same.parts);
          }
          before = playlist;
        });
      }),
      { numRuns: 25 },
    );
  });

  it("lists three target durations if it has them, and everything listed can be fetched", () => {
    fc.assert(
      fc.property(camera, (pictures) => {
        play(pictures, (playlist, window) => {
          expect(window.byteLength).toBeLessThanOrEqual(PACKAGER_BYTES_MAX);
          const listed = playlist.segments.reduce((sum, { duration = 0 }) => sum + duration, 0);
          const first = playlist.segments[0]?.sequence ?? 0;
          if (first > 0) expect(listed).toBeGreaterThanOrEqual(2 * TARGET_DURATION_S);
          for (const { uri, map, parts } of playlist.segments) {
            for (const name of [...(uri === undefined ? [] : [uri]), map, ...parts.map((part) => part.uri)]) {
              const file = parseMediaFile(name);
              expect(file === undefined ? undefined : window.file(file)?.length, name).toBeGreaterThan(0);
            }
          }
          if (playlist.preloadHint === undefined) expect(playlist.partTarget).toBeUndefined();
          else {
            const hinted = parseMediaFile(playlist.preloadHint);
            expect(hinted === undefined ? false : window.isNextPart(hinted)).toBe(true);
          }
        });
      }),
      { numRuns: 20 },
    );
  });

  it("dates each segment by its first picture, and marks every gap", () => {
    fc.assert(
      fc.property(camera, (pictures) => {
        play(pictures, ({ segments }) => {
          for (const [index, segment] of segments.entries()) {
            const previous = segments[index - 1];
            if (previous?.duration === undefined || segment.timeMs === undefined) continue;
            const aheadMs = segment.timeMs - (previous.timeMs ?? 0) - previous.duration * 1000;
            if (segment.discontinuities === previous.discontinuities)
              expect(Math.abs(aheadMs)).toBeLessThan(2);
            expect(segment.map === previous.map).toBe(segment.discontinuities === previous.discontinuities);
          }
        });
      }),
      { numRuns: 20 },
    );
  });
});
