import type { Clock, ClockTimer, Log, NvrdError } from "../../base/index.js";
import {
  type AudioFormat,
  type Frame,
  type FrameSink,
  isAudioCodec,
  type LiveStream,
  type Subscription,
} from "../../live/index.js";
import { isPlainG711 } from "../../picture/index.js";
import { FIRST_BOUNDARY, type Part } from "../parts/multipart.js";
import type { PartSink } from "../parts/part-sink.js";
import { limitFirstFrame } from "./first-frame.js";
import { FrameGate } from "./frame-gate.js";
import { partOfFrame } from "./frame-parts.js";
import type { ConvertedSound, LiveSound, LiveSounds } from "./live-sound.js";

/**
 * Maximum size of the frames leased by a slow viewer; one frame is always accepted. The initial GOP (GOP_BYTES_MAX, also held
 * by the stream) does not count.
 */
export const VIEWER_QUEUE_BYTES_MAX = 4 * 1024 * 1024;
/** A viewer further behind than this loses frames up to the next key frame. */
export const VIEWER_BEHIND_MS_MAX = 5000;
/** How long a request waits for its first frame before it is answered 503. */
export const FIRST_FRAME_TIMEOUT_MS = 10_000;
/** A stream without a frame for this long ends, so that dead peers and lost cameras are detected. */
export const SILENCE_TIMEOUT_MS = 60_000;
/** Pictures wait for earlier sound in conversion, as long as the codec returns output at least this often. */
export const SOUND_WAIT_MS_MAX = 100;
/** Maximum total wait (for the sound of a whole group of pictures, when a viewer begins); then they overtake it. */
export const SOUND_WAIT_ALL_MS_MAX = 500;
/** Sound that takes longer than this to convert is dropped. */
export const SOUND_LATE_MS_MAX = 2000;

export interface LiveVideoOptions {
  readonly stream: LiveStream;
  readonly sounds: LiveSounds;
  readonly sound: boolean;
  /** Opens the answer when there is a first frame; undefined if the client has disconnected. */
  readonly open: () => PartSink | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Waiting {
  readonly frame: Frame;
  /** The part to send, possibly after conversion. */
  readonly source: { readonly part: Part | undefined };
  readonly sinceUs: number;
  /** Its share of the viewer's limit. */
  readonly countedBytes: number;
}

/**
 * One viewer of a live stream. Frames are leased, never copied. Unsent frames wait in a queue bounded in bytes and time; beyond
 * the bound the queue is dropped, and the viewer continues at the next key frame.
 */
export class LiveVideo implements FrameSink {
  readonly #options: LiveVideoOptions;
  readonly #gate: FrameGate;
  readonly #queue: Waiting[] = [];
  #queueBytes = 0;
  #sending: Frame | undefined;
  #response: PartSink | undefined;
  #subscription: Subscription | undefined;
  #timer: ClockTimer | undefined;
  #lastFrameUs = 0;
  #sound: LiveSound | undefined;
  /** When the codec last returned sound. */
  #soundReadyUs = 0;
  #stopped = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: NvrdError) => void } | undefined;

  constructor(options: LiveVideoOptions) {
    this.#options = options;
    this.#gate = new FrameGate(options.sound);
  }

  /**
   * Subscribes; resolves when the answer has begun, or the viewer was stopped first. Rejects with NvrdError
   * NOT_AVAILABLE, with the stream's reason, if there is no frame in time.
   */
  start(): Promise<void> {
    const { stream } = this.#options;
    const started = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#timer = limitFirstFrame({ ...this.#options, withinMs: FIRST_FRAME_TIMEOUT_MS }, (error) =>
      this.#refuse(error),
    );
    const subscription = stream.subscribe(this, { fromGop: true, atOnce: true });
    // The current GOP may have been delivered during the call, possibly to a client that has disconnected.
    if (this.#stopped) subscription.close();
    else this.#subscription = subscription;
    return started;
  }

  /** Releases all leases and ends the answer. May be called repeatedly. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.clear();
    this.#subscription?.close();
    this.#response?.end();
    this.#dropQueue();
    this.#sending?.release();
    this.#sending = undefined;
    if (this.#sound !== undefined) this.#options.sounds.leave(this.#options.stream);
    this.#settle?.resolve();
  }

  onDropped(): void {
    this.stop();
  }

  onFrame(frame: Frame, isKept: boolean): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    if (!frame.isAudio) this.#lastFrameUs = clock.monotonicUs();
    if (!this.#admits(frame)) return;
    if (this.#response === undefined && !this.#open()) return;
    if (!isKept && this.#tooFarBehind(frame)) {
      this.#dropQueue();
      this.#gate.shut();
      return;
    }
    frame.retain();
    const countedBytes = isKept ? 0 : frame.byteLength;
    const entry = { frame, source: this.#sourceOf(frame), sinceUs: clock.monotonicUs(), countedBytes };
    this.#queue.push(entry);
    this.#queueBytes += countedBytes;
    this.#pump();
  }

  /** The frame's part, or its pending sound, which keeps its position among the pictures. */
  #sourceOf(frame: Frame): Waiting["source"] {
    const { codec } = frame.format;
    if (!isAudioCodec(codec) || isPlainG711(frame.format as AudioFormat))
      return { part: partOfFrame(frame) ?? [] };
    this.#sound ??= this.#options.sounds.join(this.#options.stream);
    const sound: ConvertedSound = this.#sound.soundOf(frame);
    sound.whenReady(() => {
      this.#soundReadyUs = this.#options.clock.monotonicUs();
      this.#pump();
    });
    return sound;
  }

  #admits(frame: Frame): boolean {
    const { key, undecodable, format } = frame;
    return this.#gate.admit({ codec: format.codec, key, undecodable });
  }

  /** Starts the answer with the first frame. */
  #open(): boolean {
    const response = this.#options.open();
    if (response === undefined) {
      this.stop();
      return false;
    }
    this.#response = response;
    response.onDrain = () => {
      this.#sending?.release();
      this.#sending = undefined;
      this.#pump();
    };
    response.onClose(() => this.stop());
    response.send([FIRST_BOUNDARY]);
    this.#timer?.clear();
    this.#timer = this.#options.clock.setInterval(() => this.#checkSilence(), SILENCE_TIMEOUT_MS / 4);
    this.#settle?.resolve();
    return !this.#stopped;
  }

  #pump(): void {
    const response = this.#response;
    while (response !== undefined && !this.#stopped && !response.busy) {
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#queueBytes -= next.countedBytes;
      this.#sending = next.frame;
      if (!response.send(next.source.part ?? [])) return;
      this.#sending?.release();
      this.#sending = undefined;
    }
  }

  /** The oldest item that is ready; sound in conversion delays later items for a limited time. */
  #takeNext(): Waiting | undefined {
    const nowUs = this.#options.clock.monotonicUs();
    this.#leaveOutLateSound(nowUs);
    for (const [index, waiting] of this.#queue.entries()) {
      if (waiting.source.part !== undefined) {
        this.#queue.splice(index, 1);
        return waiting;
      }
      if (this.#maySoonBeSound(waiting, nowUs)) return undefined;
    }
    return undefined;
  }

  #maySoonBeSound({ sinceUs }: Waiting, nowUs: number): boolean {
    const quietUs = nowUs - Math.max(sinceUs, this.#soundReadyUs);
    return quietUs < SOUND_WAIT_MS_MAX * 1000 && nowUs - sinceUs < SOUND_WAIT_ALL_MS_MAX * 1000;
  }

  /** If the codec hangs, a viewer only loses the sound. */
  #leaveOutLateSound(nowUs: number): void {
    for (let oldest = this.#queue[0]; oldest !== undefined; oldest = this.#queue[0]) {
      if (oldest.source.part !== undefined || nowUs - oldest.sinceUs < SOUND_LATE_MS_MAX * 1000) return;
      this.#queue.shift();
      this.#queueBytes -= oldest.countedBytes;
      oldest.frame.release();
    }
  }

  #tooFarBehind(frame: Frame): boolean {
    const oldest = this.#queue[0];
    if (oldest === undefined) return false;
    if (frame.isMemoryShort || this.#queueBytes + frame.byteLength > VIEWER_QUEUE_BYTES_MAX) return true;
    return this.#options.clock.monotonicUs() - oldest.sinceUs > VIEWER_BEHIND_MS_MAX * 1000;
  }

  #dropQueue(): void {
    for (const waiting of this.#queue) waiting.frame.release();
    this.#queue.length = 0;
    this.#queueBytes = 0;
  }

  #refuse(error: NvrdError): void {
    this.#settle?.reject(error);
    this.stop();
  }

  #checkSilence(): void {
    const silentMs = (this.#options.clock.monotonicUs() - this.#lastFrameUs) / 1000;
    if (silentMs < SILENCE_TIMEOUT_MS) return;
    this.#options.log.info({ silentMs: Math.round(silentMs) }, "no frame for too long: stream ended");
    this.stop();
  }
}
