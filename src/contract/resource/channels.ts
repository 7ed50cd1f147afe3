import { id, list } from "../kinds/kinds.js";

/** So many channels a recorder has at most. */
export const CAMERAS_MAX = 256;

/** Channels, each named once. */
export const channelIds = list(id, CAMERAS_MAX, "channels");
