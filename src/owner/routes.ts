import type { Route } from "../route/index.js";
import { ALARM_ROUTES, type AlarmNeeds } from "./alarm/index.js";
import { ANALYSIS_ROUTES, type AnalysisNeeds } from "./analysis/index.js";
import { ARCHIVE_ROUTES, type ArchiveNeeds } from "./archive/index.js";
import { AWAY_ROUTES, type AwayNeeds } from "./away/index.js";
import { CERTIFICATE_ROUTES, type CertificateNeeds } from "./certificate/index.js";
import { DISCOVERY_ROUTES, type DiscoveryNeeds } from "./discovery/index.js";
import { DISK_ROUTES, type DiskNeeds } from "./disk/index.js";
import { FILE_ROUTES, type FileNeeds } from "./file/index.js";
import { FLEET_ROUTES, type FleetNeeds } from "./fleet/index.js";
import { HEALTH_ROUTES, type HealthNeeds } from "./health/index.js";
import { HLS_ROUTES, type HlsNeeds } from "./hls/index.js";
import { FILE_LINK_ROUTES, type LinkNeeds } from "./link/index.js";
import { LIVE_ROUTES, type LiveNeeds } from "./live/index.js";
import { NETWORK_ROUTES, type NetworkNeeds } from "./network/index.js";
import { ONVIF_ROUTES, type OnvifNeeds } from "./onvif/index.js";
import { PAGE_ROUTES, type PageNeeds } from "./page/index.js";
import { SESSION_ROUTES, type SessionNeeds } from "./session/index.js";
import { SETUP_ROUTES, type SetupNeeds } from "./setup/index.js";
import { SYSTEM_ROUTES, type SystemNeeds } from "./system/index.js";
import { TALK_ROUTES, type TalkNeeds } from "./talk/index.js";
import { TASK_ROUTES, type TaskNeeds } from "./task/index.js";
import { TIMELINE_ROUTES, type TimelineNeeds } from "./timeline/index.js";

/** What nvrd's own endpoints need of the service, together. */
export type OwnerNeeds = LiveNeeds &
  HlsNeeds &
  ArchiveNeeds &
  TimelineNeeds &
  TalkNeeds &
  DiscoveryNeeds &
  FileNeeds &
  LinkNeeds &
  TaskNeeds &
  AnalysisNeeds &
  SessionNeeds &
  SetupNeeds &
  PageNeeds &
  HealthNeeds &
  SystemNeeds &
  CertificateNeeds &
  AlarmNeeds &
  AwayNeeds &
  DiskNeeds &
  NetworkNeeds &
  OnvifNeeds &
  FleetNeeds;

/** All of nvrd's own endpoints. */
export const OWNER_ROUTES: readonly Route<OwnerNeeds>[] = [
  ...LIVE_ROUTES,
  ...HLS_ROUTES,
  ...ARCHIVE_ROUTES,
  ...TIMELINE_ROUTES,
  ...TALK_ROUTES,
  ...DISCOVERY_ROUTES,
  ...FILE_ROUTES,
  ...FILE_LINK_ROUTES,
  ...TASK_ROUTES,
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
  ...FLEET_ROUTES,
];
