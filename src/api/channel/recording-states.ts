import type { Guid } from "../../base/index.js";
import type { ManualRequest, ManualSwitch, RecordingState } from "../../recording/index.js";

/** Which channels are being recorded, and what users may say about it. */
export interface RecordingStates {
  /** True while the channel's frames go to the disk. */
  isRecording(channelId: Guid): boolean;
  state(channelId: Guid): RecordingState;
  /** Who switched the channel's recording on; undefined when nobody did. */
  manualSwitch(channelId: Guid): ManualSwitch | undefined;
  /** Resolves with whether it is kept over a restart. Rejects with NvrdError CONFLICT where the mode has no such part. */
  switchManually(request: ManualRequest): Promise<boolean>;
}
