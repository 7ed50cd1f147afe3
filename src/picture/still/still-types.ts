import type { VideoFormat } from "../../live/index.js";
import type { CodedUnit, Rotation } from "../codec/codec-types.js";

/** Requested size of a still, in pixels after rotation; a missing side follows from the other. */
export interface StillSize {
  readonly width?: number;
  readonly height?: number;
}

/** A frame of a stream and its rotation: part of the cache key. */
export interface StillFrame {
  /** `streamKeyText` of its stream. */
  readonly stream: string;
  /** Decode time, Unix microseconds. */
  readonly timeUs: number;
  readonly rotation: Rotation;
}

/** A finished still; the same object for all requests. */
export interface Still {
  /** A JFIF file. */
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Presentation time of the picture, Unix microseconds. */
  readonly shownUs: number;
  /** Identifies picture and size, for `ETag`: letters, digits, dashes and dots. */
  readonly tag: string;
}

/** A frame with all units needed to decode it. */
export interface CodedRun {
  readonly kind: "coded";
  readonly frame: StillFrame;
  /** Presentation time of the wanted picture, Unix microseconds. */
  readonly shownUs: number;
  readonly format: VideoFormat;
  /** From a key frame to the wanted frame, which is the last. */
  readonly units: readonly CodedUnit[];
}

/** A JPEG that the camera made. */
export interface CameraJpeg {
  readonly kind: "jpeg";
  readonly frame: StillFrame;
  readonly shownUs: number;
  readonly bytes: Uint8Array;
}

/** The input of a still. */
export type StillMaterial = (CodedRun | CameraJpeg) & {
  /** Whether the requested time will always have this frame, so that it need not be looked up again. */
  readonly lasting: boolean;
  /** Releases the bytes. Called once. */
  release(): void;
};

/** The source of one request's frame. Requests with equal keys have the same picture. */
export interface StillSource {
  readonly key: string;
  /**
   * Waits for a camera that has to be connected, without occupying a work slot. Its result is used instead of `open`.
   * Absent: there is nothing to wait for.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<StillMaterial>;
  /** Gets the material, when it is the job's turn. Rejects with NvrdError if there is none. */
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
