import type { ArchivedFrame } from "../../archive/index.js";
import { type AudioFormat, g711LawOf, type VideoFormat } from "../../live/index.js";
import { isSameAudioFormat, isSameVideoFormat } from "../../picture/index.js";

const NONE = new Uint8Array(0);

/**
 * The formats of a playback's frames: the same object while nothing changes, because segments repeat their formats and a
 * decoder continues across them.
 */
export class PlaybackFormats {
  #video: VideoFormat | undefined;
  #audio: AudioFormat | undefined;

  /** A change takes effect at a key frame. If the segment has no format, only the codec is known. */
  video(frame: ArchivedFrame): VideoFormat {
    const known = this.#video;
    if (known !== undefined && !frame.key) return known;
    const found = frame.format as VideoFormat | undefined;
    const format = found ?? { codec: frame.codec, width: 0, height: 0, initialization: NONE };
    if (known !== undefined && isSameVideoFormat(known, format)) return known;
    this.#video = format;
    return format;
  }

  /** Undefined for sound without a known format that is not G.711: it cannot be decoded. */
  audio(frame: ArchivedFrame): AudioFormat | undefined {
    const known = this.#audio;
    const found = frame.format as AudioFormat | undefined;
    if (found === undefined && g711LawOf(frame.codec) === undefined) return undefined;
    const format = found ?? { codec: frame.codec, sampleRate: 8000, channels: 1, initialization: NONE };
    if (known !== undefined && isSameAudioFormat(known, format)) return known;
    this.#audio = format;
    return format;
  }
}
