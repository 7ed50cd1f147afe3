/**
 * compat/channel: channels as seen by programs: list, state, motion, manual recording, PTZ.
 *
 * Belongs here: /api/channels, states and views of /command, /ptz.
 * Does not belong here: cameras as objects of the configuration (`camera`).
 */
import type { Route } from "../../route/index.js";
import { CERTIFICATE_ROUTES } from "./camera-certificate.js";
import { CAMERA_EVENT_KINDS_ROUTE } from "./camera-event-kinds.js";
import { CAMERA_EVENTS_ROUTE } from "./camera-events.js";
import { MASK_ROUTES } from "./channel-masks.js";
import { OUTPUT_ROUTES } from "./channel-outputs.js";
import { RECORDING_ROUTES } from "./channel-recording.js";
import { CHANNEL_LIST_ROUTES } from "./get-channels.js";
import { MOTION_ROUTE } from "./get-motion.js";
import { VIEWS_ROUTE } from "./get-views.js";
import { PTZ_ROUTES } from "./ptz.js";
import type { ChannelNeeds } from "./recording-states.js";

export { type ChannelFacts, describeChannel, describeChannelFacts } from "./channel-description.js";
export { answerChannelsStates, getChannelsStates, type OtherChannelState } from "./get-channels-states.js";
export { getProfiles } from "./get-profiles.js";
export type { KnownFormats } from "./known-formats.js";
export type { ChannelNeeds, RecordingStates } from "./recording-states.js";

export const CHANNEL_ROUTES: readonly Route<ChannelNeeds>[] = [
  ...CHANNEL_LIST_ROUTES,
  ...RECORDING_ROUTES,
  ...OUTPUT_ROUTES,
  ...MASK_ROUTES,
  ...CERTIFICATE_ROUTES,
  CAMERA_EVENTS_ROUTE,
  CAMERA_EVENT_KINDS_ROUTE,
  MOTION_ROUTE,
  ...PTZ_ROUTES,
  VIEWS_ROUTE,
];
