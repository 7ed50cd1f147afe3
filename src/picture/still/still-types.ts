import type { VideoFormat } from "../../live/index.js";
import type { CodedUnit, Rotation } from "../codec/codec-types.js";

/** What is asked of a still, in pixels of the picture as it is shown; a side that is absent follows from the other one. */
export interface StillSize {
  readonly width?: number;
  readonly height?: number;
}

/** A frame of a stream, and how it is turned: what pictures are kept under. */
export interface StillFrame {
  /** `streamKeyText` of its stream. */
  readonly stream: string;
  /** Decode time, Unix microseconds. */
  readonly timeUs: number;
  readonly rotation: Rotation;
}

/** A still, as it is kept and sent; the same object for all who ask for it. */
export interface Still {
  /** A JFIF file. */
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** When the picture was shown, Unix microseconds. */
  readonly shownUs: number;
  /** Names picture and size, for `ETag`: letters, digits, dashes and points. */
  readonly tag: string;
}

/** A frame with all that its picture needs, from a key frame on. */
export interface CodedRun {
  readonly kind: "coded";
  readonly frame: StillFrame;
  /** Presentation time of the wanted picture, Unix microseconds. */
  readonly shownUs: number;
  readonly format: VideoFormat;
  /** From a key frame to the wanted one, which is the last. */
  readonly units: readonly CodedUnit[];
}

/** A JPEG that the camera made. */
export interface CameraJpeg {
  readonly kind: "jpeg";
  readonly frame: StillFrame;
  readonly shownUs: number;
  readonly bytes: Uint8Array;
}

/** What a still is made of. */
export type StillMaterial = (CodedRun | CameraJpeg) & {
  /** The moment that was asked for has this frame for good: no need to look it up again. */
  readonly lasting: boolean;
  /** Gives the bytes back. Called once. */
  release(): void;
};

/** Where the frame of one request comes from. Requests with equal keys mean the same picture. */
export interface StillSource {
  readonly key: string;
  /**
   * Waits for what is not there yet (a camera that has to be connected); takes none of the places that work takes.
   * Absent: there is nothing to wait for. What it resolves with is used in place of `open`.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<StillMaterial>;
  /** Gets the material; called when its turn has come. Rejects with NvrdError when there is none. */
  open(signal: AbortSignal): Promise<StillMaterial>;
}

/** `StillFrame` as one string, for maps. */
export function stillFrameText(frame: StillFrame): string {
  return `${frame.stream}@${frame.timeUs}/${frame.rotation}`;
}

/** `StillSize` as one string, for maps. */
export function stillSizeText(size: StillSize): string {
  return `${size.width ?? ""}x${size.height ?? ""}`;
}
