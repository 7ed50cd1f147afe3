import type { ArchiveAccess, ProtectionAccess, RecordedBytes } from "../../archive/index.js";
import type { AwayControl } from "../../away/index.js";
import type { Clock } from "../../base/index.js";
import type { Cards, GapFillStates } from "../../camera/index.js";
import type { EventRate } from "../../compat/index.js";
import type { EventLog } from "../../event/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { CardPlaces } from "./card-places.js";

/** What the routes of this topic work with. */
export interface ArchiveNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  /** What each channel records. */
  readonly channelBytes: Pick<RecordedBytes, "read">;
  /** The evidence lock. */
  readonly protection: ProtectionAccess;
  /** Their locks in object storage. */
  readonly away: AwayControl;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly eventRate: EventRate;
  readonly openStreams: OpenStreams;
  readonly cards: Cards;
  readonly gapFills: GapFillStates;
  readonly cardPlaces: CardPlaces;
}
