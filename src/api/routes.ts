import { ARCHIVE_ROUTES, type ArchiveNeeds, PROTECTED_ROUTES } from "./archive/index.js";
import { CAMERA_ROUTES, type CameraNeeds, DEVICE_MANUFACTURERS_ROUTE } from "./camera/index.js";
import { CHANNEL_ROUTES, type ChannelNeeds, PTZ_ROUTES, RECORDING_ROUTES } from "./channel/index.js";
import { COMMAND_ROUTES, type CommandNeeds } from "./command/index.js";
import {
  CONFIGEX_ROUTE,
  CONFIGURATION_ROUTES,
  type ConfigurationNeeds,
  PASSWORD_ROUTE,
} from "./configuration/index.js";
import { DISCOVERY_ROUTES, type DiscoveryNeeds } from "./discovery/index.js";
import { EVENT_ROUTES, type EventNeeds } from "./event/index.js";
import { EXPORT_ROUTES, type ExportNeeds } from "./export/index.js";
import { HLS_ROUTES, type HlsNeeds } from "./hls/index.js";
import { MOBILE_ROUTES, type MobileNeeds } from "./mobile/index.js";
import type { Route } from "./route/index.js";
import { STILL_ROUTES, type StillNeeds } from "./still/index.js";
import {
  HDD_STATUS_ROUTE,
  openApiRoute,
  STATE_ROUTES,
  SYSTEM_ROUTES,
  type SystemNeeds,
} from "./system/index.js";
import { VIDEO_ROUTES, type VideoNeeds } from "./video/index.js";

/** What all topics together work with. */
export type ApiNeeds = ArchiveNeeds &
  CameraNeeds &
  ChannelNeeds &
  CommandNeeds &
  ConfigurationNeeds &
  DiscoveryNeeds &
  EventNeeds &
  ExportNeeds &
  HlsNeeds &
  MobileNeeds &
  StillNeeds &
  SystemNeeds &
  VideoNeeds;

/** Every endpoint there is. */
export const ROUTES: readonly Route<ApiNeeds>[] = [
  ...VIDEO_ROUTES,
  ...HLS_ROUTES,
  ...MOBILE_ROUTES,
  ...STILL_ROUTES,
  ...ARCHIVE_ROUTES,
  ...EXPORT_ROUTES,
  ...COMMAND_ROUTES,
  ...EVENT_ROUTES,
  HDD_STATUS_ROUTE,
  CONFIGEX_ROUTE,
  ...CHANNEL_ROUTES,
  ...STATE_ROUTES,
  PASSWORD_ROUTE,
  ...CAMERA_ROUTES,
  ...PROTECTED_ROUTES,
  ...RECORDING_ROUTES,
  ...PTZ_ROUTES,
  DEVICE_MANUFACTURERS_ROUTE,
  ...DISCOVERY_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SYSTEM_ROUTES,
  openApiRoute((): readonly Route[] => ROUTES),
];
