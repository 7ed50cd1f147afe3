import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, type Interval, type StreamKey, US_PER_SECOND } from "../../base/index.js";
import { isAudioCodec } from "../../live/index.js";
import { BESIDE_US, digestOf, type KnownPictures } from "./gap-edges.js";

/** Pictures on each side of a gap; 10 s of 60 a second. */
const PICTURES_MAX = 600;
const READ_MS_MAX = 10_000;

export interface KnownOptions {
  readonly archive: Pick<ArchiveAccess, "read">;
  readonly key: StreamKey;
  readonly gap: Interval;
  readonly clock: Clock;
}

/** The pictures that are recorded beside a gap, by their bytes. Rejects as the reader of the archive does. */
export async function knownPictures(options: KnownOptions): Promise<KnownPictures> {
  const { gap } = options;
  const known = new Map<string, number[]>();
  await readInto(known, options, { fromUs: gap.fromUs - BESIDE_US, toUs: gap.fromUs });
  await readInto(known, options, { fromUs: gap.toUs, toUs: gap.toUs + BESIDE_US });
  return known;
}

async function readInto(
  known: Map<string, number[]>,
  { archive, key, clock }: KnownOptions,
  { fromUs, toUs }: Interval,
): Promise<void> {
  const reader = archive.read(key, { fromUs: Math.max(0, fromUs), videoOnly: true, endsAtEdge: true });
  const timer = clock.setTimeout(() => reader.close(), READ_MS_MAX);
  let pictures = 0;
  try {
    for (;;) {
      const frames = await reader.next();
      if (frames.length === 0) return;
      for (const { codec, decodeTimeUs, bytes } of frames) {
        // The key frame before the time may be long before it.
        if (isAudioCodec(codec) || decodeTimeUs < fromUs - US_PER_SECOND) continue;
        if (decodeTimeUs >= toUs || pictures >= PICTURES_MAX) return;
        pictures += 1;
        const digest = digestOf([bytes]);
        const times = known.get(digest);
        if (times === undefined) known.set(digest, [decodeTimeUs]);
        else times.push(decodeTimeUs);
      }
    }
  } finally {
    timer.clear();
    reader.close();
  }
}
