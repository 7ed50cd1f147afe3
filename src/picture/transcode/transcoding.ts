import { type Clock, type ClockTimer, type Log, NvrdError } from "../../base/index.js";
import type { LiveStream } from "../../live/index.js";
import type { Codec, SoundForm } from "../codec/codec-types.js";
import { specKey, type TranscodeSpec } from "../codec/transcode-types.js";
import { LivePictures } from "./live-pictures.js";
import { LiveSound, type SoundListener } from "./live-sound.js";
import { LiveTranscode, type TranscodeViewer } from "./live-transcode.js";
import { PlaybackPictures } from "./playback-pictures.js";

/** Most transcodes: live ones, however many viewers each has, and playbacks, one per viewer. Beyond that: 503. */
const TRANSCODES_MAX = 64;
/** Most playbacks among them: each reads the archive and has its own decoder. */
export const PLAYBACKS_MAX = 24;
/** How long a live transcode stays after its last viewer: clients that switch pages or request single frames come back. */
const TRANSCODE_LINGER_MS = 5000;
/** With more than this share of the memory for decoded pictures in use, no new transcode starts; running ones continue. */
export const PICTURES_SHORT_ABOVE_SHARE = 0.75;
/** Retry-After of a refusal. */
const RETRY_AFTER_MS = 5000;

export interface TranscodingOptions {
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
  /** TRANSCODES_MAX by default. */
  readonly transcodesMax?: number;
}

export interface WatchOptions {
  readonly stream: LiveStream;
  readonly spec: TranscodeSpec;
  readonly viewer: TranscodeViewer;
  /** The sound that is wanted with it. */
  readonly sound?: { readonly form: SoundForm; readonly listener: SoundListener };
}

/** A viewer's handle of a transcode. */
export interface Watch {
  /** The viewer is ready again after it was not. */
  wake(): void;
  /** The viewer missed a picture of an H.264 stream. */
  askForKey(): void;
  /** Calling it twice is harmless. */
  close(): void;
}

/** All transcodes of one live stream. */
interface StreamShare {
  readonly pictures: LivePictures;
  readonly transcodes: Map<string, SharedTranscode>;
  readonly sounds: Map<SoundForm, LiveSound>;
}

interface SharedTranscode {
  readonly transcode: LiveTranscode;
  readonly stream: LiveStream;
  readonly key: string;
  linger: ClockTimer | undefined;
}

/** The running transcodes: one for all viewers of the same output, with a limit on their number. */
export class Transcoding {
  readonly #options: TranscodingOptions;
  readonly #transcodesMax: number;
  readonly #streams = new Map<LiveStream, StreamShare>();
  readonly #playbacks = new Set<PlaybackPictures>();
  #live = 0;

  constructor(options: TranscodingOptions) {
    this.#options = options;
    this.#transcodesMax = options.transcodesMax ?? TRANSCODES_MAX;
  }

  /** Number of transcodes, lingering ones included. */
  get size(): number {
    return this.#live + this.#playbacks.size;
  }

  /**
   * Adds `viewer`, which may be called before this returns. Throws NvrdError NOT_AVAILABLE if there would be too many
   * transcodes.
   */
  watch(options: WatchOptions): Watch {
    const shared = this.#transcodeOf(options.stream, options.spec);
    const { transcode } = shared;
    shared.linger?.clear();
    shared.linger = undefined;
    const leaveSound = this.#listen(options);
    transcode.join(options.viewer);
    let closed = false;
    return {
      wake: () => transcode.wake(),
      askForKey: () => transcode.askForKey(),
      close: () => {
        if (closed) return;
        closed = true;
        leaveSound();
        transcode.leave(options.viewer);
        if (transcode.viewers > 0) return;
        shared.linger = this.#options.clock.setTimeout(() => this.#end(shared), TRANSCODE_LINGER_MS);
      },
    };
  }

  /**
   * A transcode of one playback, which the caller feeds and closes. `mediaSpeed`: rate of stream time, 1 for normal
   * speed. Throws as `watch`.
   */
  openPlayback(spec: TranscodeSpec, mediaSpeed: number): PlaybackPictures {
    if (this.#playbacks.size >= PLAYBACKS_MAX) throw this.#full(`${PLAYBACKS_MAX} recordings are`);
    this.#requireRoom();
    const { codec } = this.#options;
    const playback = new PlaybackPictures({
      codec,
      spec,
      mediaSpeed,
      onClose: () => this.#playbacks.delete(playback),
    });
    this.#playbacks.add(playback);
    return playback;
  }

  /** Ends all of them. */
  stop(): void {
    for (const { transcodes } of [...this.#streams.values()])
      for (const shared of [...transcodes.values()]) this.#end(shared);
    for (const playback of [...this.#playbacks]) playback.close();
  }

  #transcodeOf(stream: LiveStream, spec: TranscodeSpec): SharedTranscode {
    const key = specKey(spec);
    const known = this.#streams.get(stream)?.transcodes.get(key);
    if (known !== undefined) return known;
    this.#requireRoom();
    const { codec, clock } = this.#options;
    const share = this.#shareOf(stream);
    const transcode = new LiveTranscode({ pictures: share.pictures, codec, spec, clock });
    const shared: SharedTranscode = { transcode, stream, key, linger: undefined };
    share.transcodes.set(key, shared);
    this.#live += 1;
    return shared;
  }

  #shareOf(stream: LiveStream): StreamShare {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const { codec, clock, log } = this.#options;
    const pictures = new LivePictures({ stream, codec, clock, log });
    const share: StreamShare = { pictures, transcodes: new Map(), sounds: new Map() };
    this.#streams.set(stream, share);
    return share;
  }

  #listen({ stream, sound }: WatchOptions): () => void {
    const share = this.#streams.get(stream);
    if (sound === undefined || share === undefined) return () => undefined;
    const { form, listener } = sound;
    const { codec, log } = this.#options;
    const live = share.sounds.get(form) ?? new LiveSound({ stream, codec, form, log });
    share.sounds.set(form, live);
    live.join(listener);
    return () => {
      live.leave(listener);
      if (live.isEmpty && share.sounds.get(form) === live) share.sounds.delete(form);
    };
  }

  /** If there is no room, ends a lingering transcode. */
  #requireRoom(): void {
    const { frameBytes, frameBytesMax } = this.#options.codec.load;
    if (frameBytes > frameBytesMax * PICTURES_SHORT_ABOVE_SHARE && !this.#endLingering())
      throw this.#full("as many pictures as there is memory for are");
    if (this.size < this.#transcodesMax || this.#endLingering()) return;
    throw this.#full(`${this.#transcodesMax} streams and recordings are`);
  }

  /** Ends a transcode without viewers; false if there is none. */
  #endLingering(): boolean {
    for (const { transcodes } of this.#streams.values()) {
      for (const shared of transcodes.values()) {
        if (shared.transcode.viewers > 0) continue;
        this.#end(shared);
        return true;
      }
    }
    return false;
  }

  #full(what: string): NvrdError {
    return new NvrdError("NOT_AVAILABLE", `${what} being transcoded, which is the limit`, {
      retryAfterMs: RETRY_AFTER_MS,
      hint: "try again when somebody has stopped watching, or use GET /video, which needs no transcoding",
    });
  }

  #end(shared: SharedTranscode): void {
    shared.linger?.clear();
    const share = this.#streams.get(shared.stream);
    if (share === undefined || !share.transcodes.delete(shared.key)) return;
    shared.transcode.close();
    this.#live -= 1;
    if (share.transcodes.size === 0) this.#streams.delete(shared.stream);
  }
}
