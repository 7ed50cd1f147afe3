/**
 * api/channel: channels as programs see them: what there is, its state, recording by hand, PTZ.
 *
 * Belongs here: /api/channels, states and views of /command, /ptz.
 * Does not belong here: cameras as objects of the configuration (`camera`).
 */
export { describeChannel } from "./channel-description.js";
export { RECORDING_ROUTES } from "./channel-recording.js";
export { CHANNEL_ROUTES } from "./get-channels.js";
export { getChannelsStates } from "./get-channels-states.js";
export { getProfiles } from "./get-profiles.js";
export type { ChannelNeeds } from "./needs.js";
export { PTZ_ROUTES } from "./ptz.js";
export type { RecordingStates } from "./recording-states.js";
