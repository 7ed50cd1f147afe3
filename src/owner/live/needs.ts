import type { ArchiveAccess } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { LiveFeeds, Playbacks } from "../../player/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { ChannelStates } from "./channel-states.js";
import type { LiveSockets } from "./live-sockets.js";
import type { SeenBoxes } from "./seen-boxes.js";

/** What the routes of this topic work with. */
export interface LiveNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** The streams that are sent. */
  readonly liveFeeds: LiveFeeds;
  /** The clients. */
  readonly liveSockets: LiveSockets;
  /** How channels are. */
  readonly channelStates: ChannelStates;
  /** Where something is seen. */
  readonly seenBoxes: SeenBoxes;
  /** The recordings. */
  readonly playbacks: Playbacks;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
}
