import {
  type ArchiveAccess,
  type ArchivedFrame,
  type ArchiveKey,
  type ArchiveReader,
  whenKnown,
} from "../../archive/index.js";
import { type Clock, type Log, NvrdError } from "../../base/index.js";
import { isAudioCodec, type MediaFormat, type Subscription } from "../../live/index.js";
import type {
  MountDescription,
  MountSource,
  Playback,
  PlayOrder,
  Recording,
} from "../../rtsp/server/index.js";
import { PlaybackFormats } from "../video/playback-formats.js";
import {
  nearestRecordedUs,
  nothingRecordedOf,
  RECORDED_HINT,
  requireKnown,
} from "../viewing/known-recordings.js";
import { RtspPlayback } from "./rtsp-playback.js";
import type { RtspViewer } from "./rtsp-viewer.js";

/** Requested sound is searched in this much of the recording. */
export const SOUND_LOOK_US = 2_000_000;
/** A section that ended less than this ago is still being recorded. */
const RECORDING_LAG_US = 5_000_000;
/** Maximum distance of a section's last frame from its end, in frame durations. */
const FRAME_LENGTHS_MAX = 1.5;
/** Less than the timeout of DESCRIBE in the RTSP server. */
const FIRST_FRAME_TIMEOUT_MS = 9000;

export interface RtspRecordingOptions {
  readonly viewing: RtspViewer;
  /** What is played. */
  readonly of: ArchiveKey;
  readonly archive: ArchiveAccess;
  /** 0 of normal play time: Unix microseconds. */
  readonly startUs: number;
  /** Whether the URL has no start: the whole recording, with times by the wall clock. */
  readonly byClock: boolean;
  /** The URL's speed, used if PLAY has no Scale. */
  readonly scale: number;
  /** Whether the channel still exists. */
  readonly exists: () => boolean;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** A recording over RTSP. Each DESCRIBE and PLAY uses a separate reader. */
export class RtspRecording implements MountSource, Recording {
  readonly startUs: number;
  readonly scale: number;
  readonly byClock: boolean;
  readonly #options: RtspRecordingOptions;
  #video: MediaFormat | undefined;

  constructor(options: RtspRecordingOptions) {
    this.#options = options;
    this.startUs = options.startUs;
    this.scale = options.scale;
    this.byClock = options.byClock;
  }

  get recording(): Recording {
    return this;
  }

  extent(): ReturnType<Recording["extent"]> {
    return this.#known(() => this.#extent());
  }

  #extent(): { readonly fromUs: number; readonly toUs: number } | undefined {
    const { archive, of, clock } = this.#options;
    if (archive.indexFault() !== undefined) return undefined;
    const fromUs = archive.nearestFrameUs(of, 0);
    const newestUs = archive.nearestFrameUs(of, clock.nowUs());
    if (fromUs === undefined || newestUs === undefined) return undefined;
    const newest = archive.fragments(of, newestUs, newestUs + 1).at(-1);
    return { fromUs, toUs: Math.max(newest?.toUs ?? newestUs, newestUs) };
  }

  /** Rejects with NvrdError NOT_FOUND if nothing is recorded there, FORBIDDEN for formats that are switched off for RTSP. */
  async describe(): Promise<MountDescription> {
    const { viewing } = this.#options;
    const { wantsSound: sound } = viewing;
    const reader = await this.#read(this.startUs, { sound, endsAtEdge: true });
    let formats: readonly MediaFormat[];
    try {
      formats = await this.#look(reader, sound);
    } finally {
      reader.close();
    }
    const [video] = formats;
    viewing.requireServed(video);
    this.#video = video;
    return { title: viewing.title, formats };
  }

  /** Video first, then sound if it is requested and follows soon. */
  async #look(reader: ArchiveReader, sound: boolean): Promise<readonly MediaFormat[]> {
    const formats = new PlaybackFormats();
    let video: MediaFormat | undefined;
    let audio: MediaFormat | undefined;
    for (let untilUs = Number.POSITIVE_INFINITY; ; ) {
      const frames = await this.#next(reader);
      if (frames.length === 0 && video === undefined) throw nothingRecorded();
      for (const frame of frames) {
        if (isAudioCodec(frame.codec)) audio ??= formats.audio(frame);
        else video ??= formats.video(frame);
        untilUs = Math.min(untilUs, frame.decodeTimeUs + SOUND_LOOK_US);
      }
      const isEnough = video !== undefined && (!sound || audio !== undefined);
      const newestUs = frames.at(-1)?.decodeTimeUs ?? Number.POSITIVE_INFINITY;
      if (isEnough || newestUs > untilUs) return [video, audio].filter((format) => format !== undefined);
    }
  }

  admit(): Promise<void> {
    return this.#options.viewing.admit();
  }

  async play(order: PlayOrder): Promise<Playback> {
    const { viewing, clock, log } = this.#options;
    const sound = viewing.wantsSound && order.scale === 1;
    const reader = await this.#read(order.fromUs, { sound, endsAtEdge: false });
    let first: readonly ArchivedFrame[];
    try {
      first = await this.#next(reader);
      if (first.length === 0) throw nothingRecorded();
    } catch (error) {
      reader.close();
      throw error;
    }
    return new RtspPlayback({
      reader,
      first,
      order,
      codec: this.#video?.codec,
      endsSection: (decodeTimeUs, frameUs) => this.#endsSection(decodeTimeUs, frameUs),
      enter: (sink) => viewing.enter(sink, this.#video, this.#options.exists),
      clock,
      log,
    });
  }

  /** Not used: a recording is played with `play`. */
  open(): Subscription {
    throw new Error("a recording is played, not opened");
  }

  /**
   * Waits for what is recorded to be known. Rejects with NvrdError NOT_FOUND if nothing is, NOT_AVAILABLE if that cannot be known now or
   * too many readers are open.
   */
  #read(fromUs: number, how: { sound: boolean; endsAtEdge: boolean }): Promise<ArchiveReader> {
    return this.#known(() => this.#open(fromUs, how));
  }

  #open(askedUs: number, { sound, endsAtEdge }: { sound: boolean; endsAtEdge: boolean }): ArchiveReader {
    const { archive, of } = this.#options;
    requireKnown(archive, of, askedUs);
    const fromUs = nearestRecordedUs(archive, of, askedUs);
    if (fromUs === undefined) throw nothingRecordedOf(of);
    return archive.read(of, { fromUs, videoOnly: !sound, endsAtEdge });
  }

  #known<T>(ask: () => T): Promise<T> {
    const { clock, gone } = this.#options;
    return whenKnown(ask, clock, { gone: () => gone });
  }

  /** Empty at the live edge, and when the client is gone. */
  async #next(reader: ArchiveReader): Promise<readonly ArchivedFrame[]> {
    const { clock, gone } = this.#options;
    const close = (): void => reader.close();
    const timer = clock.setTimeout(close, FIRST_FRAME_TIMEOUT_MS);
    gone.addEventListener("abort", close, { once: true });
    if (gone.aborted) close();
    try {
      return await reader.next();
    } finally {
      timer.clear();
      gone.removeEventListener("abort", close);
    }
  }

  /** Whether a finished section ends within one frame of this time; false where what is recorded cannot be known now. */
  async #endsSection(decodeTimeUs: number, frameUs: number): Promise<boolean> {
    try {
      return await this.#known(() => this.#isSectionEnd(decodeTimeUs, frameUs));
    } catch (error) {
      // A mark alone: the viewer gets an error where the next picture cannot be read.
      if (error instanceof NvrdError && error.code === "NOT_AVAILABLE") return false;
      throw error;
    }
  }

  #isSectionEnd(decodeTimeUs: number, frameUs: number): boolean {
    const { archive, of, clock } = this.#options;
    const section = archive.fragments(of, decodeTimeUs, decodeTimeUs + 1).at(-1);
    if (section === undefined || section.toUs - decodeTimeUs > frameUs * FRAME_LENGTHS_MAX) return false;
    const nowUs = clock.nowUs();
    if (section.toUs <= nowUs - RECORDING_LAG_US) return true;
    // One that ended a moment ago may go on, unless another one has begun.
    return archive.fragments(of, section.toUs, nowUs).some(({ fromUs }) => fromUs > section.toUs);
  }
}

function nothingRecorded(): NvrdError {
  return new NvrdError("NOT_FOUND", "nothing is recorded at or after the start", { hint: RECORDED_HINT });
}
