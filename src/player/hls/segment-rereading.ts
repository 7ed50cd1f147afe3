import { NvrdError } from "../../base/index.js";
import type { ArchiveReading } from "./archive-reading.js";
import type { ArchiveSegment } from "./archive-segments.js";
import type { SoundUnit, VideoUnit } from "./media-unit.js";
import { PartBuilder } from "./part-builder.js";

/** Most segments of one player read again at the same time. */
const READINGS_MAX = 2;
/** Sound is read up to this much after the last picture: it may be recorded a little later. */
const SOUND_BEHIND_US = 500_000;
/** Sound is read from this much before the first picture: converted sound came later than its pictures. */
const SOUND_BEFORE_US = 1_000_000;

export interface SegmentRereadingOptions {
  /** Opens the recording at a time, up to the live edge. `keyAtUs`: where transcoded pictures have a key frame. */
  readonly open: (fromUs: number, keyAtUs: number) => ArchiveReading;
}

/** Builds segments again when a player goes back to them. */
export class SegmentRereading {
  readonly #options: SegmentRereadingOptions;
  readonly #open = new Set<ArchiveReading>();
  #closed = false;

  constructor(options: SegmentRereadingOptions) {
    this.#options = options;
  }

  /** Undefined if the recording no longer exists. Rejects with NvrdError TOO_MANY_REQUESTS, and as the archive does. */
  async read(segment: ArchiveSegment): Promise<Buffer | undefined> {
    if (this.#closed) return undefined;
    if (this.#open.size >= READINGS_MAX) {
      const message = `${READINGS_MAX} segments are being read for this player already`;
      throw new NvrdError("TOO_MANY_REQUESTS", message, { retryAfterMs: 1000 });
    }
    const beforeUs = segment.sound === undefined ? 0 : SOUND_BEFORE_US;
    const reading = this.#options.open(segment.fromUs - beforeUs, segment.fromUs);
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
    const { period, fromUs, toUs, sequence, sound } = segment;
    const pictures: VideoUnit[] = [];
    const builder = new PartBuilder(period);
    const behindUs = toUs + (sound === undefined ? 0 : SOUND_BEHIND_US);
    let nextTicks = sound?.fromTicks ?? 0;
    for (let isBehind = false; !isBehind; ) {
      const units = await reading.next();
      if (units === undefined) break;
      for (const each of units) {
        isBehind ||= each.kind === "video" && each.unit.decodeTimeUs >= behindUs;
        if (each.kind === "sound") nextTicks = addSound(builder, segment, each.units, nextTicks);
        else if (each.unit.decodeTimeUs >= fromUs && each.unit.decodeTimeUs < toUs) pictures.push(each.unit);
      }
    }
    if (pictures[0]?.decodeTimeUs !== fromUs) return undefined;
    for (const [index, unit] of pictures.entries())
      builder.addVideo(unit, pictures[index + 1]?.decodeTimeUs ?? toUs);
    return builder.build(sequence + 1).bytes;
  }
}

/**
 * Adds the segment's units of sound at their place in the track, as many as the first time: a restarted encoder divides
 * the sound differently, by less than a unit. Returns the place of the next unit.
 */
function addSound(
  builder: PartBuilder,
  { period, sound }: ArchiveSegment,
  units: readonly SoundUnit[],
  nextTicks: number,
): number {
  let ticks = nextTicks;
  for (const unit of units) {
    const { rate, unitSamples } = unit.track;
    const ownTicks = (period.mediaUs(unit.timeUs) * rate) / 1e6;
    if (sound === undefined || ticks >= sound.toTicks || ownTicks + unitSamples / 2 < ticks) continue;
    builder.addSound(unit, ticks);
    ticks += unitSamples;
  }
  return ticks;
}
