import { errorText, type Log } from "../../base/index.js";
import type { AudioFormat, Frame, FrameSink, LiveStream, Subscription } from "../../live/index.js";
import type { Codec, SoundForm, SoundPiece, SoundTranscoder } from "../codec/codec-types.js";
import { isSameAudioFormat } from "../codec/same-format.js";
import { soundTranscoderOptions } from "../codec/sound-form.js";

/** Most frames of sound queued for the transcoder (some seconds); beyond that the oldest are dropped. */
export const SOUND_QUEUE_FRAMES_MAX = 100;

export interface SoundListener {
  onSound(piece: SoundPiece): void;
}

export interface LiveSoundOptions {
  readonly stream: LiveStream;
  readonly codec: Codec;
  readonly form: SoundForm;
  readonly log: Log;
}

/** The sound of one stream in one form, transcoded once for all listeners. */
export class LiveSound implements FrameSink {
  readonly #options: LiveSoundOptions;
  readonly #listeners = new Set<SoundListener>();
  readonly #queue: Frame[] = [];
  #subscription: Subscription | undefined;
  #transcoder: { readonly transcoder: SoundTranscoder; readonly format: AudioFormat } | undefined;
  #working = false;
  #faulty = false;

  constructor(options: LiveSoundOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  join(listener: SoundListener): void {
    this.#listeners.add(listener);
    this.#subscription ??= this.#options.stream.subscribe(this, { fromGop: false, atOnce: true });
  }

  /** After the last listener, leaves the stream and closes the transcoder. */
  leave(listener: SoundListener): void {
    this.#listeners.delete(listener);
    if (this.isEmpty) this.#stop();
  }

  onDropped(): void {
    this.#stop();
  }

  onFrame(frame: Frame): void {
    if (!frame.isAudio) return;
    if (this.#queue.length >= SOUND_QUEUE_FRAMES_MAX) this.#queue.shift()?.release();
    frame.retain();
    this.#queue.push(frame);
    this.#convertAll();
  }

  #stop(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
    for (const frame of this.#queue.splice(0)) frame.release();
    this.#closeTranscoder();
  }

  #closeTranscoder(): void {
    this.#transcoder?.transcoder.close();
    this.#transcoder = undefined;
  }

  async #convertAll(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    const preparing = this.#options.codec.prepare?.();
    if (preparing !== undefined) await preparing;
    for (let frame = this.#queue.shift(); frame !== undefined; frame = this.#queue.shift()) {
      try {
        await this.#convert(frame);
      } catch (error) {
        this.#fail(error);
      } finally {
        frame.release();
      }
    }
    this.#working = false;
  }

  async #convert(frame: Frame): Promise<void> {
    const transcoder = this.#transcoderFor(frame.format as AudioFormat);
    const bytes = frame.ranges.map((range) => range.bytes);
    const pieces = await transcoder.push(bytes, frame.decodeTimeUs);
    this.#faulty = false;
    for (const piece of pieces) for (const listener of [...this.#listeners]) listener.onSound(piece);
  }

  #transcoderFor(format: AudioFormat): SoundTranscoder {
    const current = this.#transcoder;
    if (current !== undefined && isSameAudioFormat(current.format, format)) return current.transcoder;
    this.#closeTranscoder();
    const transcoder = this.#options.codec.openSoundTranscoder(
      soundTranscoderOptions(format, this.#options.form),
    );
    this.#transcoder = { transcoder, format };
    return transcoder;
  }

  #fail(error: unknown): void {
    if (this.isEmpty) return;
    this.#closeTranscoder();
    const { log, stream } = this.#options;
    if (!this.#faulty)
      log.warn({ stream: stream.toString(), reason: errorText(error) }, "sound cannot be transcoded");
    this.#faulty = true;
  }
}
