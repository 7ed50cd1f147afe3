import type { ByteBudget } from "../../base/index.js";
import { ARCHIVE_AHEAD_BYTES_MAX, ARCHIVE_SEGMENTS_LISTED } from "./limits.js";
import type { PackageSink } from "./packager.js";
import type { MadePart, SoundSpan } from "./part-builder.js";
import type { Period } from "./period.js";
import { mediaPlaylistText } from "./playlist.js";

/** One segment of a recording, with all that is needed to build it again. */
export interface ArchiveSegment {
  readonly sequence: number;
  readonly period: Period;
  readonly discontinuity: boolean;
  /** Discontinuities of the playlist before it. */
  readonly discontinuities: number;
  /** Decode time of its first picture, and of the first one after it, Unix microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Presentation time of its first picture, Unix microseconds. */
  readonly timeUs: number;
  readonly durationUs: number;
  readonly sound: SoundSpan | undefined;
}

/** The listed segments of a recording, and the bytes of those read ahead. */
export class ArchiveSegments implements PackageSink {
  readonly #segments: ArchiveSegment[] = [];
  /** By sequence. */
  readonly #bytes = new Map<number, Buffer>();
  #heldBytes = 0;
  #isClosed = false;
  #bitsPerSecond = 0;
  #period: Period | undefined;
  #discontinuities = 0;
  #beginsPeriod = false;
  #nextSequence = 0;
  readonly #budget: ByteBudget;

  /** `budget`: for the bytes read ahead for all players. */
  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  get last(): ArchiveSegment | undefined {
    return this.#segments.at(-1);
  }

  /** Of the segment with the highest bit rate so far. */
  get bitsPerSecond(): number {
    return this.#bitsPerSecond;
  }

  find(sequence: number): ArchiveSegment | undefined {
    return this.#segments[sequence - (this.#segments[0]?.sequence ?? 0)];
  }

  init(period: number): readonly Uint8Array[] | undefined {
    const found = this.#segments.find((segment) => segment.period.index === period)?.period;
    return found === undefined ? undefined : [found.init];
  }

  /** Removes and returns the bytes read ahead. */
  take(sequence: number): Buffer | undefined {
    const bytes = this.#bytes.get(sequence);
    if (bytes === undefined) return undefined;
    this.#bytes.delete(sequence);
    this.#heldBytes -= bytes.length;
    this.#budget.giveBack(bytes.length);
    return bytes;
  }

  /** Releases what was read ahead; later parts are not kept. */
  close(): void {
    for (const sequence of [...this.#bytes.keys()]) this.take(sequence);
    this.#isClosed = true;
  }

  /** The playlist up to a segment. `startUs`: the requested time, Unix microseconds. */
  text({ startUs, lastSequence }: { readonly startUs: number; readonly lastSequence: number }): string {
    const [first] = this.#segments;
    const listed = this.#segments.filter(({ sequence }) => sequence <= lastSequence);
    const isWhole = first?.sequence === 0;
    // Playback begins at the requested time within its GOP; if that is in a gap, with the next recorded frame.
    const offsetUs = isWhole
      ? Math.max(0, first.period.mediaUs(startUs) - first.period.mediaUs(first.fromUs))
      : 0;
    return mediaPlaylistText({
      segments: listed.map((segment) => ({ ...segment, period: segment.period.index, parts: [] })),
      discontinuitySequence: first?.discontinuities ?? 0,
      partTargetUs: undefined,
      startUs: Math.min(offsetUs, first?.durationUs ?? 0),
    });
  }

  onPeriod(period: Period): void {
    if (this.#nextSequence > 0) {
      this.#discontinuities += 1;
      this.#beginsPeriod = true;
    }
    this.#period = period;
  }

  onPart(part: MadePart): void {
    const period = this.#period;
    if (period === undefined) return;
    const { fromUs, toUs, timeUs, durationUs, sound, bytes } = part;
    const sequence = this.#nextSequence;
    this.#nextSequence += 1;
    const discontinuity = this.#beginsPeriod;
    this.#beginsPeriod = false;
    const discontinuities = this.#discontinuities;
    const times = { fromUs, toUs, timeUs, durationUs, sound };
    this.#segments.push({ sequence, period, discontinuity, discontinuities, ...times });
    if (this.#segments.length > ARCHIVE_SEGMENTS_LISTED) this.#forget();
    this.#bitsPerSecond = Math.max(this.#bitsPerSecond, (bytes.length * 8e6) / Math.max(1, durationUs));
    const isTooMuch =
      this.#heldBytes + bytes.length > ARCHIVE_AHEAD_BYTES_MAX || !this.#budget.hasRoom(bytes.length);
    if (this.#isClosed || isTooMuch) return;
    this.#budget.take(bytes.length);
    this.#bytes.set(sequence, bytes);
    this.#heldBytes += bytes.length;
  }

  onSegmentEnd(): void {
    // Without parts, each fragment is a segment.
  }

  #forget(): void {
    const oldest = this.#segments.shift();
    if (oldest !== undefined) this.take(oldest.sequence);
  }
}
