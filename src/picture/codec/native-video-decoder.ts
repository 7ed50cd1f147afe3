import type { VideoFormat } from "../../live/index.js";
import { fromAddon } from "./codec-addon.js";
import { CodecError } from "./codec-error.js";
import type {
  CodecTurn,
  CodedUnit,
  DecodeSkip,
  Picture,
  PictureTarget,
  VideoDecoder,
} from "./codec-types.js";
import type { WatchHandle } from "./motion-watch.js";
import { nativeTargets } from "./picture-target.js";

/** The addon's options of a decoder: the codec's number, libavcodec's name for the implementation, parameter sets. */
export type NativeDecoderOptions = readonly [
  codec: number,
  implementation: string,
  initialization: Uint8Array,
];

/** The addon's class (native/codec/decode/video_decoder.cc). */
interface NativeDecoder {
  decode(
    bytes: readonly Uint8Array[],
    key: boolean,
    presentationUs: number,
    reordered: boolean,
    skip: number,
    targets: Float64Array,
    watches: readonly WatchHandle[],
  ): Promise<Picture[][]>;
  flush(targets: Float64Array, watches: readonly WatchHandle[]): Promise<Picture[][]>;
  busyUs(): number;
  close(): void;
}

export type NativeDecoderClass = new (
  options: NativeDecoderOptions,
  jobMsMax: number,
  whenIdle: boolean,
) => NativeDecoder;

/** Same order as Skip in native/codec/decode/decoder_core.h. */
const SKIPS: readonly DecodeSkip[] = ["none", "non-reference", "non-key"];

export function nativeDecoderOptions(format: VideoFormat, implementation: string): NativeDecoderOptions {
  return [format.codec, implementation, format.initialization];
}

/** A decoder of the addon. Its first unit opens it, on the codec's threads. */
export class NativeVideoDecoder implements VideoDecoder {
  readonly name: string;
  readonly #native: NativeDecoder;
  #closed = false;
  /** When it was closed. */
  #busyUs = 0;

  /** Throws NvrdError NOT_AVAILABLE if too many decoders, encoders and transcoders are open. */
  constructor(
    native: NativeDecoderClass,
    options: {
      readonly format: VideoFormat;
      readonly name: string;
      readonly turn: CodecTurn;
      readonly jobMsMax: number;
    },
  ) {
    this.name = options.name;
    try {
      const { format, name, turn, jobMsMax } = options;
      this.#native = new native(nativeDecoderOptions(format, name), jobMsMax, turn === "when-idle");
    } catch (error) {
      throw fromAddon(error);
    }
  }

  async decode(
    unit: CodedUnit,
    targets: readonly PictureTarget[],
    skip: DecodeSkip = "none",
  ): Promise<readonly (readonly Picture[])[]> {
    const { numbers, watches } = nativeTargets(targets);
    const presentationUs = unit.decodeTimeUs + unit.presentationOffsetUs;
    return this.#settled(() =>
      this.#native.decode(
        unit.bytes,
        unit.key,
        presentationUs,
        unit.presentationOffsetUs > 0,
        SKIPS.indexOf(skip),
        numbers,
        watches,
      ),
    );
  }

  async flush(targets: readonly PictureTarget[]): Promise<readonly (readonly Picture[])[]> {
    const { numbers, watches } = nativeTargets(targets);
    return this.#settled(() => this.#native.flush(numbers, watches));
  }

  get busyUs(): number {
    return this.#closed ? this.#busyUs : this.#native.busyUs();
  }

  close(): void {
    this.#busyUs = this.busyUs;
    this.#closed = true;
    this.#native.close();
  }

  async #settled(work: () => Promise<Picture[][]>): Promise<Picture[][]> {
    if (this.#closed) throw new CodecError("closed", "the decoder was closed");
    try {
      return await work();
    } catch (error) {
      throw fromAddon(error);
    }
  }
}
