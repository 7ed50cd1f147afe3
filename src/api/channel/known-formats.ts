import type { StreamType } from "../../base/index.js";
import type { Camera, VideoFormatName } from "../../site/index.js";

/** What streams are found to be, whatever is configured. */
export interface KnownFormats {
  /** Undefined while the stream was never received. */
  formatOf(camera: Camera, streamType: StreamType): VideoFormatName | undefined;
  /** Changes with what `formatOf` answers. */
  readonly formatsRevision: number;
}
