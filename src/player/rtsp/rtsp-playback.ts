import type { ArchivedFrame, ArchiveReader } from "../../archive/index.js";
import { type Clock, errorText, type Log } from "../../base/index.js";
import { Frame, isAudioCodec, type MediaFormat, type Subscription } from "../../live/index.js";
import type { Playback, PlaybackSink, PlayOrder } from "../../rtsp/server/index.js";
import { FrameGate } from "../video/frame-gate.js";
import { PlaybackFormats } from "../video/playback-formats.js";
import { PlaybackPace, Waker } from "../video/playback-pace.js";

/** At the live edge a playback ends after waiting this long for more frames. */
export const EDGE_WAIT_MS = 10_000;
/** A playback later than this continues from its present position instead of catching up in a burst. */
const LATE_MS_MAX = 1000;
/** Assumed frame duration if there is no other frame to compute it. */
const FRAME_US_ASSUMED = 40_000;
/** Above this scale only key frames are sent, to limit the load on player, disk and network. */
export const ALL_FRAMES_SCALE_MAX = 4;

export interface RtspPlaybackOptions {
  readonly reader: ArchiveReader;
  /** The first frames from the reader; not empty. */
  readonly first: readonly ArchivedFrame[];
  readonly order: PlayOrder;
  /** Codec of the described video; another one ends the playback. */
  readonly codec: number | undefined;
  /** Whether a recorded section ends with the frame at this decode time, given the frame duration. */
  readonly endsSection: (decodeTimeUs: number, frameUs: number) => Promise<boolean>;
  /** Registers the viewer; returns a function that removes it. */
  readonly enter: (sink: PlaybackSink) => () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** One PLAY of a recording: reads as fast as the viewer takes it, paced by the frames' times, without waiting in gaps. */
export class RtspPlayback implements Playback {
  readonly firstUs: number;
  readonly #options: RtspPlaybackOptions;
  readonly #gate = new FrameGate(true);
  readonly #pace: PlaybackPace;
  readonly #waker: Waker;
  readonly #formats = new PlaybackFormats();
  readonly #keyOnly: boolean;
  #leave: (() => void) | undefined;
  #isFirst: boolean;
  #keyUs = Number.NEGATIVE_INFINITY;
  #over = false;
  #awaitsRoom = false;
  #closed = false;

  constructor(options: RtspPlaybackOptions) {
    this.#options = options;
    const { order, first, clock } = options;
    const { afterUs = Number.NEGATIVE_INFINITY } = order;
    const begin = first.find((frame) => frame.decodeTimeUs > afterUs);
    this.firstUs = begin === undefined ? order.fromUs : begin.decodeTimeUs + begin.presentationOffsetUs;
    this.#isFirst = order.afterUs === undefined;
    this.#keyOnly = order.frames.keyOnly || order.scale > ALL_FRAMES_SCALE_MAX;
    const speed = order.scale * order.speed;
    this.#pace = new PlaybackPace({ startUs: 0, speed, lateMsMax: LATE_MS_MAX });
    this.#waker = new Waker(clock);
  }

  start(sink: PlaybackSink): Subscription {
    this.#leave = this.#options.enter(sink);
    // Only while waiting for room; a wait for a frame's time is not shortened.
    sink.onRoom = () => {
      if (this.#awaitsRoom) this.#waker.wake();
    };
    this.#play(sink).then(
      () => {
        if (!this.#closed) sink.onFinished();
      },
      (error: unknown) => {
        if (this.#closed) return;
        this.#options.log.warn({ reason: errorText(error) }, "RTSP playback ended by an archive error");
        sink.onEnd("the archive cannot be read");
      },
    );
    return { close: () => this.close() };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.reader.close();
    this.#waker.stop();
    this.#leave?.();
  }

  async #play(sink: PlaybackSink): Promise<void> {
    let frames = this.#options.first;
    while (!this.#isOver && frames.length > 0) {
      const sectionEndUs = await this.#sectionEndUs(frames);
      for (const frame of frames) {
        if (this.#isOver) return;
        await this.#meet(sink, frame, sectionEndUs);
      }
      frames = this.#isOver ? [] : await this.#next();
    }
  }

  get #isOver(): boolean {
    return this.#over || this.#closed;
  }

  /** Empty if no frame follows within `EDGE_WAIT_MS`. */
  async #next(): Promise<readonly ArchivedFrame[]> {
    const { reader, clock } = this.#options;
    const sinceUs = clock.monotonicUs();
    const timer = clock.setTimeout(() => reader.close(), EDGE_WAIT_MS);
    const frames = await reader.next().finally(() => timer.clear());
    // Frames that were waited for are due at once.
    if (clock.monotonicUs() - sinceUs > LATE_MS_MAX * 1000) this.#pace.startAnew();
    return frames;
  }

  async #meet(sink: PlaybackSink, frame: ArchivedFrame, sectionEndUs: number | undefined): Promise<void> {
    const { order, codec, clock } = this.#options;
    if (!this.#gate.admit(frame) || this.#isLeftOut(frame)) return;
    if (order.toUs !== undefined && frame.decodeTimeUs >= order.toUs) {
      this.#over = true;
      return;
    }
    const isAudio = isAudioCodec(frame.codec);
    if (!isAudio && codec !== undefined && frame.codec !== codec) {
      this.#options.log.info("RTSP playback ended: the recording continues with another codec");
      this.#over = true;
      return;
    }
    const format: MediaFormat | undefined = isAudio ? this.#formats.audio(frame) : this.#formats.video(frame);
    if (format === undefined) return;
    if (order.rateControl) await this.#wait(this.#pace.waitMs(frame, clock.monotonicUs()));
    await this.#room(sink);
    if (this.#closed) return;
    const isJump = this.#isFirst || frame.startsFragment;
    this.#isFirst = false;
    if (!isAudio && frame.key) this.#keyUs = frame.decodeTimeUs;
    hand(sink, frame, format, { isJump, endsSection: !isAudio && frame.decodeTimeUs === sectionEndUs });
  }

  async #room(sink: PlaybackSink): Promise<void> {
    while (sink.isBusy && !this.#closed) {
      this.#awaitsRoom = true;
      await this.#waker.pause();
      this.#awaitsRoom = false;
    }
  }

  async #wait(ms: number): Promise<void> {
    if (ms >= 1) await this.#waker.sleep(ms);
  }

  /** Whether a frame is skipped: the client already has it, or it requested only some key frames. */
  #isLeftOut({ codec, key, decodeTimeUs }: ArchivedFrame): boolean {
    const { afterUs = Number.NEGATIVE_INFINITY, frames } = this.#options.order;
    if (decodeTimeUs <= afterUs) return true;
    if (!this.#keyOnly) return false;
    return isAudioCodec(codec) || !key || decodeTimeUs - this.#keyUs < frames.intervalUs;
  }

  /** Decode time of the picture in `frames` that ends a section: sections end where a read ends. */
  async #sectionEndUs(frames: readonly ArchivedFrame[]): Promise<number | undefined> {
    const pictures = frames.filter((frame) => !isAudioCodec(frame.codec));
    const [last, before] = [pictures.at(-1), pictures.at(-2)];
    if (last === undefined) return undefined;
    const frameUs = before === undefined ? FRAME_US_ASSUMED : last.decodeTimeUs - before.decodeTimeUs;
    return (await this.#options.endsSection(last.decodeTimeUs, frameUs)) ? last.decodeTimeUs : undefined;
  }
}

/** The bytes belong to the reader; the frame is finished when the sink has packetized it. */
function hand(
  sink: PlaybackSink,
  frame: ArchivedFrame,
  format: MediaFormat,
  mark: { readonly isJump: boolean; readonly endsSection: boolean },
): void {
  const { decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, bytes } = frame;
  const discontinuity = mark.isJump;
  const ranges = [{ slab: undefined, bytes }];
  const times = { decodeTimeUs, presentationOffsetUs };
  const handed = new Frame({ format, ...times, key, damaged, undecodable, discontinuity, ranges });
  sink.onRecorded(handed, mark);
  handed.release();
}
