import type { Frame, FrameSink, MediaFormat, Subscription } from "../../live/index.js";
import type { PlayOrder } from "./play-order.js";

/** What a mount sends: at most one video and one audio format. */
export interface MountDescription {
  /** Session name for the SDP, shown by players. */
  readonly title: string;
  readonly formats: readonly MediaFormat[];
}

/** One viewer, as seen by a source. */
export interface MountSink extends FrameSink {
  /** No more frames follow: the viewer gets an RTCP BYE, and its connection is closed. */
  onEnd(reason: string): void;
}

/** Marks of a recorded frame (ONVIF Streaming Specification, 6.3). */
export interface RecordedMark {
  /** Whether it does not continue the previous frame: it is the first one of a PLAY, or follows a gap of the recording. */
  readonly isJump: boolean;
  /** Whether it is the last one before a gap of the recording. */
  readonly endsSection: boolean;
}

/** One viewer of a recording: the playback waits for it, and drops nothing. */
export interface PlaybackSink extends MountSink {
  /** Whether its queue is full; `onRoom` is called when it can take more. */
  readonly isBusy: boolean;
  onRoom: (() => void) | undefined;
  /** The frame, with recorded times, is leased only during the call. */
  onRecorded(frame: Frame, mark: RecordedMark): void;
  /** The requested range, or the recording, has ended: the viewer gets an RTCP BYE and may request another range. */
  onFinished(): void;
}

/** One range of a recording, ready to be sent: its first frames are read. */
export interface Playback {
  /** Presentation time of the first frame, Unix microseconds. */
  readonly firstUs: number;
  /** Starts sending, paced. Called at most once. */
  start(sink: PlaybackSink): Subscription;
  /** Releases what was opened, if it is not started. */
  close(): void;
}

/** A recording that can be played from any time. */
export interface Recording {
  /** The time that the URL asks for, which is npt=0. Unix microseconds. */
  readonly startUs: number;
  /** Scale if PLAY has none. */
  readonly scale: number;
  /** Whether the SDP gives the clock range before the npt range. */
  readonly byClock: boolean;
  /** The recorded range at present, Unix microseconds; undefined if nothing is left. */
  extent(): Promise<{ readonly fromUs: number; readonly toUs: number } | undefined>;
  /** Rejects with NvrdError if there is nothing to play. */
  play(order: PlayOrder): Promise<Playback>;
}

/**
 * Where a mount's frames come from: a live stream, a clip, an archive reader. The server calls `describe` for each
 * DESCRIBE and SETUP, and opens the source once for each playing viewer. A source with many viewers passes the same
 * Frame object to all of them, so that it is packetized once.
 */
export interface MountSource {
  /**
   * Sources that deliver the same Frame objects have the same value here, and their viewers share packets. Default: the
   * source itself.
   */
  readonly shared?: object;
  /** If present, it is played instead of `open`. */
  readonly recording?: Recording;
  /** Resolves with undefined while the format is unknown (camera not connected): the client gets 503. */
  describe(): Promise<MountDescription | undefined>;
  /** Called before each PLAY. Rejects with NvrdError if the client may not watch, or no longer. */
  admit?(): Promise<void>;
  /**
   * Starts sending access units, possibly within this call. The viewer drops video before the first whole key frame.
   * Sender reports take the stream time (`decodeTimeUs + presentationOffsetUs`) as wall clock.
   */
  open(sink: MountSink): Subscription;
}

/** The user who requests a mount. */
export interface MountRequest {
  /** The Authorization header, as it was sent. */
  readonly authorization: string | undefined;
  /** The client's address. */
  readonly address: string;
  /** The same object for all requests of one connection: the key for what a resolver remembers about it. */
  readonly connection: object;
  /** Aborted when the client is gone: what it waits for is of no use any more. */
  readonly gone: AbortSignal;
}

/**
 * Finds the source of a request: `resource` is path and query as the client wrote them, without scheme, host and
 * track (`/street`, `/rtsp?channelid=…`). Undefined: 404. Rejects with NvrdError to refuse: the client gets its status.
 */
export type MountResolver = (resource: string, request: MountRequest) => Promise<MountSource | undefined>;

/** Resolves by path from a fixed set, ignoring queries. */
export function resolveFromMap(mounts: ReadonlyMap<string, MountSource>): MountResolver {
  return async (resource) => mounts.get(resource) ?? mounts.get(resource.split("?", 1)[0] ?? "");
}
