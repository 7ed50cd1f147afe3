import type { Guid } from "../base/index.js";
import type { CutPicture, PicturePart } from "../picture/index.js";

export interface CameraPicture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** When it was shown, Unix microseconds. */
  readonly shownUs: number;
}

/** The pictures of cameras, made when nobody else waits for one. */
export interface CameraPictures {
  /** The present picture; `isDetailed`: of the main stream, for small letters and faces. Rejects with NvrdError where there is none. */
  present(
    channelId: Guid,
    options: { readonly isDetailed: boolean; readonly signal: AbortSignal },
  ): Promise<CameraPicture>;
  /** A part of such a picture, scaled down where a side is longer than `sideMax`. */
  cut(jpeg: Uint8Array, part: PicturePart, sideMax: number): Promise<CutPicture>;
}
