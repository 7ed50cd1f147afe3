import type { Frame, FrameSink, MediaFormat, Subscription } from "../../live/index.js";
import type { PlayOrder } from "./play-order.js";

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

/** What is known of a recorded frame beyond the frame itself (ONVIF Streaming Specification, 6.3). */
export interface RecordedMark {
  /** It does not follow the frame before it: the first one of a PLAY, or behind a gap of the recording. */
  readonly isJump: boolean;
  /** The last one before a gap of the recording. */
  readonly endsSection: boolean;
}

/** One viewer of a recording: it is waited for, and nothing is left out. */
export interface PlaybackSink extends MountSink {
  /** Whether it has enough for now; `onRoom` is called when it can take more. */
  readonly isBusy: boolean;
  onRoom: (() => void) | undefined;
  /** The frame, with recorded times, is leased only during the call. */
  onRecorded(frame: Frame, mark: RecordedMark): void;
  /** The end of what was asked for, or of what is recorded: RTCP BYE; the viewer may ask for another part. */
  onFinished(): void;
}

/** One part of a recording, ready to be sent: its first frames were read. */
export interface Playback {
  /** Presentation time of the frame it begins with, Unix microseconds. */
  readonly firstUs: number;
  /** Sends from here on, paced. Called at most once. */
  start(sink: PlaybackSink): Subscription;
  /** Gives back what was opened, where it is not started. */
  close(): void;
}

/** A recording that can be played from any moment on. */
export interface Recording {
  /** What the URL asks for: 0 of normal play time. Unix microseconds. */
  readonly startUs: number;
  /** How fast it is played where PLAY has no Scale. */
  readonly scale: number;
  /** Whether its places are told by the wall clock first, instead of by normal play time. */
  readonly byClock: boolean;
  /** What there is now, Unix microseconds; undefined when nothing is recorded any more. */
  extent(): { readonly fromUs: number; readonly toUs: number } | undefined;
  /** Rejects with NvrdError when there is nothing to be played there. */
  play(order: PlayOrder): Promise<Playback>;
}

/**
 * Where a mount's frames come from: a live stream, a clip, an archive reader. The server asks `describe` for each
 * DESCRIBE and SETUP and opens the source once for each viewer that plays; a source with many viewers fans out itself
 * and hands all of them the same Frame object, so that it is packetized once.
 */
export interface MountSource {
  /** Sources that hand out the same Frame objects name the same one: their viewers share packets. The source itself when absent. */
  readonly shared?: object;
  /** Present where it is played from a recording instead of by `open`. */
  readonly recording?: Recording;
  /** Undefined while there is nothing to describe (camera not connected): the client gets 503. */
  describe(): Promise<MountDescription | undefined>;
  /** Asked before each PLAY. Rejects with NvrdError when the client may not watch it, or not any more. */
  admit?(): Promise<void>;
  /**
   * Starts sending access units; they may come within this call. Video before the first whole key frame is dropped
   * by the viewer. A stream time (`decodeTimeUs + presentationOffsetUs`) is the wall clock of a sender report.
   */
  open(sink: MountSink): Subscription;
}

/** The user who requests a mount. */
export interface MountRequest {
  /** The Authorization header, as it was sent. */
  readonly authorization: string | undefined;
  /** The client's address. */
  readonly address: string;
  /** The same object for all requests of one connection: what a resolver remembers of it hangs on it. */
  readonly connection: object;
}

/**
 * Finds the source of a request: `resource` is path and query as the client wrote them, without scheme, host and
 * track (`/street`, `/rtsp?channelid=…`). Undefined: 404. Rejects with NvrdError to refuse: the client gets its status.
 */
export type MountResolver = (resource: string, request: MountRequest) => Promise<MountSource | undefined>;

/** Resolves by path from a fixed set, queries set aside. */
export function resolveFromMap(mounts: ReadonlyMap<string, MountSource>): MountResolver {
  return async (resource) => mounts.get(resource) ?? mounts.get(resource.split("?", 1)[0] ?? "");
}
