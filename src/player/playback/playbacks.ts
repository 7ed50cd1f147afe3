import type { Principal } from "../../access/index.js";
import type {
  ChangeMessage,
  LeaveMessage,
  LiveCodec,
  PlaybackOrder,
  PlayMessage,
  ServerMessage,
} from "../../contract/answer/index.js";

/** The client that a playback plays to. */
export interface PlaybackClient {
  /** What it can play. */
  readonly codecs: readonly LiveCodec[];
  /** As it is now: rights may change while it plays. */
  readonly principal: Principal;
  send(message: ServerMessage): void;
  /** Sends a binary message, whatever waits: a playback asks `waitingBytes` first, and waits for `onDrain`. */
  sendMedia(bytes: Uint8Array): void;
  readonly waitingBytes: number;
}

/** One client's playback. What it throws as NvrdError is answered with an `error`. */
export interface Playback {
  /** The numbers of its subscriptions. */
  readonly ids: readonly number[];
  order(message: PlaybackOrder): void;
  change(message: ChangeMessage): void;
  leave(message: LeaveMessage): void;
  /** The client has taken something of what waited. */
  onDrain(): void;
  /** The configuration or the user's rights have changed: ends what is no longer allowed, with `ended`. */
  recheck(): void;
  close(): void;
}

/** Plays recordings to clients of the live socket. */
export interface Playbacks {
  /** Channels that play in step at most. */
  readonly channelsMax: number;
  /** Begins a playback. Throws NvrdError. */
  open(message: PlayMessage, client: PlaybackClient): Playback;
}
