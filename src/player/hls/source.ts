import type { MediaFile } from "./playlist.js";

/** A blocking reload: what the playlist must contain before it is sent (rfc8216bis, 6.2.5.2). */
export interface ReloadRequest {
  /** `_HLS_msn`: this segment, whole, or with `part` one of its parts. */
  readonly sequence: number;
  /** `_HLS_part` */
  readonly part?: number;
}

/** A player's request that waits for its answer. */
export interface PlayerRequest {
  /** Calls `listener` once when the player is gone or has its answer; at once if that is so already. */
  onClose(listener: () => void): void;
}

/** The source of one player: a live stream shared with others, or a recording. Nothing waits for a player that has gone. */
export interface HlsSource {
  /**
   * Resolves when a player can begin. Rejects with NvrdError NOT_SUPPORTED for codecs that HLS does not carry,
   * NOT_AVAILABLE if nothing comes in time, NOT_FOUND if nothing is recorded.
   */
  ready(request: PlayerRequest): Promise<void>;
  /** The multivariant playlist, which names the media playlist at `uri`, with the current codecs, size and bit rate. */
  multivariantPlaylist(uri: string): string;
  /**
   * The media playlist; with `reload`, once it contains the requested part, or after a time limit. Rejects with
   * NvrdError BAD_REQUEST for a segment too far ahead, and as `ready`.
   */
  mediaPlaylist(request: PlayerRequest, reload?: ReloadRequest): Promise<Uint8Array>;
  /** A file's bytes in pieces that never change; undefined if it does not exist, or no longer. */
  file(file: MediaFile, request: PlayerRequest): Promise<readonly Uint8Array[] | undefined>;
  /** The player has gone. Calling it twice is harmless. */
  close(): void;
}
