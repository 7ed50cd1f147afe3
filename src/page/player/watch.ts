import type {
  BoxesMessage,
  ClientMessage,
  PlaySpeed,
  ProblemReason,
  ServerMessage,
  StreamMessage,
  Tile,
} from "../../contract/answer/index.js";
import type { MediaHeader } from "./media-header.js";

type Message<Type extends ServerMessage["type"]> = Extract<ServerMessage, { readonly type: Type }>;

export type ProblemMessage = Message<"problem">;
export type GapMessage = Message<"gap">;
export type PlaybackMessage = Message<"playback">;

/** Why a subscription is over, or was not taken; the service's words, in English. */
export interface Refusal {
  readonly code: string;
  readonly text: string;
}

/** What is to be shown, and how large. */
export interface WatchOrder {
  /** GUID of the channel. */
  readonly channel: string;
  /** Device pixels. */
  readonly tile: Tile;
  readonly stream?: "auto" | "main" | "alternative";
  readonly sound?: boolean;
  /** Where something is seen is sent; live alone. */
  readonly boxes?: boolean;
}

/** What a subscription reports. A `PicturePlayer` takes the first three. */
export interface WatchListener {
  /** Another stream: its init segment follows. */
  onStream(message: StreamMessage): void;
  onInit(bytes: Uint8Array): void;
  onFragment(header: MediaHeader, bytes: Uint8Array): void;
  onProblem(message: ProblemMessage): void;
  onBoxes?(message: BoxesMessage): void;
  /** The service left out so many pictures, as this client or its link was too slow. */
  onDropped(count: number): void;
  /** Not taken, or over. It is not asked for again by itself. */
  onEnded(refusal: Refusal): void;
  /** Playback: no recording between two moments; the playback goes on behind it. */
  onGap?(message: GapMessage): void;
}

/** A subscription: it lasts over lost connections until `leave`. */
export interface Watch {
  change(what: Partial<Omit<WatchOrder, "channel">>): void;
  /** From the beginning, with a new init segment and a key frame: after an error of the player. */
  restart(): void;
  leave(): void;
}

export interface PlaybackOrder {
  readonly watches: readonly { readonly order: WatchOrder; readonly listener: WatchListener }[];
  /** Unix milliseconds. */
  readonly from: number;
  /** Which of the connection's playbacks it is, counted from 0; the one that was there is over. */
  readonly deck: number;
  /** 1 by default. */
  readonly speed?: PlaySpeed;
  readonly paused?: boolean;
}

export interface PlaybackListener {
  /** As the service has it now: after each order, and at an end of the recordings. */
  onPlayback(message: PlaybackMessage): void;
  /** An order was not taken. */
  onRefused(refusal: Refusal): void;
  /** The moment that is shown now, Unix milliseconds: after a lost connection it goes on from there. */
  position(): number | undefined;
}

/** Recordings of several channels, in step. */
export interface Playback {
  /** In the order in which they were asked for. */
  readonly watches: readonly Watch[];
  seek(toMs: number): void;
  /** Stands; the key frames of a stretch come, not closer than `every`. Unix milliseconds. */
  scan(stretch: { readonly from: number; readonly to: number; readonly every: number }): void;
  speed(speed: PlaySpeed): void;
  pause(): void;
  resume(): void;
  /** From the moment that `position` names, with new init segments and key frames. */
  restart(): void;
  /** One picture of the first channel; pauses. */
  step(by: 1 | -1): void;
  close(): void;
}

export type { ClientMessage, PlaySpeed, ProblemReason, StreamMessage, Tile };
