import { type Interval, outside, type StreamKey, union } from "../../base/index.js";
import { isKeyFramesFragment } from "../segment/fragment-origin.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { RecordedStretch } from "../segment/types.js";

/** Segments without a key frame that are passed on the way back to one. */
const KEYLESS_SEGMENTS_MAX = 16;

/** A part of a channel's recording that one stream gives. */
export interface JoinedStretch extends RecordedStretch {
  readonly key: StreamKey;
  /** Whether the stream goes on behind `toUs`, where another stream gives the recording. */
  readonly isCut: boolean;
}

interface Position {
  readonly epoch: number;
  readonly timeUs: number;
}

/** A part of a stream's stretch. */
interface Piece extends Interval {
  readonly of: RecordedStretch;
  readonly key: StreamKey;
}

type JoinIndex = Pick<SegmentIndex, "stretches" | "following" | "seek" | "last">;

/**
 * The recordings of a channel's streams as one. Each moment belongs to the first stream in the list that has it. A decoder
 * can begin a stream at its key frames only: where a stream takes over in the middle of its recording, it does so from its
 * last key frame before that, so that nothing is missing. Of what is left as key frames alone only those moments are taken that no
 * stream has whole. Stretches of one epoch do not overlap.
 *
 * Each call looks at the stretches around a moment or within an interval, and at no others.
 */
export class JoinedStretches {
  readonly #index: JoinIndex;
  readonly keys: readonly StreamKey[];

  /** `keys`: the preferred stream first. */
  constructor(index: JoinIndex, keys: readonly StreamKey[]) {
    this.#index = index;
    this.keys = keys;
  }

  /** Those that overlap `[fromUs, toUs)`, not cut to it, in recorded order: epoch, then time. */
  overlapping(fromUs: number, toUs: number): JoinedStretch[] {
    const found = this.keys.map((key) => this.#index.stretches(key, fromUs, toUs));
    const epochs = [...new Set(found.flatMap((stretches) => stretches.map(({ epoch }) => epoch)))];
    return epochs
      .sort((a, b) => a - b)
      .flatMap((epoch) => {
        const own = found.map((stretches) => stretches.filter((stretch) => stretch.epoch === epoch));
        return this.#joined(epoch, own).filter((part) => part.fromUs < toUs && part.toUs > fromUs);
      });
  }

  /** The stretch that holds a moment, of the newest epoch that does. */
  at(timeUs: number): JoinedStretch | undefined {
    return this.overlapping(timeUs, timeUs + 1).at(-1);
  }

  /** The stretch that holds a moment of an epoch, else the one behind it in recorded order. */
  from({ epoch, timeUs }: Position): JoinedStretch | undefined {
    const holder = this.#holding({ epoch, timeUs });
    if (holder !== undefined) return holder;
    let next: Position | undefined;
    for (const key of this.keys) {
      const behind = this.#index.following(key, { segmentId: 0, epoch, fromUs: timeUs });
      if (behind === undefined) continue;
      const isFirst = next === undefined || (behind.epoch - next.epoch || behind.fromUs - next.timeUs) < 0;
      if (isFirst) next = { epoch: behind.epoch, timeUs: behind.fromUs };
    }
    return next === undefined ? undefined : this.#holding(next);
  }

  /** Where reading from a moment on begins: the stretch that holds it, else the one that begins next, in any epoch. */
  startingAt(timeUs: number): JoinedStretch | undefined {
    const holder = this.at(timeUs);
    if (holder !== undefined) return holder;
    let next: Position | undefined;
    for (const key of this.keys) {
      const behind = this.#index.seek(key, timeUs);
      if (behind === undefined || (next !== undefined && behind.fromUs >= next.timeUs)) continue;
      next = { epoch: behind.epoch, timeUs: behind.fromUs };
    }
    return next === undefined ? undefined : this.#holding(next);
  }

  #holding({ epoch, timeUs }: Position): JoinedStretch | undefined {
    const found = this.keys.map((key) =>
      this.#index.stretches(key, timeUs, timeUs + 1).filter((stretch) => stretch.epoch === epoch),
    );
    return this.#joined(epoch, found).find((part) => part.fromUs <= timeUs && part.toUs > timeUs);
  }

  /** What `found` is joined with reaches as far as the longest of it. */
  #joined(epoch: number, found: readonly (readonly RecordedStretch[])[]): JoinedStretch[] {
    let lowUs = Number.POSITIVE_INFINITY;
    let highUs = 0;
    for (const stretches of found) {
      for (const { fromUs, toUs } of stretches) {
        lowUs = Math.min(lowUs, fromUs);
        highUs = Math.max(highUs, toUs);
      }
    }
    if (highUs <= lowUs) return [];
    let taken: readonly Interval[] = [];
    const pieces: Piece[] = [];
    const all = this.keys.flatMap((key, at) => {
      const own = this.#within({ epoch, lowUs, highUs }, key, found[at] ?? []);
      const keys = own.filter(({ id }) => isKeyFramesFragment(id));
      return [
        { key, isWhole: true, stretches: keys.length === 0 ? own : own.filter((one) => !keys.includes(one)) },
        { key, isWhole: false, stretches: keys },
      ];
    });
    all.sort((a, b) => Number(b.isWhole) - Number(a.isWhole));
    for (const { key, stretches } of all) {
      for (const stretch of stretches) {
        for (const part of outside(stretch, taken)) pieces.push({ ...part, of: stretch, key });
      }
      taken = union([...taken, ...stretches]);
    }
    pieces.sort((a, b) => a.fromUs - b.fromUs);
    return this.#beginAtKeys(pieces);
  }

  /** A stream's stretches of an epoch from `lowUs` to `highUs`. One that is as long as all that was found is all there are of its stream. */
  #within(
    { epoch, lowUs, highUs }: { readonly epoch: number; readonly lowUs: number; readonly highUs: number },
    key: StreamKey,
    found: readonly RecordedStretch[],
  ): readonly RecordedStretch[] {
    const [only, ...more] = found;
    if (more.length === 0 && only?.fromUs === lowUs && only.toUs === highUs) return found;
    return this.#index.stretches(key, lowUs, highUs + 1).filter((stretch) => stretch.epoch === epoch);
  }

  /** Each piece from a key frame on; what stands before it ends there. */
  #beginAtKeys(pieces: readonly Piece[]): JoinedStretch[] {
    const joined: Piece[] = [];
    for (const piece of pieces) {
      const keyUs = piece.fromUs === piece.of.fromUs ? piece.fromUs : this.#keyFrameUs(piece);
      let last = joined.at(-1);
      while (last !== undefined && last.toUs > keyUs && last.of !== piece.of) {
        joined.pop();
        if (last.fromUs < keyUs) joined.push({ ...last, toUs: keyUs });
        last = joined.at(-1);
      }
      // What lay between the two parts was shorter than a GOP: the stream goes on through it.
      if (last?.of === piece.of && last.toUs >= keyUs) {
        joined[joined.length - 1] = { ...piece, fromUs: last.fromUs };
      } else joined.push({ ...piece, fromUs: keyUs });
    }
    return joined.map(({ of, key, fromUs, toUs }) => {
      return { key, id: of.id, epoch: of.epoch, fromUs, toUs, isCut: toUs < of.toUs };
    });
  }

  /** The stream's last key frame at or before the piece; where there is none, the piece's beginning. */
  #keyFrameUs({ key, of, fromUs }: Piece): number {
    let timeUs = fromUs;
    for (let passed = 0; passed < KEYLESS_SEGMENTS_MAX && timeUs >= of.fromUs; passed++) {
      const segment = this.#index.last(key, { epoch: of.epoch, fromUs: timeUs });
      const gop = segment?.gops.findLast(({ decodeTimeUs }) => decodeTimeUs <= fromUs);
      if (gop !== undefined) return Math.max(gop.decodeTimeUs, of.fromUs);
      if (segment === undefined) break;
      timeUs = segment.fromUs - 1;
    }
    return fromUs;
  }
}
