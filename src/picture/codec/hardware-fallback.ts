import { errorText } from "../../base/index.js";
import { CodecError } from "./codec-error.js";
import type {
  CodedUnit,
  DecodeSkip,
  EncodedUnit,
  Picture,
  PictureTarget,
  VideoDecoder,
  VideoEncoder,
} from "./codec-types.js";

/** Failed units in a row after which a hardware decoder counts as broken. */
export const HARDWARE_FAILURES_MAX = 8;
/** Units in a row without a picture after which a hardware decoder counts as stuck. */
export const HARDWARE_SILENT_UNITS_MAX = 50;

export interface FallbackOptions<T> {
  readonly hardware: T;
  readonly openSoftware: () => T;
  /** Called once. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Uses a hardware decoder, and a software decoder once that has failed. A unit that no decoder can decode is the
 * camera's fault: the hardware has failed if software decodes a key frame on which it failed, if it fails on
 * HARDWARE_FAILURES_MAX units in a row, or returns no picture for HARDWARE_SILENT_UNITS_MAX.
 */
export class FallbackVideoDecoder implements VideoDecoder {
  readonly #options: FallbackOptions<VideoDecoder>;
  #decoder: VideoDecoder;
  #isHardware = true;
  #failures = 0;
  #silent = 0;
  /** Of the decoder before. */
  #earlierBusyUs = 0;
  #closed = false;

  constructor(options: FallbackOptions<VideoDecoder>) {
    this.#options = options;
    this.#decoder = options.hardware;
  }

  get name(): string {
    return this.#decoder.name;
  }

  get busyUs(): number {
    return this.#earlierBusyUs + this.#decoder.busyUs;
  }

  async decode(
    unit: CodedUnit,
    targets: readonly PictureTarget[],
    skip: DecodeSkip = "none",
  ): Promise<readonly (readonly Picture[])[]> {
    if (!this.#isHardware) return this.#decoder.decode(unit, targets, skip);
    try {
      const out = await this.#decoder.decode(unit, targets, skip);
      this.#failures = 0;
      this.#silent = out.length > 0 || targets.length === 0 || skip !== "none" ? 0 : this.#silent + 1;
      if (this.#silent >= HARDWARE_SILENT_UNITS_MAX) this.#useSoftware("it shows nothing");
      return out;
    } catch (error) {
      if (this.#closed) throw error;
      // The hardware decoder was closed while this unit waited.
      if (!this.#isHardware) return this.#decoder.decode(unit, targets, skip);
      if (!isHardwareFault(error)) throw error;
      return this.#handleFailure(unit, targets, error);
    }
  }

  flush(targets: readonly PictureTarget[]): Promise<readonly (readonly Picture[])[]> {
    return this.#decoder.flush(targets);
  }

  close(): void {
    this.#closed = true;
    this.#decoder.close();
  }

  async #handleFailure(
    unit: CodedUnit,
    targets: readonly PictureTarget[],
    error: unknown,
  ): Promise<readonly (readonly Picture[])[]> {
    this.#failures += 1;
    if (!unit.key) {
      if (this.#failures >= HARDWARE_FAILURES_MAX) this.#useSoftware(errorText(error));
      throw error;
    }
    const software = this.#options.openSoftware();
    try {
      const out = await software.decode(unit, targets);
      this.#useSoftware(errorText(error), software);
      return out;
    } catch {
      software.close();
      throw error; // both fail: report the hardware's error
    }
  }

  #useSoftware(reason: string, software = this.#options.openSoftware()): void {
    this.#isHardware = false;
    this.#decoder.close();
    this.#earlierBusyUs += this.#decoder.busyUs;
    this.#decoder = software;
    if (this.#closed) software.close();
    this.#options.onFailure(reason);
  }
}

/** Uses a hardware encoder, and a software encoder after its first failure. */
export class FallbackVideoEncoder implements VideoEncoder {
  readonly #options: FallbackOptions<VideoEncoder>;
  #encoder: VideoEncoder;
  #isHardware = true;
  #closed = false;

  constructor(options: FallbackOptions<VideoEncoder>) {
    this.#options = options;
    this.#encoder = options.hardware;
  }

  get name(): string {
    return this.#encoder.name;
  }

  async encode(picture: Picture, forceKey = false): Promise<readonly EncodedUnit[]> {
    const encoder = this.#encoder;
    try {
      return await encoder.encode(picture, forceKey);
    } catch (error) {
      if (this.#closed || !isHardwareFault(error)) throw error;
      if (encoder === this.#encoder) {
        if (!this.#isHardware) throw error;
        this.#useSoftware(errorText(error));
      }
      // The viewer's decoder must start again with a key frame.
      return this.#encoder.encode(picture, true);
    }
  }

  close(): void {
    this.#closed = true;
    this.#encoder.close();
  }

  #useSoftware(reason: string): void {
    const software = this.#options.openSoftware();
    this.#isHardware = false;
    this.#encoder.close();
    this.#encoder = software;
    this.#options.onFailure(reason);
  }
}

/** Whether the implementation may be at fault: not with a full queue or a closed object. */
function isHardwareFault(error: unknown): boolean {
  return error instanceof CodecError && error.kind !== "closed";
}
