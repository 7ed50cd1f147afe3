import { ARCHIVE_ROUTES, type ArchiveNeeds, PROTECTED_ROUTES } from "./archive/index.js";
import {
  type CameraNeeds,
  DELETE_CHANNEL,
  deleteChannel,
  GET_CHANNEL,
  GET_CHANNELS,
  getChannel,
  getChannels,
  getDeviceManufacturers,
  MANUFACTURERS_DESCRIPTION,
  POST_CHANNELS,
  PUT_CHANNEL,
  PUT_CHANNELS,
  postChannels,
  putChannel,
  putChannels,
} from "./camera/index.js";
import { CHANNEL_ROUTES, type ChannelNeeds, PTZ_ROUTES, RECORDING_ROUTES } from "./channel/index.js";
import { COMMAND_ROUTES, type CommandNeeds } from "./command/index.js";
import {
  CONFIGEX_DESCRIPTION,
  CONFIGURE_ROUTES,
  type ConfigurationNeeds,
  getConfigex,
  OPENAPI_DESCRIPTION,
} from "./configuration/index.js";
import { DISCOVERY_ROUTES, type DiscoveryNeeds } from "./discovery/index.js";
import {
  ADD_EVENTS_DESCRIPTION,
  EVENT_TYPES_DESCRIPTION,
  type EventNeeds,
  getArchiveEventTypes,
  getEvent,
  getSpecialArchiveEvents,
  postApiEvents,
  postArchiveEvents,
  SEARCH_DESCRIPTION,
} from "./event/index.js";
import { EXPORT_ROUTES, type ExportNeeds } from "./export/index.js";
import { HLS_ROUTES, type HlsNeeds } from "./hls/index.js";
import { MOBILE_ROUTES, type MobileNeeds } from "./mobile/index.js";
import { EVENT_DESCRIPTION, EXPORT_DESCRIPTION, type Route, type RouteRight } from "./route/index.js";
import { STILL_ROUTES, type StillNeeds } from "./still/index.js";
import {
  ADMINISTRATOR_ROUTES,
  getHddStatus,
  getHealth,
  getMetrics,
  getOpenApi,
  getSupport,
  HDD_STATUS_DESCRIPTION,
  HEALTH_DESCRIPTION,
  METRICS_DESCRIPTION,
  PASSWORD_DESCRIPTION,
  putPassword,
  SUPPORT_DESCRIPTION,
  type SystemNeeds,
} from "./system/index.js";
import { VIDEO_ROUTES, type VideoNeeds } from "./video/index.js";

const EVENT_RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog", when: "events that belong to no channel are to come" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are to come" },
];
const EVENT_LOG_RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are to come" },
];

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
  {
    method: "GET",
    path: "/event",
    login: "user",
    rights: EVENT_RIGHTS,
    endpoint: getEvent,
    describe: EVENT_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/specialarchiveevents",
    login: "user",
    rights: EVENT_LOG_RIGHTS,
    endpoint: getSpecialArchiveEvents,
    describe: EXPORT_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/archive_events",
    login: "user",
    rights: EVENT_LOG_RIGHTS,
    endpoint: postArchiveEvents,
    describe: SEARCH_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/archive_event_types",
    login: "user",
    endpoint: getArchiveEventTypes,
    describe: EVENT_TYPES_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/events",
    login: "user",
    rights: [{ right: "CanAccessEditingAnalystPluginsInClient" }],
    endpoint: postApiEvents,
    describe: ADD_EVENTS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hddstatus",
    login: "user",
    endpoint: getHddStatus,
    describe: HDD_STATUS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/configex",
    login: "user",
    evenForbidden: true,
    endpoint: getConfigex,
    describe: CONFIGEX_DESCRIPTION,
  },
  ...CHANNEL_ROUTES,
  {
    method: "GET",
    path: "/api/health",
    login: "user",
    endpoint: getHealth,
    describe: HEALTH_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/metrics",
    login: "user",
    endpoint: getMetrics,
    describe: METRICS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/support",
    login: "administrator",
    endpoint: getSupport,
    describe: SUPPORT_DESCRIPTION,
  },
  {
    method: "PUT",
    path: "/api/password",
    login: "user",
    rights: [{ right: "CanChangePassword" }],
    endpoint: putPassword,
    describe: PASSWORD_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/configure/channels",
    login: "administration",
    endpoint: getChannels,
    describe: GET_CHANNELS,
  },
  {
    method: "POST",
    path: "/configure/channels",
    login: "administration",
    endpoint: postChannels,
    describe: POST_CHANNELS,
  },
  {
    method: "PUT",
    path: "/configure/channels",
    login: "administration",
    endpoint: putChannels,
    describe: PUT_CHANNELS,
  },
  {
    method: "GET",
    path: "/configure/channels/{id}",
    login: "administration",
    endpoint: getChannel,
    describe: GET_CHANNEL,
  },
  {
    method: "PUT",
    path: "/configure/channels/{id}",
    login: "administration",
    endpoint: putChannel,
    describe: PUT_CHANNEL,
  },
  {
    method: "DELETE",
    path: "/configure/channels/{id}",
    login: "administration",
    endpoint: deleteChannel,
    describe: DELETE_CHANNEL,
  },
  ...PROTECTED_ROUTES,
  ...RECORDING_ROUTES,
  ...PTZ_ROUTES,
  {
    method: "GET",
    path: "/configure/devicemanufacturers",
    login: "administration",
    endpoint: getDeviceManufacturers,
    describe: MANUFACTURERS_DESCRIPTION,
  },
  ...DISCOVERY_ROUTES,
  ...CONFIGURE_ROUTES,
  ...ADMINISTRATOR_ROUTES,
  {
    method: "GET",
    path: "/openapi.json",
    login: "user",
    evenForbidden: true,
    endpoint: getOpenApi((): readonly Route[] => ROUTES),
    describe: OPENAPI_DESCRIPTION,
  },
];
