import type { Log } from "../../base/index.js";
import type { AudioFormat, Frame, LiveStream } from "../../live/index.js";
import type { Part } from "../parts/multipart.js";
import { type SoundCodec, SoundPartMaker } from "./sound-part.js";

/** Maximum number of audio frames per stream waiting for conversion; beyond it the oldest are dropped. */
export const SOUND_FRAMES_WAITING_MAX = 1024;
/** Audio frames per stream in conversion at the same time. */
const SOUND_FRAMES_IN_WORK = 16;

/** The pending conversion of an audio frame to a part. */
export class ConvertedSound {
  #part: Part | undefined;
  #listeners: (() => void)[] = [];

  /** Undefined while it is being converted; empty if the frame gave no output. */
  get part(): Part | undefined {
    return this.#part;
  }

  /** Calls `listener` when it is converted; not if it already is. */
  whenReady(listener: () => void): void {
    if (this.#part === undefined) this.#listeners.push(listener);
  }

  settle(part: Part): void {
    if (this.#part !== undefined) return;
    this.#part = part;
    for (const listener of this.#listeners) listener();
    this.#listeners = [];
  }
}

/** Converts the sound of live streams for `/video`, once per frame for all viewers of a stream. */
export class LiveSounds {
  readonly #codec: SoundCodec;
  readonly #log: Log;
  readonly #streams = new Map<LiveStream, { readonly sound: LiveSound; viewers: number }>();

  constructor(codec: SoundCodec, log: Log) {
    this.#codec = codec;
    this.#log = log;
  }

  /** The stream's sound; release it with `leave`. */
  join(stream: LiveStream): LiveSound {
    let entry = this.#streams.get(stream);
    if (entry === undefined) {
      entry = { sound: new LiveSound(new SoundPartMaker(this.#codec, this.#log)), viewers: 0 };
      this.#streams.set(stream, entry);
    }
    entry.viewers += 1;
    return entry.sound;
  }

  /** Closes the transcoder with the last viewer. */
  leave(stream: LiveStream): void {
    const entry = this.#streams.get(stream);
    if (entry === undefined) return;
    entry.viewers -= 1;
    if (entry.viewers > 0) return;
    this.#streams.delete(stream);
    entry.sound.close();
  }
}

/** One stream's sound: converts frames to parts, in order. */
export class LiveSound {
  readonly #maker: SoundPartMaker;
  readonly #known = new WeakMap<Frame, ConvertedSound>();
  readonly #waiting: { readonly frame: Frame; readonly sound: ConvertedSound }[] = [];
  #inWork = 0;

  constructor(maker: SoundPartMaker) {
    this.#maker = maker;
  }

  /** The sound of `frame`, which is leased until it is converted. */
  soundOf(frame: Frame): ConvertedSound {
    const known = this.#known.get(frame);
    if (known !== undefined) return known;
    const sound = new ConvertedSound();
    this.#known.set(frame, sound);
    if (this.#waiting.length >= SOUND_FRAMES_WAITING_MAX) this.#leaveOut();
    frame.retain();
    this.#waiting.push({ frame, sound });
    this.#work();
    return sound;
  }

  close(): void {
    while (this.#waiting.length > 0) this.#leaveOut();
    this.#maker.close();
  }

  #leaveOut(): void {
    const oldest = this.#waiting.shift();
    oldest?.frame.release();
    oldest?.sound.settle([]);
  }

  #work(): void {
    while (this.#inWork < SOUND_FRAMES_IN_WORK) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inWork += 1;
      this.#convert(next.frame, next.sound);
    }
  }

  async #convert(frame: Frame, sound: ConvertedSound): Promise<void> {
    const format = frame.format as AudioFormat;
    const bytes = frame.ranges.map((range) => range.bytes);
    const part = await this.#maker.convert({ format, bytes, decodeTimeUs: frame.decodeTimeUs });
    frame.release();
    this.#inWork -= 1;
    sound.settle(part);
    this.#work();
  }
}
