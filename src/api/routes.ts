import { ALARM_ROUTES, type AlarmNeeds } from "./alarm/index.js";
import { ANALYSIS_ROUTES, type AnalysisNeeds } from "./analysis/index.js";
import { ARCHIVE_ROUTES, type ArchiveNeeds } from "./archive/index.js";
import { AWAY_ROUTES, type AwayNeeds } from "./away/index.js";
import { CAMERA_ROUTES, type CameraNeeds } from "./camera/index.js";
import { CERTIFICATE_ROUTES, type CertificateNeeds } from "./certificate/index.js";
import { CHANNEL_ROUTES, type ChannelNeeds } from "./channel/index.js";
import { COMMAND_ROUTES, type CommandNeeds } from "./command/index.js";
import { CONFIGURATION_ROUTES, type ConfigurationNeeds } from "./configuration/index.js";
import { DISCOVERY_ROUTES, type DiscoveryNeeds } from "./discovery/index.js";
import { DISK_ROUTES, type DiskNeeds } from "./disk/index.js";
import { EVENT_ROUTES, type EventNeeds } from "./event/index.js";
import { EXPORT_ROUTES, type ExportNeeds } from "./export/index.js";
import { HEALTH_ROUTES, type HealthNeeds } from "./health/index.js";
import { HLS_ROUTES, type HlsNeeds } from "./hls/index.js";
import { LIVE_ROUTES, type LiveNeeds } from "./live/index.js";
import { MOBILE_ROUTES, type MobileNeeds } from "./mobile/index.js";
import { NETWORK_ROUTES, type NetworkNeeds } from "./network/index.js";
import { ONVIF_ROUTES, type OnvifNeeds } from "./onvif/index.js";
import { PAGE_ROUTES, type PageNeeds } from "./page/index.js";
import type { Route } from "./route/index.js";
import { SCENARIO_ROUTES, type ScenarioNeeds } from "./scenario/index.js";
import { SESSION_ROUTES, type SessionNeeds } from "./session/index.js";
import { SETUP_ROUTES, type SetupNeeds } from "./setup/index.js";
import { STILL_ROUTES, type StillNeeds } from "./still/index.js";
import { openApiRoute, SYSTEM_ROUTES, type SystemNeeds } from "./system/index.js";
import { TALK_ROUTES, type TalkNeeds } from "./talk/index.js";
import { TASK_ROUTES, type TaskNeeds } from "./task/index.js";
import { TIMELINE_ROUTES, type TimelineNeeds } from "./timeline/index.js";
import { VIDEO_ROUTES, type VideoNeeds } from "./video/index.js";

/** The needs of all topics together. */
export type ApiNeeds = AlarmNeeds &
  AnalysisNeeds &
  ArchiveNeeds &
  AwayNeeds &
  CameraNeeds &
  CertificateNeeds &
  ChannelNeeds &
  CommandNeeds &
  ConfigurationNeeds &
  DiscoveryNeeds &
  DiskNeeds &
  EventNeeds &
  ExportNeeds &
  HealthNeeds &
  HlsNeeds &
  LiveNeeds &
  MobileNeeds &
  NetworkNeeds &
  OnvifNeeds &
  PageNeeds &
  ScenarioNeeds &
  SessionNeeds &
  SetupNeeds &
  StillNeeds &
  SystemNeeds &
  TalkNeeds &
  TaskNeeds &
  TimelineNeeds &
  VideoNeeds;

/** All endpoints. */
export const ROUTES: readonly Route<ApiNeeds>[] = [
  ...VIDEO_ROUTES,
  ...LIVE_ROUTES,
  ...HLS_ROUTES,
  ...MOBILE_ROUTES,
  ...STILL_ROUTES,
  ...ARCHIVE_ROUTES,
  ...TIMELINE_ROUTES,
  ...EXPORT_ROUTES,
  ...COMMAND_ROUTES,
  ...EVENT_ROUTES,
  ...CHANNEL_ROUTES,
  ...TALK_ROUTES,
  ...CAMERA_ROUTES,
  ...DISCOVERY_ROUTES,
  ...TASK_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SCENARIO_ROUTES,
  ...ANALYSIS_ROUTES,
  ...SESSION_ROUTES,
  ...SETUP_ROUTES,
  ...PAGE_ROUTES,
  ...HEALTH_ROUTES,
  ...SYSTEM_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...ALARM_ROUTES,
  ...AWAY_ROUTES,
  ...DISK_ROUTES,
  ...NETWORK_ROUTES,
  ...ONVIF_ROUTES,
  openApiRoute((): readonly Route[] => ROUTES),
];
