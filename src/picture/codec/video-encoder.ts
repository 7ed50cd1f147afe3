import { type CodecAddon, codecMissing, fromAddon } from "./codec-addon.js";
import { CodecError } from "./codec-error.js";
import type { EncodedUnit, Picture, VideoEncoder, VideoEncoderOptions } from "./codec-types.js";

/** The addon's class (native/codec/encode/video_encoder.cc). */
interface NativeVideoEncoder {
  encode(picture: readonly Uint8Array[], timeUs: number, forceKey: boolean): Promise<readonly EncodedUnit[]>;
  close(): void;
}

type NativeEncoderClass = new (
  settings: Omit<VideoEncoderOptions, "turn"> & { readonly name: string; readonly whenIdle: boolean },
) => NativeVideoEncoder;

/** The software encoder, if libavcodec has it, as Debian's does (GPL: docs/design/codec.md). */
export const SOFTWARE_ENCODER = "libx264";

/** One of libavcodec's H.264 encoders, by name. The first picture opens it. */
export class AddonVideoEncoder implements VideoEncoder {
  readonly name: string;
  readonly #options: VideoEncoderOptions;
  readonly #addon: CodecAddon;
  #native: NativeVideoEncoder | undefined;
  #closed = false;

  constructor(name: string, options: VideoEncoderOptions, addon: CodecAddon) {
    this.name = name;
    this.#options = options;
    this.#addon = addon;
  }

  async encode(picture: Picture, forceKey = false): Promise<readonly EncodedUnit[]> {
    if (this.#closed) throw new CodecError("closed", "the encoder was closed");
    const { width, height } = this.#options;
    if (picture.form !== "yuv420" || picture.width !== width || picture.height !== height)
      throw new CodecError("unsupported", `a ${picture.form} picture, not yuv420 of ${width}x${height}`);
    const native = this.#addon.functions.VideoEncoder;
    if (typeof native !== "function") throw codecMissing(this.#addon.missing ?? "it is of another version");
    try {
      this.#native ??= this.#open(native as NativeEncoderClass);
      return await this.#native.encode([picture.data], picture.timeUs, forceKey);
    } catch (error) {
      throw fromAddon(error);
    }
  }

  close(): void {
    this.#closed = true;
    this.#native?.close();
    this.#native = undefined;
  }

  #open(native: NativeEncoderClass): NativeVideoEncoder {
    const { turn, ...settings } = this.#options;
    return new native({ ...settings, name: this.name, whenIdle: turn === "when-idle" });
  }
}

/** Whether this libavcodec was built with the encoder `name`. */
export function hasEncoder(addon: CodecAddon, name: string): boolean {
  const has = addon.functions.hasEncoder;
  return typeof has === "function" && has(name) === true;
}

/** Whether this libavcodec was built with the decoder `name`. */
export function hasDecoder(addon: CodecAddon, name: string): boolean {
  const has = addon.functions.hasDecoder;
  return typeof has === "function" && has(name) === true;
}
