import type { Clock, Log } from "./base/index.js";
import { type Codec, NativeCodec, Stills, Transcoding } from "./picture/index.js";
import type { Settings } from "./settings.js";

export interface PictureServiceOptions {
  readonly settings: Pick<Settings, "stillCacheBytes">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The native codec and what is made with it, as one part. Without the codec's addon the service records and serves all
 * the same.
 */
export class PictureService {
  /** The one codec of the process: stills, transcodes and motion share its threads. */
  readonly codec: Codec;
  readonly stills: Stills;
  readonly transcoding: Transcoding;

  constructor({ settings, clock, log }: PictureServiceOptions) {
    const codec = new NativeCodec();
    if (codec.missing !== undefined)
      log.warn(
        { reason: codec.missing },
        "no stills, no transcoding, no motion detector: the native codec is not there",
      );
    this.codec = codec;
    this.stills = new Stills({ codec, cacheBytesMax: settings.stillCacheBytes, clock, log });
    this.transcoding = new Transcoding({ codec, clock, log });
  }

  stop(): void {
    this.transcoding.stop();
  }
}
