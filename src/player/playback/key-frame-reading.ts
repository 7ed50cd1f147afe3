import {
  type ArchiveKey,
  firstFrame,
  type RecordedFile,
  type RecordedPiece,
  type RecordedSegment,
} from "../../archive/index.js";
import { NvrdError, US_PER_MINUTE } from "../../base/index.js";
import { isAudioCodec, type VideoFormat } from "../../live/index.js";
import {
  GAP_US_MIN,
  type PictureUnit,
  type PlaybackArchive,
  type PlaybackReading,
  type PlaybackUnit,
  type RecordingGap,
} from "./playback-reading.js";
import { lastRecordedUs, nextRecordedUs } from "./recorded-around.js";

/** What is looked up in the index at once. */
const WINDOW_US = US_PER_MINUTE;
/** Memory for a key frame to begin with; it grows with the largest. */
const KEY_FRAME_BYTES = 256 * 1024;
/** Memory that is kept after a key frame that needed more. */
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

export interface KeyFrameReadingOptions {
  readonly archive: PlaybackArchive;
  readonly key: ArchiveKey;
  /** The picture shown at this moment comes first. Unix microseconds. */
  readonly fromUs: number;
  readonly direction: "forwards" | "backwards";
  /** Key frames that follow sooner are left out. */
  readonly intervalUsMin: number;
  /** Forwards: it ends with the last one that begins before this moment. */
  readonly untilUs?: number;
}

/** A group of pictures, and where it lies. */
interface Group {
  readonly segment: RecordedSegment;
  readonly piece: RecordedPiece;
}

/**
 * The key frames of a recording, forwards or backwards. The index says where they lie, so that nothing else is read; the
 * group that is being recorded is left out.
 */
export class KeyFrameReading implements PlaybackReading {
  readonly #options: KeyFrameReadingOptions;
  #groups: Group[] = [];
  /** Where the next window begins; backwards, where it ends. */
  #cursorUs: number;
  #isFirstWindow = true;
  #last: RecordedPiece | undefined;
  #open: { readonly segmentId: number; readonly file: RecordedFile } | undefined;
  #memory = new SharedArrayBuffer(KEY_FRAME_BYTES);
  readonly #gone = new AbortController();
  #isOver = false;
  #isReading = false;

  constructor(options: KeyFrameReadingOptions) {
    this.#options = options;
    this.#cursorUs = options.fromUs;
  }

  async next(): Promise<readonly PlaybackUnit[]> {
    this.#isReading = true;
    try {
      while (!this.#isOver) {
        const group = this.#groups.shift() ?? this.#nextWindow();
        if (group === undefined || this.#isBeyond(group)) break;
        const unit = await this.#read(group);
        if (unit !== undefined && !this.#isOver) return [unit];
      }
    } catch (error) {
      // What is read far away is given up when it is closed.
      if (!this.#isOver) throw error;
    } finally {
      this.#isReading = false;
      if (this.#isOver) this.#closeFile();
    }
    this.close();
    return [];
  }

  close(): void {
    this.#isOver = true;
    this.#gone.abort();
    if (!this.#isReading) this.#closeFile();
  }

  #isBeyond({ piece }: Group): boolean {
    const { untilUs } = this.#options;
    return untilUs !== undefined && piece.fromUs >= untilUs;
  }

  get #isForwards(): boolean {
    return this.#options.direction === "forwards";
  }

  /** The first group of the next window that has some; undefined at the end. */
  #nextWindow(): Group | undefined {
    for (;;) {
      const groups = this.#isForwards ? this.#windowForwards() : this.#windowBackwards();
      if (groups === undefined) return undefined;
      const [first, ...rest] = groups;
      if (first === undefined) continue;
      this.#groups = rest;
      return first;
    }
  }

  #windowForwards(): Group[] | undefined {
    const { archive, key } = this.#options;
    const fromUs = this.#cursorUs;
    const toUs = fromUs + WINDOW_US;
    const isFirst = this.#isFirstWindow;
    this.#isFirstWindow = false;
    const groups = this.#groupsOf(fromUs, toUs).filter(
      ({ piece }) => piece.fromUs >= fromUs || (isFirst && piece.toUs > fromUs),
    );
    this.#cursorUs = groups.reduce((endUs, { piece }) => Math.max(endUs, piece.toUs), toUs);
    if (groups.length > 0) return groups;
    const nextUs = nextRecordedUs(archive, key, toUs);
    if (nextUs === undefined) return undefined;
    this.#cursorUs = nextUs;
    return [];
  }

  #windowBackwards(): Group[] | undefined {
    const { archive, key } = this.#options;
    const toUs = this.#cursorUs;
    const fromUs = Math.max(0, toUs - WINDOW_US);
    // The picture that is shown at the moment itself, too.
    const beforeUs = this.#isFirstWindow ? toUs + 1 : toUs;
    this.#isFirstWindow = false;
    const groups = this.#groupsOf(fromUs, beforeUs).filter(({ piece }) => piece.fromUs < beforeUs);
    this.#cursorUs = groups.reduce((startUs, { piece }) => Math.min(startUs, piece.fromUs), fromUs);
    if (groups.length > 0) return groups.reverse();
    const endUs = lastRecordedUs(archive, key, fromUs);
    if (endUs === undefined) return undefined;
    this.#cursorUs = endUs;
    return [];
  }

  /** In order of time. Where the clock was set back and a time was recorded twice, what was recorded last. */
  #groupsOf(fromUs: number, toUs: number): Group[] {
    const { archive, key, intervalUsMin } = this.#options;
    const byEpoch = new Map<number, Group[]>();
    for (const segment of archive.recorded(key, { fromUs, toUs, pieceUsMin: intervalUsMin })) {
      const groups = byEpoch.get(segment.epoch) ?? [];
      byEpoch.set(segment.epoch, groups);
      for (const piece of segment.pieces) if (piece.key) groups.push({ segment, piece });
    }
    const epochs = [...byEpoch.keys()].sort((one, other) => other - one);
    const found: Group[] = [];
    for (const epoch of epochs) {
      const newer = [...found];
      const groups = byEpoch.get(epoch) ?? [];
      found.push(...groups.filter(({ piece }) => !newer.some((other) => overlaps(piece, other.piece))));
    }
    return found.sort((one, other) => one.piece.fromUs - other.piece.fromUs);
  }

  /** Undefined where retention has removed it meanwhile, or it is damaged. */
  async #read({ segment, piece }: Group): Promise<PictureUnit | undefined> {
    const file = await this.#fileOf(segment);
    if (file === undefined) return undefined;
    if (this.#memory.byteLength > KEPT_BYTES_MAX) this.#memory = new SharedArrayBuffer(KEY_FRAME_BYTES);
    const found = await firstFrame(file, piece, this.#memory, ({ codec }) => !isAudioCodec(codec));
    this.#memory = found.memory;
    const { frame } = found;
    if (frame === undefined || !frame.key || frame.undecodable) return undefined;
    const known = file.formats.video;
    const unknown: VideoFormat = {
      codec: frame.codec,
      width: 0,
      height: 0,
      initialization: new Uint8Array(0),
    };
    const gap = this.#gapTo(piece);
    this.#last = piece;
    return {
      kind: "picture",
      format: known?.codec === frame.codec ? known : unknown,
      streamType: segment.key.streamType,
      key: true,
      isUnclean: frame.damaged,
      decodeTimeUs: frame.decodeTimeUs,
      presentationOffsetUs: frame.presentationOffsetUs,
      durationUs: Math.max(1, piece.toUs - piece.fromUs),
      discontinuity: true,
      gap,
      bytes: frame.bytes,
    };
  }

  #gapTo(piece: RecordedPiece): RecordingGap | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const [fromUs, toUs] = this.#isForwards ? [last.toUs, piece.fromUs] : [piece.toUs, last.fromUs];
    return toUs - fromUs >= GAP_US_MIN ? { fromUs, toUs } : undefined;
  }

  async #fileOf(segment: RecordedSegment): Promise<RecordedFile | undefined> {
    const { segmentId } = segment;
    if (this.#open?.segmentId === segmentId) return this.#open.file;
    this.#closeFile();
    try {
      const file = await this.#options.archive.openRecorded(segment, this.#gone.signal);
      this.#open = { segmentId, file };
      return file;
    } catch (error) {
      if (error instanceof NvrdError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  #closeFile(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }
}

function overlaps(one: RecordedPiece, other: RecordedPiece): boolean {
  return one.fromUs < other.toUs && other.fromUs < one.toUs;
}
