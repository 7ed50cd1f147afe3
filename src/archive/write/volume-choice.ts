import type { Guid } from "../../base/index.js";
import type { VolumeWriter } from "./volume-writer.js";

/** A volume as a stream writes to it. */
export interface WritingVolume {
  readonly id: Guid;
  readonly writer: VolumeWriter;
}

/** Where streams get their volumes from. */
export interface VolumeChoice {
  /** The volume for a stream from now on; `avoid` only when there is no other. Undefined when none can be written. */
  take(avoid?: Guid): WritingVolume | undefined;
  /** The stream is not on the volume any more. */
  giveBack(volume: WritingVolume): void;
}
