import type { StreamType } from "../../base/index.js";
import type { Camera, VideoFormatName } from "../../site/index.js";

/** What cameras and their streams are found to be, whatever is configured. */
export interface KnownFormats {
  /** Undefined while the stream was never received. */
  formatOf(camera: Camera, streamType: StreamType): VideoFormatName | undefined;
  /** Whether the camera said that it takes no sound when somebody spoke to it, and has not been changed since. */
  refusesSound(camera: Camera): boolean;
  /** Changes with what the others answer. */
  readonly formatsRevision: number;
}
