import type { Clock, ClockTimer, NvrdError } from "../../base/index.js";
import type { Frame, FrameSink, LiveStream, MediaFormat, Subscription } from "../../live/index.js";
import type { MountDescription, MountSink, MountSource } from "../../rtsp/server/index.js";
import { limitFirstFrame } from "../video/first-frame.js";
import { SILENCE_TIMEOUT_MS } from "../video/live-video.js";
import type { RtspViewer } from "./rtsp-viewer.js";

/** How long DESCRIBE waits for the first picture; less than the timeout of DESCRIBE in the RTSP server. */
export const FIRST_PICTURE_TIMEOUT_MS = 9000;
/** How long it waits for requested sound after the first picture. */
export const FIRST_SOUND_TIMEOUT_MS = 1000;
/** If a stream had no sound, it is not waited for again within this time. */
export const SILENT_MS = 60_000;

export interface RtspLiveOptions {
  readonly stream: LiveStream;
  readonly viewing: RtspViewer;
  /** Whether the stream is still in the directory. */
  readonly isCurrent: () => boolean;
  readonly clock: Clock;
}

/** When a stream was last found to have no sound, by the monotonic clock. */
const silentSinceUs = new WeakMap<LiveStream, number>();

/** A live stream over RTSP. An unconnected stream is connected for DESCRIBE. */
export class RtspLive implements MountSource {
  readonly shared: object;
  readonly #options: RtspLiveOptions;

  constructor(options: RtspLiveOptions) {
    this.#options = options;
    this.shared = options.stream;
  }

  /** Rejects with NvrdError NOT_AVAILABLE if there is no picture, FORBIDDEN for formats that are switched off for RTSP. */
  async describe(): Promise<MountDescription> {
    const { stream, viewing, clock } = this.#options;
    if (!this.#isKnown()) {
      const look = new FirstLook({ stream, sound: this.#awaitsSound(), clock });
      await look.done;
      if (viewing.wantsSound && stream.audioFormat === undefined)
        silentSinceUs.set(stream, clock.monotonicUs());
    }
    viewing.requireServed(stream.videoFormat);
    const formats: MediaFormat[] = [];
    if (stream.videoFormat !== undefined) formats.push(stream.videoFormat);
    if (viewing.wantsSound && stream.audioFormat !== undefined) formats.push(stream.audioFormat);
    return { title: viewing.title, formats };
  }

  admit(): Promise<void> {
    return this.#options.viewing.admit();
  }

  open(sink: MountSink): Subscription {
    return new RtspLiveViewer(sink, this.#options);
  }

  #isKnown(): boolean {
    const { stream } = this.#options;
    return stream.state.state === "active" && stream.videoFormat !== undefined && !this.#awaitsSound();
  }

  #awaitsSound(): boolean {
    const { stream, viewing, clock } = this.#options;
    if (!viewing.wantsSound || stream.audioFormat !== undefined) return false;
    const sinceUs = silentSinceUs.get(stream);
    return sinceUs === undefined || clock.monotonicUs() - sinceUs > SILENT_MS * 1000;
  }
}

/** Subscribes until the formats of a stream are known. */
class FirstLook implements FrameSink {
  readonly done: Promise<void>;
  readonly #options: { readonly stream: LiveStream; readonly sound: boolean; readonly clock: Clock };
  #subscription: Subscription | undefined;
  #timer: ClockTimer;
  #sawPicture = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: NvrdError) => void } | undefined;

  constructor(options: { readonly stream: LiveStream; readonly sound: boolean; readonly clock: Clock }) {
    this.#options = options;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#timer = limitFirstFrame({ ...options, withinMs: FIRST_PICTURE_TIMEOUT_MS }, (error) =>
      this.#end(error),
    );
    const subscription = options.stream.subscribe(this, { fromGop: true, atOnce: true });
    // The current GOP may have shown all formats during the call.
    if (this.#settle === undefined) subscription.close();
    else this.#subscription = subscription;
  }

  onFrame(frame: Frame): void {
    if (this.#settle === undefined) return;
    const { stream, sound, clock } = this.#options;
    if (!frame.isAudio && !this.#sawPicture) {
      this.#sawPicture = true;
      this.#timer.clear();
      this.#timer = clock.setTimeout(() => this.#end(), FIRST_SOUND_TIMEOUT_MS);
    }
    if (this.#sawPicture && (!sound || stream.audioFormat !== undefined)) this.#end();
  }

  #end(error?: NvrdError): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#timer.clear();
    this.#subscription?.close();
    if (error === undefined) settle?.resolve();
    else settle?.reject(error);
  }
}

/** One viewer of a live stream. Ends when the stream's format changes or the viewer may no longer watch it. */
class RtspLiveViewer implements FrameSink, Subscription {
  readonly #sink: MountSink;
  readonly #options: RtspLiveOptions;
  readonly #leave: () => void;
  readonly #silence: ClockTimer;
  readonly #codec: number | undefined;
  #subscription: Subscription | undefined;
  /** Whether a picture came since the last look. */
  #sawPicture = false;
  /** Of the newest look that found one. */
  #pictureUs: number;
  #closed = false;

  constructor(sink: MountSink, options: RtspLiveOptions) {
    this.#sink = sink;
    this.#options = options;
    const { stream, viewing, clock, isCurrent } = options;
    this.#codec = stream.videoFormat?.codec;
    this.#pictureUs = clock.monotonicUs();
    this.#leave = viewing.enter(sink, stream.videoFormat, isCurrent);
    this.#silence = clock.setInterval(() => this.#checkSilence(), SILENCE_TIMEOUT_MS / 4);
    const subscription = stream.subscribe(this, { fromGop: true, atOnce: true });
    if (this.#closed) subscription.close();
    else this.#subscription = subscription;
  }

  onFrame(frame: Frame, isKept: boolean): void {
    if (this.#closed) return;
    if (!frame.isAudio) {
      this.#sawPicture = true;
      if (this.#codec !== undefined && frame.format.codec !== this.#codec) {
        this.#sink.onEnd("the stream's codec has changed: use DESCRIBE again");
        return;
      }
    }
    this.#sink.onFrame(frame, isKept);
  }

  onDropped(): void {
    this.#sink.onDropped?.();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#silence.clear();
    this.#leave();
    this.#subscription?.close();
  }

  #checkSilence(): void {
    const nowUs = this.#options.clock.monotonicUs();
    if (this.#sawPicture) this.#pictureUs = nowUs;
    this.#sawPicture = false;
    const silentMs = (nowUs - this.#pictureUs) / 1000;
    if (silentMs >= SILENCE_TIMEOUT_MS) this.#sink.onEnd("no frame was received for too long");
  }
}
