/**
 * api/channel: channels as programs see them: what there is, its state, recording by hand, PTZ.
 *
 * Belongs here: /api/channels, states and views of /command, /ptz.
 * Does not belong here: cameras as objects of the configuration (`camera`).
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
