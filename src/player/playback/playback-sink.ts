import type { ServerMessage } from "../../contract/answer/index.js";

/** Where a playback's messages and media go: one client's connection. Its calls must not throw. */
export interface PlaybackSink {
  message(message: ServerMessage): void;
  /** An init segment or a fragment, with its header. */
  media(bytes: Uint8Array): void;
  /** Bytes that the client has not read yet. When they have become fewer, `Playback.drained` is to be called. */
  readonly waitingBytes: number;
}
