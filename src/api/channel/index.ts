/**
 * api/channel: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { describeChannel } from "./channel-description.js";
export { getRecording, postRecording } from "./channel-recording.js";
export {
  API_CHANNEL_DESCRIPTION,
  API_CHANNEL_STATUS_DESCRIPTION,
  API_CHANNELS_DESCRIPTION,
} from "./describe-api-channels.js";
export { PTZ_DESCRIPTION } from "./describe-ptz.js";
export { getApiChannel, getApiChannelStatus, getApiChannels } from "./get-channels.js";
export { getChannelsStates } from "./get-channels-states.js";
export { getProfiles } from "./get-profiles.js";
export type { ChannelNeeds } from "./needs.js";
export { ptz } from "./ptz.js";
export type { RecordingStates } from "./recording-states.js";
