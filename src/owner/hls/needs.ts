import type { ArchiveAccess } from "../../archive/index.js";
import type { ByteBudget, Clock } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { LivePackagers, SoundCodec } from "../../player/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { HlsSessions } from "./hls-sessions.js";

/** What the routes of this topic work with. */
export interface HlsNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** Converts sound. */
  readonly soundCodec: SoundCodec;
  /** For recordings in a codec that no player shows. */
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  /** Live streams that are packaged for HLS. */
  readonly hlsStreams: LivePackagers;
  /** Memory budget for recorded HLS segments that are read ahead. */
  readonly hlsReadAhead: ByteBudget;
  /** Names of the streams played by HLS. */
  readonly hlsSessions: HlsSessions;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
