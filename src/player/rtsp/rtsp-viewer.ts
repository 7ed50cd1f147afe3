import type { MediaFormat } from "../../live/index.js";
import type { MountSink } from "../../rtsp/server/index.js";

/** Who watches a source of the RTSP server, with its rights. */
export interface RtspViewer {
  /** The channel's name. */
  readonly title: string;
  /** Sound was asked for. */
  readonly wantsSound: boolean;
  /** Rejects with NvrdError if watching is not, or no longer, allowed. */
  admit(): Promise<void>;
  /** Registers a viewer; returns a function that removes it. `holds`: whether its source is unchanged. */
  enter(sink: MountSink, format: MediaFormat | undefined, holds: () => boolean): () => void;
  /** Throws NvrdError FORBIDDEN for a format that is not served. */
  requireServed(format: MediaFormat | undefined): void;
}
