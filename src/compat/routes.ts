import type { Route } from "../route/index.js";
import { ARCHIVE_ROUTES, type ArchiveNeeds } from "./archive/index.js";
import { CAMERA_ROUTES, type CameraNeeds } from "./camera/index.js";
import { CHANNEL_ROUTES, type ChannelNeeds } from "./channel/index.js";
import { COMMAND_ROUTES, type CommandNeeds } from "./command/index.js";
import { CONFIGURATION_ROUTES, type ConfigurationNeeds } from "./configuration/index.js";
import { EVENT_ROUTES, type EventNeeds } from "./event/index.js";
import { EXPORT_ROUTES, type ExportNeeds } from "./export/index.js";
import { HEALTH_ROUTES, type HealthNeeds } from "./health/index.js";
import { MOBILE_ROUTES, type MobileNeeds } from "./mobile/index.js";
import { SCENARIO_ROUTES, type ScenarioNeeds } from "./scenario/index.js";
import { STILL_ROUTES, type StillNeeds } from "./still/index.js";
import { VIDEO_ROUTES, type VideoNeeds } from "./video/index.js";

/** What the reference's endpoints need of the service, together. */
export type CompatNeeds = VideoNeeds &
  MobileNeeds &
  StillNeeds &
  ArchiveNeeds &
  ExportNeeds &
  CommandNeeds &
  EventNeeds &
  ChannelNeeds &
  CameraNeeds &
  ConfigurationNeeds &
  ScenarioNeeds &
  HealthNeeds;

/** All of the reference's endpoints. */
export const COMPAT_ROUTES: readonly Route<CompatNeeds>[] = [
  ...VIDEO_ROUTES,
  ...MOBILE_ROUTES,
  ...STILL_ROUTES,
  ...ARCHIVE_ROUTES,
  ...EXPORT_ROUTES,
  ...COMMAND_ROUTES,
  ...EVENT_ROUTES,
  ...CHANNEL_ROUTES,
  ...CAMERA_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SCENARIO_ROUTES,
  ...HEALTH_ROUTES,
];
