/**
 * The parameters of queries, once: names, kinds, ranges, defaults and what is said of them. Readers, descriptions, the reference
 * and the page's addresses are made of it.
 *
 * Belongs here: one file a topic, with the parameters of each route that takes some.
 *
 * Does not belong here: what parameters must be together, credentials, headers, and what a route does with them.
 */

export { COMMAND_TYPES, type CommandType, commandQuery } from "./command.js";
export {
  AAC_RATES,
  type AacRate,
  announcementQuery,
  discoveryQuery,
  PTZ_COMMANDS,
  PTZ_STOP_AFTER_MS,
  type PtzCommandName,
  ptzQuery,
  talkQuery,
} from "./device.js";
export {
  archiveEventsQuery,
  eventTypesQuery,
  FINDING_ID_PATTERN,
  findingPictureQuery,
  findingsQuery,
  liveEventsQuery,
  specialEventsQuery,
} from "./event.js";
export type { Asked, AskedValue, LinkTo, Parameter, Parameters } from "./parameters.js";
export type { Queries } from "./queries.js";
export {
  deviceArchiveQuery,
  exportParameters,
  exportQuery,
  fragmentsQuery,
  removalQuery,
  stripQuery,
  timelineQuery,
} from "./recording.js";
export {
  acmeQuery,
  boxesQuery,
  changeQuery,
  channelStatusQuery,
  diskHistoryQuery,
  eventKindsQuery,
  healthQuery,
  historyQuery,
  logQuery,
  manifestQuery,
  revisionsQuery,
  sessionQuery,
} from "./system.js";
export {
  channelParameters,
  formatQuery,
  hlsQuery,
  hlsReloadQuery,
  mobileQuery,
  playingParameters,
  siteQuery,
  stillParameters,
  streamType,
  transcodingParameters,
  videoQuery,
} from "./viewing.js";
