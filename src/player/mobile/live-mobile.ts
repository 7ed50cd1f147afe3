import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../../base/index.js";
import { type LiveStream, whyNoFrames } from "../../live/index.js";
import type {
  SoundForm,
  SoundPiece,
  TranscodedPicture,
  TranscodeSpec,
  TranscodeViewer,
  Transcoding,
  Watch,
} from "../../picture/index.js";
import { FIRST_BOUNDARY } from "../parts/multipart.js";
import type { PartSink } from "../parts/part-sink.js";
import { LOST_CAMERA_TIMEOUT_MS } from "../video/first-frame.js";
import { FIRST_FRAME_TIMEOUT_MS, SILENCE_TIMEOUT_MS } from "../video/live-video.js";
import { partOfPicture, partOfSound } from "./mobile-parts.js";

/** Maximum number of pieces of sound queued for a slow client (one to two seconds); beyond it the oldest are dropped. */
export const WAITING_SOUND_MAX = 50;

export interface LiveMobileOptions {
  readonly transcoding: Transcoding;
  readonly stream: LiveStream;
  readonly spec: TranscodeSpec;
  readonly sound: SoundForm | undefined;
  /** Opens the answer when it begins; undefined if the client has disconnected. */
  readonly open: () => PartSink | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One viewer of a live transcode. Sends a picture when the client has taken the previous one. Of the pictures in between only
 * the newest is kept, and sent as soon as possible.
 */
export class LiveMobile implements TranscodeViewer {
  readonly #options: LiveMobileOptions;
  #watch: Watch | undefined;
  #response: PartSink | undefined;
  #next: TranscodedPicture | undefined;
  readonly #sound: SoundPiece[] = [];
  #needsKey = true;
  #hasPicture = false;
  #fault: unknown;
  #timer: ClockTimer | undefined;
  #lastPictureUs: number;
  #stopped = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: NvrdError) => void } | undefined;

  constructor(options: LiveMobileOptions) {
    this.#options = options;
    this.#lastPictureUs = options.clock.monotonicUs();
  }

  /**
   * Starts watching; resolves when the answer has begun, or the viewer was stopped first. Rejects with NvrdError
   * NOT_AVAILABLE, with the reason, if the camera sends nothing or there are too many transcodes.
   */
  start(): Promise<void> {
    const { transcoding, stream, spec, sound, clock } = this.#options;
    const started = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#timer = clock.setTimeout(() => this.#noPictureYet(), LOST_CAMERA_TIMEOUT_MS);
    const listener = { onSound: (piece: SoundPiece) => this.#onSound(piece) };
    let watch: Watch;
    try {
      watch = transcoding.watch({
        stream,
        spec,
        viewer: this,
        ...(sound === undefined ? {} : { sound: { form: sound, listener } }),
      });
    } catch (error) {
      this.stop();
      throw error;
    }
    // The newest picture was delivered during the call, possibly to a client that has disconnected.
    if (this.#stopped) watch.close();
    else this.#watch = watch;
    return started;
  }

  /** Ends the answer. May be called repeatedly. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.clear();
    this.#watch?.close();
    this.#response?.end();
    this.#sound.length = 0;
    this.#next = undefined;
    this.#settle?.resolve();
  }

  get ready(): boolean {
    return !this.#stopped && this.#next === undefined && this.#response?.busy !== true;
  }

  onPicture(picture: TranscodedPicture): void {
    if (this.#stopped) return;
    this.#lastPictureUs = this.#options.clock.monotonicUs();
    if (this.#response === undefined && !this.#open()) return;
    this.#hasPicture = true;
    if (picture.form === "jpeg" || this.#takesInOrder(picture)) this.#next = picture;
    this.#pump();
  }

  onFault(error: unknown): void {
    this.#fault = error;
    const hopeless = error instanceof NvrdError && error.code === "NOT_SUPPORTED";
    if (!hopeless || this.#response !== undefined) return;
    this.#settle?.reject(error);
    this.stop();
  }

  /** Pictures of an H.264 level refer to previous ones: after a loss it continues at a key frame, which it requests. */
  #takesInOrder(picture: TranscodedPicture): boolean {
    const fits = this.#next === undefined && this.#response?.busy !== true;
    if (fits && picture.key) this.#needsKey = false;
    else if (!fits) this.#needsKey = true;
    if (this.#needsKey) this.#watch?.askForKey();
    return !this.#needsKey;
  }

  #onSound(piece: SoundPiece): void {
    if (this.#stopped || !this.#hasPicture) return;
    if (this.#sound.length >= WAITING_SOUND_MAX) this.#sound.shift();
    this.#sound.push(piece);
    this.#pump();
  }

  /** Starts the answer. */
  #open(): boolean {
    const response = this.#options.open();
    if (response === undefined) {
      this.stop();
      return false;
    }
    this.#response = response;
    response.onDrain = () => {
      this.#pump();
      if (this.ready) this.#watch?.wake();
    };
    response.onClose(() => this.stop());
    response.send([FIRST_BOUNDARY]);
    this.#timer?.clear();
    this.#timer = this.#options.clock.setInterval(() => this.#checkSilence(), FIRST_FRAME_TIMEOUT_MS / 4);
    this.#settle?.resolve();
    return !this.#stopped;
  }

  /** Sends queued data, oldest first, while the client keeps up. */
  #pump(): void {
    const response = this.#response;
    while (response !== undefined && !this.#stopped && !response.busy) {
      const piece = this.#sound[0];
      const picture = this.#next;
      if (picture !== undefined && (piece === undefined || picture.timeUs <= piece.timeUs)) {
        this.#next = undefined;
        response.send(partOfPicture(picture));
      } else if (piece !== undefined && this.#options.sound !== undefined) {
        this.#sound.shift();
        response.send(partOfSound(piece, this.#options.sound));
      } else return;
    }
  }

  /**
   * If the camera does not answer, the request fails while the client still waits. A camera that answers may take long until
   * its next key frame; then the answer begins without a picture, because clients give up after 5 s without an answer.
   */
  #noPictureYet(): void {
    if (this.#options.stream.state.state === "active" && this.#fault === undefined) this.#open();
    else this.#refuse();
  }

  #refuse(): void {
    const reason =
      this.#fault === undefined
        ? whyNoFrames(this.#options.stream.state)
        : `its frames cannot be decoded: ${errorText(this.#fault)}`;
    const message = `no picture of the stream within ${LOST_CAMERA_TIMEOUT_MS / 1000} s (${reason})`;
    this.#settle?.reject(new NvrdError("NOT_AVAILABLE", message));
    this.stop();
  }

  #checkSilence(): void {
    const silentMs = (this.#options.clock.monotonicUs() - this.#lastPictureUs) / 1000;
    // While the client reads nothing, no pictures are made; that case is limited by the stall timeout of the answer.
    if (this.#response?.busy === true) return;
    if (silentMs < (this.#hasPicture ? SILENCE_TIMEOUT_MS : FIRST_FRAME_TIMEOUT_MS)) return;
    this.#options.log.info({ silentMs: Math.round(silentMs) }, "no picture for too long: stream ended");
    this.stop();
  }
}
