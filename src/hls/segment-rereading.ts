import { NvrdError } from "../base/index.js";
import type { ArchivedUnit, ArchiveReading } from "./archive-reading.js";
import type { ArchiveSegment } from "./archive-segments.js";
import type { VideoUnit } from "./media-unit.js";
import { PartBuilder } from "./part-builder.js";
import { SoundClock } from "./period.js";

/** Segments of one player that are read again at once. */
const READINGS_MAX = 2;
/** How far sound is looked for behind the last picture: it may be recorded a little later. */
const SOUND_BEHIND_US = 500_000;

export interface SegmentRereadingOptions {
  /** Opens the recording at a moment, to end at the live edge. */
  readonly open: (fromUs: number) => ArchiveReading;
  readonly sound: boolean;
}

/** Makes segments again that a player goes back to. */
export class SegmentRereading {
  readonly #options: SegmentRereadingOptions;
  readonly #open = new Set<ArchiveReading>();
  #closed = false;

  constructor(options: SegmentRereadingOptions) {
    this.#options = options;
  }

  /** Undefined when it is no longer recorded. Rejects with NvrdError TOO_MANY_REQUESTS, and as the archive does. */
  async read(segment: ArchiveSegment): Promise<Buffer | undefined> {
    if (this.#closed) return undefined;
    if (this.#open.size >= READINGS_MAX) {
      const message = `${READINGS_MAX} segments are being read for this player already`;
      throw new NvrdError("TOO_MANY_REQUESTS", message, { retryAfterMs: 1000 });
    }
    const reading = this.#options.open(segment.fromUs);
    this.#open.add(reading);
    try {
      return await this.#make(segment, reading);
    } finally {
      this.#open.delete(reading);
      reading.close();
    }
  }

  close(): void {
    this.#closed = true;
    for (const reading of this.#open) reading.close();
  }

  async #make(segment: ArchiveSegment, reading: ArchiveReading): Promise<Buffer | undefined> {
    const { period, fromUs, toUs, sequence } = segment;
    const pictures: VideoUnit[] = [];
    const builder = new PartBuilder(period);
    const clock = period.sound === undefined ? undefined : new SoundClock(period.sound);
    const behindUs = toUs + (clock === undefined ? 0 : SOUND_BEHIND_US);
    for (let isBehind = false; !isBehind; ) {
      const units = await reading.next();
      if (units === undefined) break;
      for (const each of units) {
        isBehind ||= each.kind === "video" && each.unit.decodeTimeUs >= behindUs;
        if (each.kind === "sound") addSound(builder, clock, each, segment);
        else if (each.unit.decodeTimeUs >= fromUs && each.unit.decodeTimeUs < toUs) pictures.push(each.unit);
      }
    }
    if (pictures[0]?.decodeTimeUs !== fromUs) return undefined;
    for (const [index, unit] of pictures.entries())
      builder.addVideo(unit, pictures[index + 1]?.decodeTimeUs ?? toUs);
    return builder.build(sequence + 1).bytes;
  }
}

function addSound(
  builder: PartBuilder,
  clock: SoundClock | undefined,
  { units }: ArchivedUnit & { readonly kind: "sound" },
  { period, fromUs, toUs }: ArchiveSegment,
): void {
  for (const unit of units) {
    if (unit.timeUs < fromUs || unit.timeUs >= toUs) continue;
    const ticks = clock?.place(period.mediaUs(unit.timeUs));
    if (ticks !== undefined) builder.addSound(unit, ticks);
  }
}
