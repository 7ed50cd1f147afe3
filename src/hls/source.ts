import type { MediaFile } from "./playlist.js";

/** What a player asks a playlist to hold before it is answered (rfc8216bis, 6.2.5.2). */
export interface ReloadRequest {
  /** `_HLS_msn`: this segment, whole, or with `part` one of its parts. */
  readonly sequence: number;
  /** `_HLS_part` */
  readonly part?: number;
}

/** What one player plays: a live stream, shared with others, or a recording of its own. */
export interface HlsSource {
  /**
   * Resolves when a player can begin. Rejects with NvrdError NOT_SUPPORTED for codecs that HLS does not carry, NOT_AVAILABLE
   * when nothing comes in time, NOT_FOUND when nothing is recorded.
   */
  ready(): Promise<void>;
  /** The text that names the media playlist at `uri`, with codecs, size and bit rate as they are now. */
  multivariantPlaylist(uri: string): string;
  /**
   * The media playlist, with `reload` once it holds what is asked for; what does not come in time is not waited for. Rejects
   * with NvrdError BAD_REQUEST for a segment too far ahead, and as `ready`.
   */
  mediaPlaylist(reload?: ReloadRequest): Promise<Uint8Array>;
  /** A file's bytes in pieces that never change; undefined when there is none of that name, or none any more. */
  file(file: MediaFile): Promise<readonly Uint8Array[] | undefined>;
  /** The player has gone. Calling it twice is harmless. */
  close(): void;
}
