import type { Clock } from "../../base/index.js";
import type { CameraKeys, EventOffers, GapFillStates, Masks, Ptz, Relays } from "../../camera/index.js";
import type { EventLog } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { MotionStates } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";
import type { KnownFormats } from "./known-formats.js";
import type { RecordingStates } from "./recording-states.js";

/** What the routes of this topic work with. */
export interface ChannelNeeds {
  readonly site: SiteStore;
  readonly recording: RecordingStates;
  readonly streams: StreamDirectory;
  readonly clock: Clock;
  readonly ptz: Ptz;
  readonly relays: Relays;
  readonly masks: Masks;
  readonly cameraKeys: Pick<CameraKeys, "of" | "accept">;
  readonly eventOffers: EventOffers;
  readonly gapFills: GapFillStates;
  readonly events: Pick<EventLog, "raise">;
  readonly formats: KnownFormats;
  readonly motion: Pick<MotionStates, "reportsMotion" | "seen">;
}
