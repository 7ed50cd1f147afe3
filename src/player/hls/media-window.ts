import { type ByteBudget, NvrdError } from "../../base/index.js";
import { LISTED_US, PACKAGER_BYTES_MAX, UNLISTED_US } from "./limits.js";
import type { PackageSink } from "./packager.js";
import type { MadePart } from "./part-builder.js";
import type { Period } from "./period.js";
import { type ListedSegment, type MediaFile, mediaPlaylistText } from "./playlist.js";
import type { ReloadRequest } from "./source.js";

/** A player requests the next segment, or the one after it if the next one has just ended. */
const SEGMENTS_AHEAD_MAX = 2;

interface WindowSegment {
  readonly sequence: number;
  readonly period: Period;
  readonly discontinuity: boolean;
  /** Discontinuities of the stream before it. */
  readonly discontinuities: number;
  readonly parts: MadePart[];
  durationUs: number;
  byteLength: number;
  whole: boolean;
}

/** The newest segments of a live stream: those in the playlist, and for a while those that have left it. */
export class MediaWindow implements PackageSink {
  readonly #segments: WindowSegment[] = [];
  readonly #partTargetUs: () => number | undefined;
  readonly #onChange: () => void;
  readonly #budget: ByteBudget;
  #period: Period | undefined;
  #discontinuities = 0;
  #beginsPeriod = false;
  #nextSequence = 0;
  #byteLength = 0;
  #text: Buffer | undefined;

  /**
   * `partTargetUs`: the current value; undefined if no parts are listed. `onChange`: called when more can be fetched.
   * `budget`: shared by all windows.
   */
  constructor(partTargetUs: () => number | undefined, onChange: () => void, budget: ByteBudget) {
    this.#partTargetUs = partTargetUs;
    this.#onChange = onChange;
    this.#budget = budget;
  }

  /** Drops everything; the window is not used again. */
  close(): void {
    this.#budget.giveBack(this.#byteLength);
    this.#byteLength = 0;
    this.#segments.length = 0;
  }

  /** Whether a player that does not support parts can begin. */
  get hasSegment(): boolean {
    return this.#segments[0]?.whole === true;
  }

  /** The newest. */
  get period(): Period | undefined {
    return this.#segments.at(-1)?.period;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Of the held segment with the highest bit rate. */
  get bitsPerSecond(): number {
    const rates = this.#segments.map(
      ({ byteLength, durationUs }) => (byteLength * 8e6) / Math.max(1, durationUs),
    );
    return Math.max(0, ...rates);
  }

  /** The current media playlist; the same bytes until it changes. */
  get text(): Buffer {
    this.#text ??= Buffer.from(mediaPlaylistText(this.#playlist()));
    return this.#text;
  }

  onPeriod(period: Period): void {
    if (this.#nextSequence > 0) {
      this.#discontinuities += 1;
      this.#beginsPeriod = true;
    }
    this.#period = period;
  }

  onPart(part: MadePart): void {
    const segment = this.#growing();
    if (segment === undefined) return;
    segment.parts.push(part);
    segment.durationUs += part.durationUs;
    segment.byteLength += part.bytes.length;
    this.#byteLength += part.bytes.length;
    this.#budget.take(part.bytes.length);
    this.#changed();
  }

  onSegmentEnd(): void {
    const last = this.#segments.at(-1);
    if (last === undefined || last.whole) return;
    last.whole = true;
    this.#changed();
  }

  /**
   * Whether the playlist has the requested segment or part, or a later one. Throws NvrdError BAD_REQUEST if it is too
   * far ahead.
   */
  holds({ sequence, part }: ReloadRequest): boolean {
    const whole = this.#nextSequence - (this.#segments.at(-1)?.whole === false ? 1 : 0);
    if (sequence >= whole + SEGMENTS_AHEAD_MAX) {
      throw new NvrdError(
        "BAD_REQUEST",
        `_HLS_msn ${sequence} is too far ahead: the next segment is ${whole}`,
      );
    }
    if (part === undefined || this.#partTargetUs() === undefined) return sequence < whole;
    const segment = this.#segments.find((candidate) => candidate.sequence === sequence);
    if (segment === undefined) return sequence < whole;
    if (part < segment.parts.length) return true;
    // A part after the last one of a whole segment means the first one of the next.
    return segment.whole && (sequence + 1 < whole || (this.#segments.at(-1)?.sequence ?? 0) > sequence);
  }

  /** The file's bytes, in pieces; undefined if it does not exist. */
  file(file: MediaFile): readonly Uint8Array[] | undefined {
    if (file.kind === "init") {
      const period = this.#segments.find((segment) => segment.period.index === file.period)?.period;
      return period === undefined ? undefined : [period.init];
    }
    const segment = this.#segments.find((candidate) => candidate.sequence === file.sequence);
    if (file.kind === "segment")
      return segment?.whole === true ? segment.parts.map(({ bytes }) => bytes) : undefined;
    const part = segment?.parts[file.part];
    return part === undefined ? undefined : [part.bytes];
  }

  /** Whether the file is the next part, which is still expected. */
  isNextPart(file: MediaFile): boolean {
    if (file.kind !== "part" || this.#partTargetUs() === undefined) return false;
    const last = this.#segments.at(-1);
    if (last !== undefined && !last.whole)
      return file.sequence === last.sequence && file.part === last.parts.length;
    return file.sequence === this.#nextSequence && file.part === 0;
  }

  #growing(): WindowSegment | undefined {
    const last = this.#segments.at(-1);
    if (last !== undefined && !last.whole) return last;
    const period = this.#period;
    if (period === undefined) return undefined;
    const segment: WindowSegment = {
      sequence: this.#nextSequence,
      period,
      discontinuity: this.#beginsPeriod,
      discontinuities: this.#discontinuities,
      parts: [],
      durationUs: 0,
      byteLength: 0,
      whole: false,
    };
    this.#nextSequence += 1;
    this.#beginsPeriod = false;
    this.#segments.push(segment);
    return segment;
  }

  #changed(): void {
    this.#text = undefined;
    this.#forget();
    this.#onChange();
  }

  /**
   * Drops the oldest segments: those that have been listed and fetchable long enough, and as many as the limit on bytes
   * requires.
   */
  #forget(): void {
    const segments = this.#segments;
    while (segments.length > 1) {
      const [oldest] = segments;
      if (oldest === undefined) return;
      const isExcess = this.#byteLength > PACKAGER_BYTES_MAX || this.#budget.isExceeded;
      const behindUs = this.#durationUs(1);
      if (!isExcess && (behindUs < LISTED_US + UNLISTED_US || this.#firstListed() === 0)) return;
      this.#byteLength -= oldest.byteLength;
      this.#budget.giveBack(oldest.byteLength);
      segments.shift();
    }
  }

  /** Of the segments from index `from` on. */
  #durationUs(from: number): number {
    let sum = 0;
    for (let index = from; index < this.#segments.length; index += 1)
      sum += this.#segments[index]?.durationUs ?? 0;
    return sum;
  }

  /** Index of the first listed segment: the list then has at least LISTED_US, and a key frame. */
  #firstListed(): number {
    const segments = this.#segments;
    let first = segments.length - 1;
    for (let durationUs = segments[first]?.durationUs ?? 0; first > 0 && durationUs < LISTED_US; ) {
      first -= 1;
      durationUs += segments[first]?.durationUs ?? 0;
    }
    const newestKey = segments.findLastIndex(({ parts }) => parts.some(({ independent }) => independent));
    return Math.max(0, newestKey < 0 ? first : Math.min(first, newestKey));
  }

  #playlist() {
    const listed = this.#segments.slice(this.#firstListed());
    const partTargetUs = this.#partTargetUs();
    const partsFrom = partTargetUs === undefined ? listed.length : firstWithParts(listed);
    const whole = partTargetUs === undefined ? listed.filter((segment) => segment.whole) : listed;
    return {
      segments: whole.map((segment, index) => listedSegment(segment, index >= partsFrom)),
      discontinuitySequence: listed[0]?.discontinuities ?? 0,
      partTargetUs,
    };
  }
}

/**
 * Parts are listed for the newest segments (rfc8216bis, 6.2.2: three target durations), at least from the newest key
 * frame on.
 */
function firstWithParts(listed: readonly WindowSegment[]): number {
  let first = listed.length - 1;
  for (let durationUs = 0; first > 0; first -= 1) {
    durationUs += listed[first]?.durationUs ?? 0;
    if (durationUs >= PARTS_LISTED_US) break;
  }
  const newestKey = listed.findLastIndex(({ parts }) => parts.some(({ independent }) => independent));
  return newestKey < 0 ? first : Math.min(first, newestKey);
}

/** A little less than the duration of the list. */
const PARTS_LISTED_US = LISTED_US - 2_000_000;

function listedSegment(segment: WindowSegment, hasParts: boolean): ListedSegment {
  const { sequence, period, discontinuity, parts, durationUs, whole } = segment;
  return {
    sequence,
    period: period.index,
    discontinuity,
    timeUs: parts[0]?.timeUs ?? 0,
    durationUs: whole ? durationUs : undefined,
    parts: hasParts
      ? parts.map((part) => ({ durationUs: part.durationUs, independent: part.independent }))
      : [],
  };
}
