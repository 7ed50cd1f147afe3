/**
 * compat: the reference's surface: the endpoints that programs written for its API use. One folder per topic, one file per
 * endpoint with its path, rights, description and code.
 *
 * Belongs here: the topics, and the content of their requests and answers.
 * Does not belong here: what nvrd adds (`owner`), what all endpoints share (`route`), how video is paced and packaged (`player`),
 * HTTP syntax (`http`), the model of the configuration (`site`).
 *
 * Parts: `camera/`: cameras as objects of the configuration; `channel/`: channels, their state, manual recording, PTZ; `video/`:
 * /video; `archive/`: runs of recording; `event/`: events, live and searched; `export/`: recordings as files; `mobile/`: /mobile;
 * `rtsp/`: the mounts of the RTSP server; `still/`: /site; `configuration/`: /configex, and the configuration except cameras;
 * `scenario/`: scenarios as users run them; `command/`: queries selected by a parameter; `health/`: /hddstatus.
 */
export {
  addCameras,
  hasSecurityObject,
  readChangedCamera,
  readDeviceAddress,
} from "./camera/index.js";
export {
  answerChannelsStates,
  describeChannelFacts,
  type OtherChannelState,
  type RecordingStates,
} from "./channel/index.js";
export {
  ADD_AWAY_TARGET,
  ConfigurationAnswers,
  describeSelection,
  type OtherServer,
  type OtherServers,
  type PartnerServer,
  type PartnerServers,
  REMEMBERED_ANSWER_BYTES_MAX,
  SELECTION_RULE_OF_NEW,
  SELECTION_RULES,
  selectionOf,
} from "./configuration/index.js";
export {
  archiveEventTexts,
  type EventCounts,
  EventFeed,
  type EventListener,
  type EventNeeds,
  EventPages,
  EventRate,
  EventSearches,
  formatLiveItem,
  isUserInitiator,
  mayReadEventLog,
  mayReceive,
  maySeeAllUsers,
  openEvents,
  readArchiveEventsBody,
  shownEvent,
} from "./event/index.js";
export {
  answerSizedFile,
  EXPORT_MEMORY_BYTES,
  EXPORTS_MAX,
  type ExportNeeds,
  type ExportPlan,
  type ExportRequest,
  Exports,
  fileNameOf,
  type PlannedUnit,
  pump,
  readExportRequest,
  readRecords,
  refusedExport,
  UnitMemory,
} from "./export/index.js";
export { COMPAT_ROUTES, type CompatNeeds } from "./routes.js";
export { RtspMounts, type RtspNeeds, withoutSecrets } from "./rtsp/index.js";
export {
  archiveMaterial,
  liveSource,
  partAround,
  type SeenStillNeeds,
  SNAPSHOT_BYTES_MAX,
  type SnapshotSource,
  seenStill,
} from "./still/index.js";
