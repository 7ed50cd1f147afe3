/**
 * What the wire and the configuration say, once: a resource's members by the names of the wire, their kinds, ranges, defaults,
 * texts, and what is secret. Readers, descriptions, the stored schema, the page's types and the limits of its forms are made of it.
 *
 * Belongs here: the kinds of members (`kinds/`), one file a resource (`resource/`), one a topic of what is
 * only answered (`answer/`), one a topic of what queries say (`query/`), and what the service makes of bodies (`reading/`). The last
 * three are doors of their own: the page takes the facts without a validator, and of answers and queries the types alone.
 *
 * Does not belong here: what a resource does, where it is stored, and HTTP.
 */

export { readIdentity, readRecipient } from "./kinds/age-key.js";
export { HOST_NAME, IPV4, OCTET } from "./kinds/host-patterns.js";
export { keptOnlyOf } from "./kinds/kept-only.js";
export {
  countsOf,
  type Decimal,
  type Facts,
  type Group,
  type InputOf,
  type InputValueOf,
  type Kind,
  type Member,
  type Members,
  NAME_LENGTH_MAX,
  type ObjectOf,
  type ValueOf,
  type Variant,
  week,
} from "./kinds/kinds.js";
export {
  hasLdapLogin,
  isLdapAccount,
  isLdapAttribute,
  isLdapUrl,
  LDAP_ATTRIBUTE_LENGTH_MAX,
} from "./kinds/ldap-forms.js";
export {
  BROKER_URL_LENGTH_MAX,
  isBrokerUrl,
  isTopicPrefix,
  TOPIC_PREFIX_LENGTH_MAX,
} from "./kinds/mqtt-forms.js";
export { BARE_HTTP_URL_SAID, certificates } from "./kinds/rules.js";
export {
  changed,
  defaultsOf,
  type FirstOf,
  firstOf,
  isKept,
  isPartly,
  type LaterOf,
  laterOf,
  type Part,
  part,
  type ShownOf,
  type StoredOf,
  type StoredValueOf,
  shown,
  shownTag,
  shownWord,
  storedName,
  storedWord,
  without,
} from "./kinds/stored.js";
export {
  DAY_RANGES_MAX,
  type DayRange,
  minuteOf,
  RANGE_FROM,
  RANGE_TO,
  type Schedule,
  shownWeek,
  timeText,
  WEEK_DAYS,
  type WeekDay,
  type WeeklySchedule,
} from "./kinds/week.js";
export {
  ALARM_TARGETS_MAX,
  alarmTarget,
  alarmTargetTexts,
  MAIL_PORTS,
  mail,
  SYSLOG_PORTS,
  syslog,
  webhook,
} from "./resource/alarm.js";
export {
  ANALYSERS_MAX,
  analyser,
  analyserTexts,
  frigate,
  frigateCamera,
  vision,
} from "./resource/analyser.js";
export {
  AWAY_TARGETS_MAX,
  awayCamera,
  awayHours,
  awayKeeping,
  awayLock,
  awayPace,
  awayPlan,
  awayReach,
  awayTarget,
  awayTargetTexts,
} from "./resource/away-target.js";
export { broker, brokerTexts, brokerUrlRule, topicPrefixRule } from "./resource/broker.js";
export {
  type ArchivingMode,
  type CameraEventSettings,
  type CameraInput,
  type CameraObject,
  camera,
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  cameraObjects,
  cameraPosition,
  cameraServers,
  cameraStream,
  externalPort,
  FRAME_RATE_MAX,
  motionDetector,
  OBJECT_LINE_LENGTH_MIN,
  type ObjectDetectionSettings,
  objectLine,
  objectScore,
  type RotationMode,
  type StreamRole,
  type VideoFormatName,
} from "./resource/camera.js";

export {
  cameraAnalysisTexts,
  cameraArchiveTexts,
  cameraConnectionTexts,
  cameraStreamTexts,
  cameraTexts,
  scheduleText,
} from "./resource/camera-texts.js";
export {
  acme,
  acmeInput,
  acmeInputTexts,
  acmeTexts,
  certificateInput,
  certificateInputTexts,
  LETS_ENCRYPT_URL,
} from "./resource/certificate.js";
export { CAMERAS_MAX, channelIds } from "./resource/channels.js";
export {
  directory,
  directoryTexts,
  directoryTrialBody,
} from "./resource/directory.js";
export {
  eventSelection,
  eventSelectionTexts,
  quietHours,
  sendingHours,
} from "./resource/event-selection.js";
export { FILE_CHANNELS_MAX, FILE_SPEED_MAX, PICTURE_FORMS } from "./resource/file-edits.js";
export { fileLink, fileLinkTexts } from "./resource/file-link.js";
export {
  boxPlace,
  boxPlaceTexts,
  HUB_CEILINGS,
  HUB_USER_HEADER,
  type HubCeiling,
  hubJoin,
  hubJoinTexts,
  hubLimitMembers,
  hubLimits,
  hubLimitsTexts,
  hubStorage,
  hubStorageTexts,
  hubUser,
  partnerJoin,
  partnerJoinTexts,
  rolloutStart,
  rolloutStartTexts,
  TEMPLATE_PARTS,
  type TemplatePart,
  templateRecorders,
  templateRecordersTexts,
  templateStart,
  templateStartTexts,
  templateUse,
  templateUseTexts,
} from "./resource/fleet.js";
export { GROUP_RIGHTS, GROUPS_MAX, type GroupRight, group, groupTexts } from "./resource/group.js";
export {
  locations,
  locationsTexts,
  MAP_FOLDER_DEPTH_MAX,
  MAP_FOLDERS_MAX,
  MAP_LOCATIONS_MAX,
  mapFolder,
} from "./resource/location.js";
export { MESSAGE_FORMS, type MessageForm, type MessageFormName } from "./resource/message-forms.js";
export {
  MOBILE_LEVEL_DEFAULTS,
  MOBILE_LEVELS,
  type MobileLevelName,
  mobileLevel,
  mobileSettings,
  mobileSettingsTexts,
} from "./resource/mobile-settings.js";
export { monitoring, monitoringProxy, monitoringTexts } from "./resource/monitoring.js";
export {
  motionZone,
  ZONE_GRID_SIDE_MAX,
  ZONE_POINTS_MAX,
  ZONE_SIDE_MIN,
  ZONES_MAX,
} from "./resource/motion-zone.js";
export { onvifDevice, onvifDeviceTexts } from "./resource/onvif-device.js";
export {
  MASK_POINTS_MAX,
  MASKS_MAX,
  privacyMask,
  privacyMasks,
  privacyMasksTexts,
} from "./resource/privacy-mask.js";
export { bookmark, protection } from "./resource/protection.js";
export { replicaShare, replicaShareTexts } from "./resource/replica.js";
export { rtspSettings, rtspSettingsTexts } from "./resource/rtsp-settings.js";
export {
  outputName,
  outputSeconds,
  SCENARIOS_MAX,
  scenario,
  scenarioAction,
  scenarioOrder,
  scenarioOrderTexts,
  scenarioStart,
  scenarioTexts,
} from "./resource/scenario.js";
export {
  SECURITY_OBJECT_DEPTH_MAX,
  SECURITY_OBJECTS_MAX,
  securityObject,
  securityObjectTexts,
} from "./resource/security-object.js";
export { serverSettings, serverSettingsTexts } from "./resource/server-settings.js";
export {
  ANNOUNCEMENT_NAME_LENGTH_MAX,
  EVENT_COMMENT_LENGTH_MAX,
  EVENT_SEARCH_LENGTH_MAX,
  EVENT_SEARCH_LENGTH_MIN,
  POSITION_NAME_LENGTH_MAX,
} from "./resource/text-lengths.js";
export {
  EMPTY_PASSWORD_MD5,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERS_MAX,
  user,
  userTexts,
} from "./resource/user.js";
export { ROTATION_SECONDS_MAX, VIEWS_MAX, view, viewTexts } from "./resource/view.js";
