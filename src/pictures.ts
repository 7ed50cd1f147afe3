import type { Clock, Log } from "./base/index.js";
import { type Codec, NativeCodec, Stills } from "./picture/index.js";
import type { Settings } from "./settings.js";

export interface Pictures {
  /** The one codec of the process: stills, transcodes and motion share its threads. */
  readonly codec: Codec;
  readonly stills: Stills;
}

/** What makes decoded pictures. Without the codec's addon the service records and serves all the same. */
export function createPictures(settings: Settings, clock: Clock, log: Log): Pictures {
  const codec = new NativeCodec();
  if (codec.missing !== undefined)
    log.error({ reason: codec.missing }, "the native codec is not there: no pictures are decoded");
  const stills = new Stills({ codec, cacheBytesMax: settings.stillCacheBytes, clock, log });
  return { codec, stills };
}
