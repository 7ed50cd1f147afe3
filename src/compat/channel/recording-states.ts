import type { Clock, Guid } from "../../base/index.js";
import type { CameraKeys, EventOffers, GapFillStates, Masks, Ptz, Relays } from "../../camera/index.js";
import type { EventLog } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { ManualRequest, ManualSwitch, MotionStates, RecordingState } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";
import type { KnownFormats } from "./known-formats.js";

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

/** Which channels are being recorded, and the manual switch. */
export interface RecordingStates {
  /** True while the channel's frames are written to the disk. */
  isRecording(channelId: Guid): boolean;
  state(channelId: Guid): RecordingState;
  /** The user's switch of the channel's recording; undefined if there is none. */
  manualSwitch(channelId: Guid): ManualSwitch | undefined;
  /** Resolves with whether it survives a restart. Rejects with NvrdError CONFLICT if the mode does not support it. */
  switchManually(request: ManualRequest): Promise<boolean>;
}
