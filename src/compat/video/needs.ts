import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { LiveSounds, SoundCodec } from "../../player/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface VideoNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** Converts sound. */
  readonly soundCodec: SoundCodec;
  /** The converted sound of live streams. */
  readonly liveSounds: LiveSounds;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
