import { errorText, type Log, redactText, type StreamKey, streamKeyText } from "../base/index.js";
import type { LostCause } from "../contract/answer/index.js";
import type { AudioFormat, Codec, VideoFormat } from "./codec/codec.js";
import type { Frame } from "./frame.js";
import { type GopStore, type GopTaker, type KeptFrame, KeptGop } from "./kept-gop.js";
import { ShownOrder } from "./shown-order.js";
import { StreamLosses } from "./stream-losses.js";

/** Receives frames in the order the camera sent them. Called on the frame path: must not throw, must not block. */
export interface FrameSink {
  /**
   * The frame is leased only during the call: retain it to keep it. `isKept`: it came before, and belongs to the GOP that the
   * subscription begins with.
   */
  onFrame(frame: Frame, isKept: boolean): void;
  /**
   * Called after `onFrame` threw: the subscription is closed, no further frame follows. Not called within `onFrame`;
   * must not throw.
   */
  onDropped?(): void;
}

/** Why a stream has no frames now; shown to users and mapped to events. */
export type StreamState =
  | { readonly state: "idle" }
  | { readonly state: "connecting" }
  /** The camera sends, and nothing can be shown or recorded before its next key frame. */
  | { readonly state: "waiting"; readonly keyIntervalUs: number | undefined }
  | { readonly state: "active" }
  | { readonly state: "lost"; readonly reason: string; readonly cause?: LostCause };

/** Why a stream has no frames now, in words. */
export function whyNoFrames(state: StreamState): string {
  return state.state === "lost" ? state.reason : `the camera is ${state.state}`;
}

/** Whether sound comes with the pictures: the camera sends none, or the settings ask for none. */
type SoundState = "on" | "none" | "off";

export interface SubscribeOptions {
  /**
   * Deliver the current GOP first, so that a decoder can start: before this call returns if it is in memory, else when what was let
   * go is read back. All its frames come in one go, and those that come from the camera meanwhile are among them.
   */
  readonly fromGop: boolean;
  /** The subscriber shows frames live: the source is read at once instead of on its tick. */
  readonly atOnce: boolean;
  /** The frames go into the archive's next batch, and nobody looks at them before: the source may be read on fewer ticks. */
  readonly isPatient?: boolean;
}

export interface Subscription {
  /** No frame is delivered after this returns. Calling it twice is harmless. */
  close(): void;
}

/** Called whenever a subscriber comes or goes. */
export interface DemandListener {
  onDemand(demand: {
    readonly subscribers: number;
    readonly atOnce: number;
    readonly isPatient: boolean;
  }): void;
}

/** What the camera sent, video and audio together. */
export interface StreamCounts {
  readonly frames: number;
  /** Of them, those of video. */
  readonly pictures: number;
  readonly bytes: number;
  /** Frames that arrived incomplete, or that cannot be decoded because a frame they refer to is missing. */
  readonly damagedFrames: number;
  /** How often the stream became active. */
  readonly connects: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

interface Subscriber {
  readonly sink: FrameSink;
  readonly atOnce: boolean;
  readonly isPatient: boolean;
}

/**
 * One stream of one channel, between its camera and its subscribers. It passes each frame to all subscribers and keeps
 * the current GOP; while nobody shows it live, what is recorded of that is on the disk alone. A slow subscriber does not delay it: a
 * sink takes or drops a frame, and never waits.
 */
export class LiveStream {
  readonly key: StreamKey;
  /** What is lost on the way from the camera to here, by reason. */
  readonly losses = new StreamLosses();
  readonly #log: Log | undefined;
  readonly #subscribers = new Set<Subscriber>();
  /** Those whose GOP is being read back: they get frames after it. */
  readonly #waiting = new Set<Subscriber>();
  readonly #demandListeners = new Set<DemandListener>();
  readonly #stateListeners = new Set<(state: StreamState) => void>();
  readonly #codecListeners = new Set<(codec: Codec) => void>();
  #atOnce = 0;
  #patient = 0;
  readonly #gop: KeptGop;
  #state: StreamState = { state: "idle" };
  #videoFormat: VideoFormat | undefined;
  #audioFormat: AudioFormat | undefined;
  #sound: SoundState | undefined;
  readonly #shownOrder = new ShownOrder();
  readonly #counts: Mutable<StreamCounts> = {
    frames: 0,
    pictures: 0,
    bytes: 0,
    damagedFrames: 0,
    connects: 0,
  };

  /** Sinks that throw are reported to `log`. Without `store`, the whole GOP stays in memory. */
  constructor(key: StreamKey, log?: Log, store?: GopStore) {
    this.key = key;
    this.#log = log;
    this.#gop = new KeptGop(store, (reason) => this.#reportUnread(reason));
  }

  /**
   * Whether decoding can begin at its key frames, as far as is known. Otherwise they refer to pictures before them: decoders show
   * something that becomes right, and browsers, which begin at IDR pictures alone, show nothing.
   */
  get isEnteredCleanly(): boolean {
    return !this.losses.isNamed("no-clean-key-frame");
  }

  get state(): StreamState {
    return this.#state;
  }

  /** Format of the newest video frame; undefined before the first. */
  get videoFormat(): VideoFormat | undefined {
    return this.#videoFormat;
  }

  /** Format of the newest audio frame; undefined before the first. */
  get audioFormat(): AudioFormat | undefined {
    return this.#audioFormat;
  }

  /** Whether the pictures so far of the present format are shown in the order of decoding; false while it is not certain. */
  get isShownAsDecoded(): boolean {
    return this.#shownOrder.isAsDecoded;
  }

  /** Undefined before a session was opened. */
  get sound(): SoundState | undefined {
    return this.#sound;
  }

  /**
   * Frames from the newest whole key frame on, oldest first; empty while none is kept, or frames are undecodable. Their bytes may be
   * on a disk: `takeGop` has them.
   */
  get gop(): readonly KeptFrame[] {
    return this.#gop.frames;
  }

  /**
   * Calls `taker` once with the frames of `gop`, leased during the call: at once, or when what was released is read back. With none if
   * that fails, or the GOP ends before.
   */
  takeGop(taker: GopTaker): void {
    this.#gop.take(taker);
  }

  /** As `takeGop`, of the first frame alone; undefined where there is none. */
  takeKeyFrame(taker: (frame: Frame | undefined) => void): void {
    this.#gop.takeKeyFrame(taker);
  }

  /** Counts since the stream was created. The same object each time: read it at once, do not keep it. */
  get counts(): StreamCounts {
    return this.#counts;
  }

  get subscribers(): number {
    return this.#subscribers.size + this.#waiting.size;
  }

  /** Subscribers that show frames live. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /** Nobody waits for its frames but those who take them with the archive's next batch. */
  get isPatient(): boolean {
    return this.#patient === this.subscribers;
  }

  /**
   * Passes a frame to every subscriber, then releases the publisher's lease. A sink that throws is removed and
   * notified; the others and the source continue.
   */
  publish(frame: Frame): void {
    if (frame.isAudio) this.#audioFormat = frame.format as AudioFormat;
    else this.#takeVideo(frame);
    this.#count(frame);
    this.#gop.keep(frame);
    for (const subscriber of this.#subscribers) this.#deliver(frame, subscriber, false);
    frame.release();
    if (this.#atOnce === 0) this.#gop.releaseRecorded();
  }

  /**
   * Called by the source. Credentials in a reason that repeats an address are masked, for all who show it. Leaving
   * `active` drops the kept GOP: it is no longer live.
   */
  setState(said: StreamState): void {
    const state = said.state === "lost" ? { ...said, reason: redactText(said.reason) } : said;
    const changed = state.state !== this.#state.state || reasonOf(state) !== reasonOf(this.#state);
    if (state.state === "active" && this.#state.state !== "active") this.#counts.connects += 1;
    this.#state = state;
    if (state.state !== "active") this.#gop.drop();
    if (changed) for (const listener of this.#stateListeners) listener(state);
  }

  /** Calls `listener` with the codec of the first video frame, and when it changes; within `publish`. */
  onCodec(listener: (codec: Codec) => void): Subscription {
    this.#codecListeners.add(listener);
    return { close: () => this.#codecListeners.delete(listener) };
  }

  #takeVideo(frame: Frame): void {
    if (frame.format !== this.#videoFormat) this.#setVideoFormat(frame.format as VideoFormat);
    this.#shownOrder.take(frame);
  }

  #setVideoFormat(format: VideoFormat): void {
    const isNew = format.codec !== this.#videoFormat?.codec;
    this.#videoFormat = format;
    this.#shownOrder.restart();
    if (isNew) for (const listener of this.#codecListeners) listener(format.codec);
  }

  /** The source's word on the sound of its session. */
  setSound(sound: SoundState): void {
    this.#sound = sound;
  }

  onState(listener: (state: StreamState) => void): Subscription {
    this.#stateListeners.add(listener);
    return { close: () => this.#stateListeners.delete(listener) };
  }

  onDemand(listener: DemandListener): Subscription {
    this.#demandListeners.add(listener);
    return { close: () => this.#demandListeners.delete(listener) };
  }

  subscribe(sink: FrameSink, options: SubscribeOptions): Subscription {
    const subscriber: Subscriber = { sink, atOnce: options.atOnce, isPatient: options.isPatient === true };
    if (subscriber.atOnce) this.#atOnce += 1;
    if (subscriber.isPatient) this.#patient += 1;
    if (options.fromGop) {
      this.#waiting.add(subscriber);
      this.#gop.take((frames) => this.#admit(subscriber, frames));
    } else this.#subscribers.add(subscriber);
    this.#notifyDemand();
    return { close: () => this.#unsubscribe(subscriber) };
  }

  toString(): string {
    return streamKeyText(this.key);
  }

  /** The subscriber gets the GOP, and from now on each frame. */
  #admit(subscriber: Subscriber, gop: readonly Frame[]): void {
    if (!this.#waiting.delete(subscriber)) return;
    this.#subscribers.add(subscriber);
    for (const frame of gop) if (this.#subscribers.has(subscriber)) this.#deliver(frame, subscriber, true);
  }

  #reportUnread(reason: string): void {
    this.#log?.warn(
      { stream: this.toString(), reason },
      "the newest pictures could not be read back: viewers begin with the next key frame",
    );
  }

  #deliver(frame: Frame, subscriber: Subscriber, isKept: boolean): void {
    try {
      subscriber.sink.onFrame(frame, isKept);
    } catch (error) {
      this.#log?.error(
        { stream: this.toString(), err: error },
        `a subscriber failed and gets no further frames: ${errorText(error)}`,
      );
      this.#unsubscribe(subscriber);
      queueMicrotask(() => subscriber.sink.onDropped?.());
    }
  }

  #unsubscribe(subscriber: Subscriber): void {
    const isHere = this.#subscribers.delete(subscriber) || this.#waiting.delete(subscriber);
    if (!isHere) return;
    if (subscriber.atOnce) this.#atOnce -= 1;
    if (subscriber.isPatient) this.#patient -= 1;
    this.#notifyDemand();
  }

  #notifyDemand(): void {
    const demand = { subscribers: this.subscribers, atOnce: this.#atOnce, isPatient: this.isPatient };
    for (const listener of this.#demandListeners) listener.onDemand(demand);
  }

  #count(frame: Frame): void {
    const counts = this.#counts;
    counts.frames += 1;
    if (!frame.isAudio) counts.pictures += 1;
    counts.bytes += frame.byteLength;
    if (frame.damaged || frame.undecodable) counts.damagedFrames += 1;
  }
}

function reasonOf(state: StreamState): string {
  if (state.state === "waiting") return String(state.keyIntervalUs);
  return state.state === "lost" ? state.reason : "";
}
