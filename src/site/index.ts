/**
 * site: the configuration: the server, cameras, security objects, user groups and users, views, locations, settings for
 * viewers, alarm targets, targets of recordings off the box, analysers; with revisions, stored in LMDB.
 *
 * Belongs here: the model, its checks, its store, its history. Does not belong here: rights (`access`), its form in the API
 * (`compat`, `owner`), acting on it (`camera`, `recording`).
 *
 * Parts: `model/`: the configuration and its limits; `schema/`: its checks; `store/`: its revisions on disk.
 */

export {
  GROUP_RIGHTS,
  type GroupRight,
  MOBILE_LEVELS,
  type MobileLevelName,
  readIdentity,
  readRecipient,
} from "../contract/index.js";
export { contractValues as siteValues } from "../contract/reading/index.js";
export type {
  AlarmDelivery,
  AlarmEvents,
  AlarmTarget,
  EventSelection,
  MailDelivery,
  QuietHours,
  SendingHours,
  SyslogDelivery,
  WebhookDelivery,
} from "./model/alarm-target.js";
export type { Analyser, FrigateFeed, VisionServer } from "./model/analyser.js";
export {
  AWAY_PLAN_DEFAULT,
  AWAY_TARGET_DEFAULT,
  type AwayLockMode,
  type AwayPlan,
  type AwayTarget,
} from "./model/away-target.js";
export type { BrokerInConfiguration } from "./model/broker.js";
export {
  type CameraOptions,
  type ConnectionOptions,
  DEFAULT_CAMERA_OPTIONS,
  DEFAULT_OBJECTS,
  type DetectorOptions,
  type ExternalPort,
  NEW_CAMERA_OPTIONS,
  type ObjectChoice,
  type ServerBindings,
} from "./model/camera-options.js";
export { analyseStreamType, archiveStreamType } from "./model/camera-roles.js";
export { cameraOptions, isOnMap, ownCameras } from "./model/camera-settings.js";
export type { DirectorySettings } from "./model/directory.js";
export { allRights, createFirstSite, ROOT_USER_NAME } from "./model/first-site.js";
export type { FollowerPlace, SiteListener } from "./model/followers.js";
export { knownAddress, maskedPath, maskedQuery } from "./model/masked-address.js";
export {
  type ArchiveSettings,
  type ArchivingMode,
  type Camera,
  type ConnectionSettings,
  type DayRange,
  isScheduled,
  LOCKED_SECRET,
  type LocalClock,
  type LocalTime,
  ROTATION_DEGREES,
  type RotationMode,
  type SecurityObject,
  type Site,
  type StreamRole,
  type StreamSettings,
  type User,
  type UserGroup,
  type VideoFormatName,
  WEEK_DAYS,
  type WeekDay,
  type WeeklySchedule,
} from "./model/model.js";
export { motionChoice, takesOwnMotion } from "./model/motion-choice.js";
export type { OnvifDeviceSettings } from "./model/onvif-device.js";
export type {
  EventAction,
  ScenarioAction,
  ScenarioStart,
  UserScenario,
} from "./model/scenario.js";
export { goesElsewhere, SECRET_PLACES, type SecretPlaces } from "./model/secret-places.js";
export { type Folder, foldersOf, hangsOnRoot, placeChannels, withFolders } from "./model/security-folders.js";
export { isMarked, isRecordedOn } from "./model/seen-settings.js";
export { type ChangeAuthor, type SiteChange, siteChange } from "./model/site-change.js";
export { DEFAULT_GROUP_PARTS, DEFAULT_SITE_PARTS } from "./model/site-defaults.js";
export { SITE_LIMITS } from "./model/site-limits.js";
export type {
  MapFolder,
  MobileLevel,
  MobileSettings,
  MonitoringSettings,
  RtspOutletSettings,
  View,
} from "./model/site-settings.js";
export type { ChangeOptions, SiteStore } from "./model/types.js";
export { selection as storedSelection } from "./schema/alarm-target-schema.js";
export { foldName, unknownChannels } from "./schema/check-parts.js";
export { type AreTwoDevices, type SiteWarning, siteWarnings } from "./schema/site-warnings.js";
export { LmdbSiteStore, type LmdbSiteStoreOptions } from "./store/lmdb-site-store.js";
export type { HistoryEntry } from "./store/revision-history.js";
export {
  exportSite,
  exportWithoutLogins,
  importSite,
  type SiteExport,
  siteSecretsSchema,
} from "./store/site-export.js";
export { changeWhole, tryWhole, type WholeChange } from "./store/whole-change.js";
export { withoutCameras } from "./store/without-cameras.js";
export { URL_LOGIN, withKnownLogins } from "./store/without-logins.js";
