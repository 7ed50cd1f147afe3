import type { MediaFormat } from "./codec/codec.js";
import type { Frame, RecordedFrame } from "./frame.js";
import type { FrameRecording } from "./frame-recording.js";

/** A row's numbers. */
const DECODE_TIME = 0;
const PRESENTATION_OFFSET = 1;
const BYTES = 2;
const POSITION = 3;
const MARKS = 4;
const COLUMNS = 5;

/** Bits of MARKS. */
const IS_KEY = 1;
const IS_DAMAGED = 2;
const IS_DISCONTINUITY = 4;
/** The row stands for a frame of sound, which is whole in `#sound`. */
const IS_SOUND = 8;

const ROWS_AT_FIRST = 64;
/** Room for so many stays for the next GOP, 40 KiB: as many as a GOP of 40 s has. */
const ROWS_KEPT_MAX = 1024;
const NOTHING = new Float64Array(0);

/** What the rows from `from` on have in common. */
interface Origin {
  readonly from: number;
  readonly format: MediaFormat;
  readonly recording: FrameRecording | undefined;
}

/**
 * The first frames of a GOP, of which memory keeps numbers: an object for each would live for seconds, and V8 would copy it twice and
 * then mark it. Sound among them stays as it is.
 */
export class ReleasedFrames {
  #rows = NOTHING;
  #length = 0;
  #origins: Origin[] = [];
  #origin: Origin | undefined;
  #sound: Frame[] = [];

  get length(): number {
    return this.#length;
  }

  /** Takes a picture's numbers; the caller releases it. */
  addPicture(frame: Frame): void {
    const { format, recording } = frame;
    if (this.#origin?.format !== format || this.#origin.recording !== recording)
      this.#begin({ from: this.#length, format, recording });
    const marks =
      (frame.key ? IS_KEY : 0) |
      (frame.damaged ? IS_DAMAGED : 0) |
      (frame.discontinuity ? IS_DISCONTINUITY : 0);
    const at = this.#addRow(marks);
    const rows = this.#rows;
    rows[at + DECODE_TIME] = frame.decodeTimeUs;
    rows[at + PRESENTATION_OFFSET] = frame.presentationOffsetUs;
    rows[at + BYTES] = frame.byteLength;
    rows[at + POSITION] = frame.recordPosition;
  }

  /** Takes a frame of sound over, with its lease. */
  addSound(frame: Frame): void {
    this.#addRow(IS_SOUND);
    this.#sound.push(frame);
  }

  /** All of them, in order. */
  all(): (RecordedFrame | Frame)[] {
    return this.#with(this.pictures());
  }

  /** The pictures, in order. */
  pictures(): RecordedFrame[] {
    const pictures: RecordedFrame[] = [];
    const origins = this.#origins.values();
    let origin = origins.next().value;
    let next = origins.next().value;
    for (let row = 0; row < this.#length; row++) {
      if (next !== undefined && row >= next.from) {
        origin = next;
        next = origins.next().value;
      }
      if (origin !== undefined && !this.#isSound(row)) pictures.push(this.#picture(row, origin));
    }
    return pictures;
  }

  /** The first one. */
  key(): RecordedFrame | undefined {
    return this.#length === 0 || this.#origins[0] === undefined
      ? undefined
      : this.#picture(0, this.#origins[0]);
  }

  /** All of them with `read` in the places of the pictures; forgets them, and hands over the leases of the sound. */
  takeBack(read: readonly Frame[]): Frame[] {
    const frames = this.#with(read);
    this.#forget();
    return frames;
  }

  /** Forgets the first `count`, and releases the sound among them; answers how many bytes all of these have. */
  removeFirst(count: number): number {
    const rows = this.#rows;
    let bytes = 0;
    for (let row = 0; row < count; row++) {
      const sound = this.#isSound(row) ? this.#sound.shift() : undefined;
      bytes += sound?.byteLength ?? rows[row * COLUMNS + BYTES] ?? 0;
      sound?.release();
    }
    rows.copyWithin(0, count * COLUMNS, this.#length * COLUMNS);
    this.#length -= count;
    this.#origins = this.#origins
      .filter((_, at, all) => (all[at + 1]?.from ?? Number.POSITIVE_INFINITY) > count)
      .map((origin) => ({ ...origin, from: Math.max(0, origin.from - count) }));
    this.#origin = this.#origins.at(-1);
    if (this.#length === 0) this.#forget();
    return bytes;
  }

  /** Forgets them, and releases the sound. */
  drop(): void {
    if (this.#length === 0) return;
    for (const frame of this.#sound) frame.release();
    this.#forget();
  }

  #forget(): void {
    this.#length = 0;
    if (this.#rows.length > ROWS_KEPT_MAX * COLUMNS) this.#rows = NOTHING;
    this.#origins = [];
    this.#origin = undefined;
    if (this.#sound.length > 0) this.#sound = [];
  }

  #begin(origin: Origin): void {
    this.#origin = origin;
    this.#origins.push(origin);
  }

  /** Where the new row begins. */
  #addRow(marks: number): number {
    const at = this.#length * COLUMNS;
    if (at === this.#rows.length) this.#grow();
    this.#rows[at + MARKS] = marks;
    this.#length += 1;
    return at;
  }

  #grow(): void {
    const rows = new Float64Array(Math.max(ROWS_AT_FIRST * COLUMNS, 2 * this.#rows.length));
    rows.set(this.#rows);
    this.#rows = rows;
  }

  #isSound(row: number): boolean {
    return ((this.#rows[row * COLUMNS + MARKS] ?? 0) & IS_SOUND) !== 0;
  }

  #with<Picture>(pictures: readonly Picture[]): (Picture | Frame)[] {
    const frames: (Picture | Frame)[] = [];
    let picturesUsed = 0;
    let soundUsed = 0;
    for (let row = 0; row < this.#length; row++) {
      const frame = this.#isSound(row) ? this.#sound[soundUsed++] : pictures[picturesUsed++];
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  #picture(row: number, { format, recording }: Origin): RecordedFrame {
    const at = row * COLUMNS;
    const rows = this.#rows;
    const marks = rows[at + MARKS] ?? 0;
    return {
      format,
      recording,
      decodeTimeUs: rows[at + DECODE_TIME] ?? 0,
      presentationOffsetUs: rows[at + PRESENTATION_OFFSET] ?? 0,
      byteLength: rows[at + BYTES] ?? 0,
      recordPosition: rows[at + POSITION] ?? 0,
      key: (marks & IS_KEY) !== 0,
      damaged: (marks & IS_DAMAGED) !== 0,
      discontinuity: (marks & IS_DISCONTINUITY) !== 0,
      undecodable: false,
      isAudio: false,
    };
  }
}
