import type { AudioFormat, MediaFormat, VideoFormat } from "../../live/index.js";

/** Whether a decoder for one format can continue with frames of the other. */
export function isSameVideoFormat(one: VideoFormat, other: VideoFormat): boolean {
  if (one === other) return true;
  return one.width === other.width && one.height === other.height && hasSameCodec(one, other);
}

/** Likewise for sound. */
export function isSameAudioFormat(one: AudioFormat, other: AudioFormat): boolean {
  if (one === other) return true;
  return one.sampleRate === other.sampleRate && one.channels === other.channels && hasSameCodec(one, other);
}

function hasSameCodec(one: MediaFormat, other: MediaFormat): boolean {
  return one.codec === other.codec && Buffer.compare(one.initialization, other.initialization) === 0;
}
