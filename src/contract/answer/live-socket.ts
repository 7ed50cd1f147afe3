/**
 * Messages of the live socket, `GET /api/live` with the subprotocol `nvrd.live.1` (docs/ref/live-socket.md). Text messages are
 * JSON, one object each. Times are Unix milliseconds, with a fraction. Binary messages are media, described there byte by byte.
 */

/** Families of codecs that a client may be able to play. */
export const LIVE_CODECS = ["avc1", "hvc1", "mp4a", "flac"] as const;
export type LiveCodec = (typeof LIVE_CODECS)[number];

/** Which stream is asked for. */
export const LIVE_STREAM_CHOICES = ["auto", "main", "alternative"] as const;
export type LiveStreamChoice = (typeof LIVE_STREAM_CHOICES)[number];

/** Largest number of a subscription. */
export const WATCH_ID_MAX = 65_535;
export const PLAY_SPEED_MIN = 0.25;
export const PLAY_SPEED_MAX = 32;

/** How large a picture is shown, in device pixels. The service picks the smallest stream that fills it. */
export interface Tile {
  readonly width: number;
  readonly height: number;
}

/** The first message: what the client can play. Families of codecs, as in the `codecs` parameter of RFC 6381. */
export interface HelloMessage {
  readonly type: "hello";
  readonly codecs: readonly LiveCodec[];
}

/** Begins to watch a channel live. `id` is the client's own number of this subscription, 1 to `WATCH_ID_MAX`. */
export interface WatchMessage {
  readonly type: "watch";
  readonly id: number;
  /** GUID of the channel. */
  readonly channel: string;
  readonly tile: Tile;
  /** `auto` by default. */
  readonly stream?: LiveStreamChoice;
  /** Whether sound is sent too; false by default. */
  readonly sound?: boolean;
}

/** Changes a subscription, live or of a playback; what is absent stays. */
export interface ChangeMessage {
  readonly type: "change";
  readonly id: number;
  readonly tile?: Tile;
  readonly stream?: LiveStreamChoice;
  readonly sound?: boolean;
}

/** Ends a subscription. A playback ends with its last one. */
export interface LeaveMessage {
  readonly type: "leave";
  readonly id: number;
}

/** From `PLAY_SPEED_MIN` to `PLAY_SPEED_MAX` forwards, the same below 0 backwards by key frames. Beyond 4 only key frames are sent. */
export type PlaySpeed = number;

/** Plays recordings of several channels in step. One playback a client: another one takes its place. */
export interface PlayMessage {
  readonly type: "play";
  readonly watches: readonly Omit<WatchMessage, "type">[];
  readonly from: number;
  /** 1 by default. */
  readonly speed?: PlaySpeed;
  /** Begins paused, with the picture at `from`; false by default. */
  readonly paused?: boolean;
}

export interface SeekMessage {
  readonly type: "seek";
  readonly to: number;
}

export interface SpeedMessage {
  readonly type: "speed";
  readonly speed: PlaySpeed;
}

export interface PauseMessage {
  readonly type: "pause" | "resume";
}

/** One picture forwards or backwards, of the first channel of the playback; the others follow in time. Pauses. */
export interface StepMessage {
  readonly type: "step";
  readonly by: 1 | -1;
}

export type ClientMessage =
  | HelloMessage
  | WatchMessage
  | ChangeMessage
  | LeaveMessage
  | PlayMessage
  | SeekMessage
  | SpeedMessage
  | PauseMessage
  | StepMessage;

/** Why a subscription shows nothing just now. It goes on by itself when the reason is gone. */
export type ProblemReason =
  | "camera-lost"
  | "camera-refuses-login"
  | "switched-off"
  | "starting"
  | "no-playable-stream"
  | "too-many-viewers"
  | "index-opening"
  | "recording-not-readable";

/** Describes the stream whose init segment follows; sent again whenever the stream changes. */
export interface StreamMessage {
  readonly type: "stream";
  /** The client's number of the subscription. */
  readonly id: number;
  /** The service's number of this stream: binary messages carry it. */
  readonly feed: number;
  /** For `MediaSource.isTypeSupported` and `addSourceBuffer`, with all tracks' codecs. */
  readonly mime: string;
  readonly source: "main" | "alternative" | "transcode";
  readonly width: number;
  readonly height: number;
  readonly sound: boolean;
  /** Why it is not the stream that the tile asks for. */
  readonly reason?: "codec-not-playable" | "only-stream" | "sound-codec-not-playable";
}

export type ServerMessage =
  | {
      readonly type: "welcome";
      readonly version: string;
      /** The service's clock now. */
      readonly time: number;
      readonly limits: { readonly watches: number; readonly playbackChannels: number };
    }
  | StreamMessage
  /** `since`: the last picture, or when the state began; absent when that is not known. */
  | {
      readonly type: "problem";
      readonly id: number;
      readonly reason: ProblemReason;
      readonly since?: number;
      readonly text: string;
    }
  /** The client was behind: so many pictures were left out, and it goes on with a key frame. */
  | { readonly type: "dropped"; readonly id: number; readonly count: number }
  /** A stretch without a recording that the playback jumps over. `reason` as in `/api/timeline`. */
  | {
      readonly type: "gap";
      readonly id: number;
      readonly from: number;
      readonly to: number;
      readonly reason: string;
    }
  /** The playback as it is now: sent after each order, and when it reaches an end. */
  | {
      readonly type: "playback";
      readonly state: "playing" | "paused" | "edge" | "start";
      readonly time: number;
      readonly speed: PlaySpeed;
    }
  /** The subscription is over; `code` as in docs/ref/errors.md. */
  | { readonly type: "ended"; readonly id: number; readonly code: string; readonly text: string }
  /** A message that was not understood or not taken; nothing changed. */
  | { readonly type: "error"; readonly id?: number; readonly code: string; readonly text: string };
