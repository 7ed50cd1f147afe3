/**
 * What the service answers under /api, and the messages of the live socket, once: members, kinds and what is said of them.
 *
 * Belongs here: one file a topic, with its answers and their types. The page takes the types alone: texts are in descriptions.
 *
 * Does not belong here: what a body may hold (`resource/`), and what an answer is made from.
 */

export {
  allProtectedTimes,
  type BookmarkMade,
  bookmarkMade,
  type FormerCamera,
  formerCameras,
  type ProtectedTime,
  type ProtectedTimeOfChannel,
  type ProtectionLifted,
  type ProtectionLoss,
  protectedTime,
  protectedTimes,
  protectionLifted,
  protectionLoss,
  type RecordingsGiven,
  recordingsGift,
  recordingsGiven,
} from "./archive-keeping.js";
export {
  ARCHIVE_DAYS,
  type ArchiveChannel,
  type ArchiveReach,
  archiveReach,
  type ReachReason,
} from "./archive-reach.js";
export {
  AWAY_ACTIVITIES,
  type AwayBucket,
  type AwayState,
  type AwayTests,
  awayBucket,
  awayStates,
  awayTests,
} from "./away.js";
export { type BrokerState, type BrokerTrial, brokerState, brokerTrial } from "./broker.js";
export {
  ACME_PROBLEMS,
  type AcmeAnswer,
  type AcmeFindingsObject,
  type AcmeProblem,
  acmeState,
  type CertificateObject,
  type CertificateState,
  certificateFacts,
  certificateState,
} from "./certificate.js";
export {
  type CameraMasks,
  type ChannelStatus,
  cameraMasks,
  channelStatus,
  type EventKinds,
  eventKinds,
  type OfferedEvents,
  type OutputSwitched,
  type Outputs,
  offeredEvents,
  outputSwitched,
  outputs,
  type StreamLoss,
  type StreamStatus,
} from "./channel.js";
export { type ClockState, clock } from "./clock.js";
export {
  type DirectoryProblem,
  type DirectoryState,
  type DirectoryTrialResult,
  directoryState,
  directoryTrial,
} from "./directory.js";
export {
  type AdditionItem,
  type AdditionResult,
  additionList,
  type CameraTable,
  type CsvFaultCode,
  type CsvFaultObject,
  cameraTable,
  type DiscoveryItem,
  discoveryList,
  type ReadCamera,
  type ReadingResult,
} from "./discovery.js";
export {
  type Disk,
  type DiskFigureName,
  type DiskHistory,
  type DiskSample,
  type Disks,
  type DiskWork,
  type DiskWorkBegun,
  diskHistory,
  disks,
  diskWorkBegun,
  type Volume,
} from "./disk.js";
export {
  type AnalyserStateItem,
  type AnalyserTest,
  analyserStates,
  analyserTest,
  FINDING_DIRECTIONS,
  FINDING_PATH_MAX,
  FINDING_SOURCES,
  FINDING_ZONES_MAX,
  type Finding,
  type FindingBox,
  type Findings,
  findings,
  type ObjectTrialAnswer,
  objectTrial,
  type PredictionKindName,
  type SeenFindings,
  seenFindings,
  type WholeFinding,
  wholeFinding,
} from "./finding.js";
export {
  BOX_SILENCES,
  type FleetPartner,
  type FleetPartners,
  fleetPartners,
  HUB_PROBLEMS,
  type HubBox,
  type HubBoxes,
  type HubBoxFigures,
  type HubCodeAnswer,
  type HubState,
  hubBoxes,
  hubCode,
  hubState,
  PARTNER_PROBLEMS,
  type PartnerCodeAnswer,
  partnerCode,
} from "./fleet.js";
export {
  type CameraHealth,
  type Health,
  health,
  type ObjectsCause,
  RUN_ENDS,
  type RunEnd,
  type StreamHealth,
} from "./health.js";
export {
  HISTORY_SPANS,
  type History,
  type HistoryFigureName,
  type HistorySeries,
  type HistorySpan,
  history,
} from "./history.js";
export {
  type BoxesMessage,
  type ChangeMessage,
  type ClientMessage,
  type HelloMessage,
  type LeaveMessage,
  LIVE_CODECS,
  type LiveCodec,
  liveNotices,
  liveOrders,
  type PlaybackOrder,
  type PlayMessage,
  type PlaySpeed,
  PROBLEM_REASON_TEXTS,
  type ProblemReason,
  type SeenBox,
  type ServerMessage,
  STREAM_REASON_TEXTS,
  type StateMessage,
  type StatesMessage,
  type StreamMessage,
  type Tile,
  type WatchMessage,
  watchId,
} from "./live-socket.js";
export {
  LOG_LEVELS,
  LOG_LINES_MAX,
  LOG_TEXT_LENGTH_MAX,
  type LogLevel,
  log,
  type ServiceLog,
} from "./log.js";
export { type MotionSearch, type MotionSearches, motionSearch, motionSearches } from "./motion-search.js";
export {
  type Ipv4Settings,
  type Ipv6Settings,
  ipv4Methods,
  ipv6Methods,
  NETWORK_MANAGERS,
  type Network,
  type NetworkBox,
  type NetworkInterface,
  type NetworkSettings,
  type NetworkTrial,
  type NetworkTrialBegun,
  type NetworkTrialConfirmed,
  type NetworkTrialEnded,
  network,
  networkBox,
  networkTrialBegun,
  networkTrialConfirmed,
  networkTrialEnded,
} from "./network.js";
export { type OnvifDeviceState, onvifDeviceState } from "./onvif-device.js";
export {
  type PushKey,
  type PushResultItem,
  type PushSubscriptionItem,
  pushKey,
  pushResult,
  pushSubscription,
  pushSubscriptions,
} from "./push.js";
export { type FleetReplicas, fleetReplicas } from "./replica.js";
export {
  CONVERSION_LACKS,
  type FileLinkList,
  type FileLinkMade,
  type FileLinkObject,
  type FileLinkRevoked,
  fileLinkList,
  fileLinkMade,
  fileLinkRevoked,
  type SavedFileList,
  type SavedFileObject,
  type SavedFileRemoved,
  savedFileList,
  savedFileRemoved,
} from "./saved-file.js";
export {
  type OfferedScenario,
  offeredScenarios,
  type ScenarioRunState,
  scenarioRun,
} from "./scenario.js";
export { type SessionItem, type SessionState, type Sessions, session, sessions } from "./session.js";
export {
  PASSWORD_ADVICE,
  PASSWORD_SCORE_MIN,
  PASSWORD_WARNINGS,
  type PasswordStrength,
  passwordStrength,
  type Setup,
  setup,
} from "./setup.js";
export { LOSS_IDS, type LossId, type LostCause } from "./stream.js";
export {
  type TaskItem,
  type TaskKind,
  type TaskObject,
  type TaskResult,
  type TaskResults,
  type TaskState,
  task,
  taskCancelled,
  taskList,
} from "./task.js";
export {
  adoptOrder,
  adoptOrderTexts,
  checkOrder,
  checkOrderTexts,
  forgetOrder,
  forgetOrderTexts,
  formatOrder,
  formatOrderTexts,
  moveOrder,
  moveOrderTexts,
  replaceOrder,
  replaceOrderTexts,
  retireOrder,
  retireOrderTexts,
  saveFileOrder,
  saveFileOrderTexts,
  tryAcmeOrder,
  tryAcmeOrderTexts,
} from "./task-orders.js";
export {
  EVENT_GROUPS,
  GAP_REASON_TEXTS,
  type GapReason,
  type StripHeader,
  type Timeline,
  type TimelineChannel,
  type TimelineCounts,
  type TimelineEventGroup,
  type TimelineEvents,
  type TimelineGap,
  type TimelineProtected,
  type TimelineRun,
  timeline,
} from "./timeline.js";
export { UPDATE_PHASES, type UpdatePhase, type UpdateProgress, update } from "./update.js";
