import type { Guid } from "../../base/index.js";
import type { ManualRequest, ManualSwitch, RecordingState } from "../../recording/index.js";

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
