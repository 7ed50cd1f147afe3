import { type ByteBudget, type Clock, type Log, NvrdError } from "../../base/index.js";
import {
  type AudioFormat,
  type Frame,
  type FrameSink,
  type LiveStream,
  type Subscription,
  type VideoFormat,
  whyNoFrames,
} from "../../live/index.js";
import { LOST_CAMERA_TIMEOUT_MS } from "../video/first-frame.js";
import {
  BLOCK_MS_MAX,
  SOUND_QUEUE_BYTES_MAX,
  SOUND_WAIT_ALL_MS_MAX,
  SOUND_WAIT_MS_MAX,
  WAITERS_MAX,
} from "./limits.js";
import { isPlayable, type SoundUnit, type VideoUnit } from "./media-unit.js";
import { MediaWindow } from "./media-window.js";
import { Packager } from "./packager.js";
import { type MediaFile, multivariantPlaylistText } from "./playlist.js";
import { type SoundCodec, SoundFeed } from "./sound-feed.js";
import type { PlayerRequest, ReloadRequest } from "./source.js";
import { notPlayable } from "./transcoded-format.js";
import { Waiters } from "./waiters.js";

/** How long a player waits for the first segment; less for a camera that is known not to answer. */
export const FIRST_SEGMENT_TIMEOUT_MS = 10_000;

export interface LivePackagerOptions {
  readonly stream: LiveStream;
  readonly sound: boolean;
  readonly codec: SoundCodec;
  readonly clock: Clock;
  readonly log: Log;
  /** Shared by all packagers. */
  readonly budget: ByteBudget;
}

/** A picture, or sound that is being converted to AAC, in order of arrival. */
interface Waiting {
  readonly video: VideoUnit | undefined;
  sound: readonly SoundUnit[] | undefined;
  readonly sinceUs: number;
  readonly byteLength: number;
}

/**
 * Packages one live stream for all its players. Frames are copied once, so that no slab is held until a part is full;
 * the window limits what is kept. Slow and lost players do not affect it.
 */
export class LivePackager implements FrameSink {
  readonly #options: LivePackagerOptions;
  readonly #packager: Packager;
  readonly #window: MediaWindow;
  readonly #feed: SoundFeed;
  readonly #queue: Waiting[] = [];
  #queueBytes = 0;
  /** When the codec last returned sound. */
  #soundReadyUs = 0;
  /** The sound that is packaged without its units unless they come in this turn; undefined: none has been waited for too long. */
  #lastCall: { readonly of: Waiting; isOver: boolean } | undefined;
  readonly #waiters: Waiters;
  #subscription: Subscription | undefined;
  #needsKey = true;
  #leftOut = false;
  #failure: NvrdError | undefined;
  #closed = false;

  constructor(options: LivePackagerOptions) {
    this.#options = options;
    const { sound, codec, log } = options;
    this.#waiters = new Waiters(options.clock);
    this.#window = new MediaWindow(
      () => this.#packager.partTargetUs,
      () => this.#waiters.look(),
      options.budget,
    );
    this.#packager = new Packager({ sink: this.#window, parts: true, sound, speed: 1 });
    this.#feed = new SoundFeed(codec, log);
  }

  /** Bytes it holds. */
  get byteLength(): number {
    return this.#window.byteLength + this.#queueBytes;
  }

  /** Whether it has failed: a new player needs a new packager. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  start(): void {
    this.#subscription = this.#options.stream.subscribe(this, { fromGop: true, atOnce: true });
    if (this.#closed || this.#failure !== undefined) this.#subscription.close();
  }

  /** Leaves the stream and rejects waiting requests. Calling it twice is harmless. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#fail(new NvrdError("NOT_FOUND", "the stream has ended", { hint: "ask GET /hls for a new name" }));
  }

  onDropped(): void {
    this.#fail(new NvrdError("INTERNAL", "the stream could not be packaged"));
  }

  onFrame(frame: Frame): void {
    if (this.#failure !== undefined) return;
    if (frame.isAudio) this.#takeSound(frame);
    else this.#takePicture(frame);
    this.#pump();
  }

  /** Resolves when a player can begin. Rejects with NvrdError NOT_SUPPORTED or NOT_AVAILABLE. */
  async ready(request: PlayerRequest): Promise<void> {
    const isReady = (): boolean => this.#window.hasSegment;
    if (await this.#wait(request, isReady, LOST_CAMERA_TIMEOUT_MS)) return;
    const { state } = this.#options.stream;
    const restMs = FIRST_SEGMENT_TIMEOUT_MS - LOST_CAMERA_TIMEOUT_MS;
    if (state.state !== "lost" && (await this.#wait(request, isReady, restMs))) return;
    const reason = whyNoFrames(this.#options.stream.state);
    throw new NvrdError("NOT_AVAILABLE", `no complete segment of the stream came in time (${reason})`);
  }

  multivariantPlaylist(uri: string): string {
    const { period, bitsPerSecond } = this.#window;
    const { codecs = "", width = 0, height = 0 } = period ?? {};
    const { framesPerSecond } = this.#packager;
    return multivariantPlaylistText({ codecs, width, height, framesPerSecond, bitsPerSecond }, uri);
  }

  /** As `HlsSource.mediaPlaylist`. */
  async mediaPlaylist(request: PlayerRequest, reload?: ReloadRequest): Promise<Uint8Array> {
    if (reload !== undefined) await this.#wait(request, () => this.#window.holds(reload), BLOCK_MS_MAX);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#window.text;
  }

  /** As `HlsSource.file`; waits for the next part, which the playlist names in advance. */
  async file(file: MediaFile, request: PlayerRequest): Promise<readonly Uint8Array[] | undefined> {
    const known = this.#window.file(file);
    if (known !== undefined || !this.#window.isNextPart(file)) return known;
    await this.#wait(request, () => !this.#window.isNextPart(file), BLOCK_MS_MAX);
    return this.#window.file(file);
  }

  #takePicture(frame: Frame): void {
    if (frame.undecodable || (this.#needsKey && !frame.key)) {
      this.#needsKey = true;
      this.#leftOut = true;
      return;
    }
    const format = frame.format as VideoFormat;
    if (!isPlayable(format.codec)) {
      this.#fail(notPlayable(format.codec));
      return;
    }
    // Who plays already goes on, as decoders do.
    if (this.#window.period === undefined && !this.#options.stream.isEnteredCleanly) {
      this.#fail(new NvrdError("NOT_SUPPORTED", "the stream has no IDR picture where players could begin"));
      return;
    }
    const { decodeTimeUs, presentationOffsetUs, key } = frame;
    const discontinuity = frame.discontinuity || this.#leftOut;
    this.#needsKey = false;
    this.#leftOut = false;
    const bytes = frame.copyBytes();
    this.#enqueue(
      { format, decodeTimeUs, presentationOffsetUs, key, discontinuity, bytes },
      [],
      bytes.length,
    );
  }

  #takeSound(frame: Frame): void {
    if (!this.#options.sound || this.#needsKey) return;
    const bytes = frame.copyBytes();
    const sound = { format: frame.format as AudioFormat, bytes, timeUs: frame.decodeTimeUs };
    const units = this.#feed.convert(sound);
    if (!(units instanceof Promise)) {
      this.#enqueue(undefined, units, bytes.length);
      return;
    }
    const waiting = this.#enqueue(undefined, undefined, bytes.length);
    void units.then((converted) => {
      waiting.sound = converted;
      this.#soundReadyUs = this.#options.clock.monotonicUs();
      this.#pump();
    });
  }

  #enqueue(video: VideoUnit | undefined, sound: Waiting["sound"], byteLength: number): Waiting {
    const waiting: Waiting = { video, sound, sinceUs: this.#options.clock.monotonicUs(), byteLength };
    this.#queue.push(waiting);
    this.#queueBytes += byteLength;
    return waiting;
  }

  /** Packages what is ready; sound that is being converted holds back what follows, for a limited time. */
  #pump(): void {
    for (let [head] = this.#queue; head !== undefined && this.#failure === undefined; [head] = this.#queue) {
      if (head.sound === undefined && this.#shouldWaitForSound(head)) return;
      this.#queue.shift();
      this.#queueBytes -= head.byteLength;
      this.#package(head);
    }
  }

  /**
   * Whether to keep waiting for the sound: the codec returns something now and then. A whole GOP's sound comes at once
   * with the first player.
   */
  #shouldWaitForSound(head: Waiting): boolean {
    const { sinceUs } = head;
    const nowUs = this.#options.clock.monotonicUs();
    const quietUs = nowUs - Math.max(sinceUs, this.#soundReadyUs);
    if (this.#queueBytes > SOUND_QUEUE_BYTES_MAX) return false;
    if (quietUs < SOUND_WAIT_MS_MAX * 1000 && nowUs - sinceUs < SOUND_WAIT_ALL_MS_MAX * 1000) return true;
    return !this.#isHeard(head);
  }

  /**
   * Whether a turn of the event loop has passed since the wait for `head` became too long. The codec's answers come between turns: what
   * it returned while the main thread was held is not late.
   */
  #isHeard(head: Waiting): boolean {
    if (this.#lastCall?.of === head) return this.#lastCall.isOver;
    const call = { of: head, isOver: false };
    this.#lastCall = call;
    setImmediate(() => {
      call.isOver = true;
      this.#pump();
    });
    return false;
  }

  #package({ video, sound = [] }: Waiting): void {
    try {
      if (video !== undefined) this.#packager.video(video);
      for (const unit of sound) this.#packager.audio(unit);
    } catch (error) {
      this.#options.log.warn(
        { stream: this.#options.stream.toString(), err: error },
        "stream cannot be packaged",
      );
      this.#fail(
        error instanceof NvrdError ? error : new NvrdError("INTERNAL", "the stream could not be packaged"),
      );
    }
  }

  /** Resolves with whether `isMet` became true in time, before its player left. Rejects with the failure, or with what `isMet` throws. */
  async #wait(request: PlayerRequest, isMet: () => boolean, timeoutMs: number): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#failure;
    if (isMet()) return true;
    if (this.#waiters.size >= WAITERS_MAX)
      throw new NvrdError("NOT_AVAILABLE", `${WAITERS_MAX} requests wait for this stream already`);
    return await this.#waiters.add(request, isMet, timeoutMs);
  }

  #fail(error: NvrdError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#subscription?.close();
    this.#feed.close();
    this.#window.close();
    this.#queue.length = 0;
    this.#queueBytes = 0;
    this.#waiters.fail(error);
  }
}
