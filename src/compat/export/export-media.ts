import {
  firstFrame,
  type RecordedAccess,
  type RecordedFile,
  type RecordedSegment,
} from "../../archive/index.js";
import { errorText, NvrdError } from "../../base/index.js";
import {
  type AudioFormat,
  Codec,
  isAudioCodec,
  type MediaFormat,
  type VideoFormat,
} from "../../live/index.js";
import { sampleEntry, soundFrameTicks } from "../../player/index.js";

/** One format of a recording, for a movie. */
export interface ExportFormat {
  readonly codec: Codec;
  readonly entry: Buffer;
  /** Video: the size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Sound: samples a second, channels, and ticks of an access unit, undefined for G.711. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly frameTicks: number | undefined;
}

/** The formats in a segment; `refused`: why its video cannot be exported. */
export interface SegmentMedia {
  readonly video: ExportFormat | undefined;
  readonly audio: ExportFormat | undefined;
  readonly refused: string | undefined;
}

/** What is found out of segments, for somebody who may leave. */
interface Run {
  readonly segments: readonly RecordedSegment[];
  readonly media: SegmentMedia[];
  readonly gone: AbortSignal | undefined;
}

/** Number of segments whose formats are cached: two for each run of recording. */
const SEGMENTS_KEPT_MAX = 4096;
/** Memory for the key frame that is searched for parameter sets. */
const KEY_FRAME_BYTES = 256 * 1024;

/**
 * The formats of segments, read from their files and cached for resumed downloads. Of a run of recording, the first and the
 * last segment are read, and those in between only if the two differ.
 */
export class ExportMedia {
  readonly #recordings: RecordedAccess;
  readonly #kept = new Map<number, SegmentMedia>();

  constructor(recordings: RecordedAccess) {
    this.#recordings = recordings;
  }

  /** One for each segment. Rejects like `RecordedAccess.openRecorded`. */
  async of(segments: readonly RecordedSegment[], gone?: AbortSignal): Promise<SegmentMedia[]> {
    const media: SegmentMedia[] = new Array(segments.length);
    const run = { segments, media, gone };
    for (let first = 0; first < segments.length; ) {
      let last = first;
      while (segments[last + 1]?.fragmentId === segments[first]?.fragmentId) last += 1;
      await this.#between(run, first, last);
      first = last + 1;
    }
    return media;
  }

  /** Bisects a run until the ends of each part are equal. */
  async #between(run: Run, first: number, last: number): Promise<void> {
    const a = await this.#at(run, first);
    const b = await this.#at(run, last);
    if (isSame(a, b)) {
      run.media.fill(a, first, last + 1);
      return;
    }
    if (last - first < 2) return;
    const middle = (first + last) >> 1;
    await this.#between(run, first, middle);
    await this.#between(run, middle, last);
  }

  async #at({ segments, media, gone }: Run, at: number): Promise<SegmentMedia> {
    const segment = segments[at];
    if (segment === undefined) throw new RangeError("no such segment");
    const found = media[at] ?? this.#kept.get(segment.segmentId) ?? (await this.#read(segment, gone));
    media[at] = found;
    return found;
  }

  async #read(segment: RecordedSegment, gone: AbortSignal | undefined): Promise<SegmentMedia> {
    const file = await this.#recordings.openRecorded(segment, gone);
    try {
      const { video, audio } = file.formats;
      const made = await makeVideo(video, file, segment);
      const media = { ...made, audio: makeAudio(audio) };
      this.#kept.delete(segment.segmentId);
      this.#kept.set(segment.segmentId, media);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > SEGMENTS_KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
      return media;
    } finally {
      file.close();
    }
  }
}

export function isSameFormat(a: ExportFormat | undefined, b: ExportFormat | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.codec === b.codec && a.sampleRate === b.sampleRate && a.entry.equals(b.entry);
}

function isSame(a: SegmentMedia, b: SegmentMedia): boolean {
  return isSameFormat(a.video, b.video) && isSameFormat(a.audio, b.audio) && a.refused === b.refused;
}

async function makeVideo(
  format: VideoFormat | undefined,
  file: RecordedFile,
  segment: RecordedSegment,
): Promise<Pick<SegmentMedia, "video" | "refused">> {
  if (format === undefined) return { video: undefined, refused: "the codec of the recording is unknown" };
  try {
    const keyFrame = needsKeyFrame(format) ? await firstKeyFrame(file, segment) : undefined;
    const { codec, width, height } = format;
    const sound = { sampleRate: 0, channels: 0, frameTicks: undefined };
    return {
      video: { codec, entry: sampleEntry(format, keyFrame), width, height, ...sound },
      refused: undefined,
    };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { video: undefined, refused: errorText(error) };
  }
}

/** Undefined if the information that players need is missing; then the movie has no sound. */
function makeAudio(format: AudioFormat | undefined): ExportFormat | undefined {
  if (format === undefined) return undefined;
  try {
    const { codec, sampleRate, channels } = format;
    const frameTicks = soundFrameTicks(format);
    return { codec, entry: sampleEntry(format), width: 0, height: 0, sampleRate, channels, frameTicks };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NvrdError && error.code === "NOT_SUPPORTED";
}

function needsKeyFrame(format: MediaFormat): boolean {
  return format.initialization.length === 0 && (format.codec === Codec.H264 || format.codec === Codec.H265);
}

async function firstKeyFrame(file: RecordedFile, segment: RecordedSegment): Promise<Uint8Array | undefined> {
  const piece = segment.pieces.find(({ key }) => key);
  if (piece === undefined) return undefined;
  const memory = new SharedArrayBuffer(KEY_FRAME_BYTES);
  const { frame } = await firstFrame(file, piece, memory, ({ codec }) => !isAudioCodec(codec));
  return frame === undefined ? undefined : Uint8Array.from(frame.bytes);
}
