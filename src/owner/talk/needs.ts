import type { Clock } from "../../base/index.js";
import type { Announcements, Talk } from "../../camera/index.js";
import type { EventLog } from "../../event/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface TalkNeeds {
  readonly site: SiteStore;
  readonly talk: Talk;
  readonly announcements: Pick<Announcements, "list" | "get" | "add" | "remove" | "decode" | "play">;
  readonly events: Pick<EventLog, "raise">;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}
