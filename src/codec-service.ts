import type { Clock, Log } from "./base/index.js";
import { type Codec, childProbe, Hardware, NativeCodec } from "./picture/index.js";
import type { Settings } from "./settings.js";

export interface CodecServiceOptions {
  readonly settings: Pick<Settings, "codecHardware">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The native codec, and the look for hardware that it may use. */
export class CodecService {
  readonly codec: Codec;
  readonly #hardware: Hardware | undefined;

  constructor({ settings, clock, log }: CodecServiceOptions) {
    const hardware =
      settings.codecHardware === "off" ? undefined : new Hardware({ probe: childProbe(clock), log });
    const codec = new NativeCodec(hardware === undefined ? {} : { hardware });
    if (codec.missing !== undefined)
      log.warn({ reason: codec.missing }, "no pictures and no transcoding: the native codec is not there");
    this.codec = codec;
    this.#hardware = codec.missing === undefined ? hardware : undefined;
  }

  /** Hardware is looked for beside everything else; until then, and without it, software does the work. */
  start(): void {
    void this.#hardware?.start();
  }

  stop(): void {
    this.#hardware?.stop();
  }
}
