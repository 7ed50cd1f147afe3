import type { FrameSink, MediaFormat, Subscription } from "../../live/index.js";

/** What a mount sends: at most one video and one audio format. */
export interface MountDescription {
  /** Session name for the SDP, shown by players. */
  readonly title: string;
  readonly formats: readonly MediaFormat[];
}

/** One viewer, as a source sees it. */
export interface MountSink extends FrameSink {
  /** No more frames will come: the viewer gets an RTCP BYE and its connection is closed. */
  onEnd(reason: string): void;
}

/**
 * Where a mount's frames come from: a live stream, a clip, an archive reader. The server asks `describe` for each
 * DESCRIBE and SETUP and opens the source once for each viewer that plays; a source with many viewers fans out itself
 * and hands all of them the same Frame object, so that it is packetized once.
 */
export interface MountSource {
  /** Undefined while there is nothing to describe (camera not connected): the client gets 503. */
  describe(): Promise<MountDescription | undefined>;
  /**
   * Starts sending access units; they may come within this call. Video before the first whole key frame is dropped
   * by the viewer. A stream time (`decodeTimeUs + presentationOffsetUs`) is the wall clock of a sender report.
   */
  open(sink: MountSink): Subscription;
}

/**
 * Finds the source of a request: `resource` is path and query as the client wrote them, without scheme, host and
 * track (`/street`, `/rtsp?channelid=…`). Undefined: 404.
 */
export type MountResolver = (resource: string) => Promise<MountSource | undefined>;

/** Resolves by path from a fixed set, queries set aside. */
export function resolveFromMap(mounts: ReadonlyMap<string, MountSource>): MountResolver {
  return async (resource) => mounts.get(resource) ?? mounts.get(resource.split("?", 1)[0] ?? "");
}
