import {
  type ArchiveNeeds,
  COMMAND_DESCRIPTION,
  deleteProtected,
  FRAGMENTS_DESCRIPTION,
  getArchiveFragments,
  getProtected,
  PROTECT_DESCRIPTION,
  PROTECTED_DESCRIPTION,
  postProtected,
  RECORDING_DESCRIPTION,
  SWITCH_RECORDING_DESCRIPTION,
  UNPROTECT_DESCRIPTION,
} from "./archive/index.js";
import { CAMERA_ROUTES, type CameraNeeds, DEVICE_MANUFACTURERS_ROUTE } from "./camera/index.js";
import {
  API_CHANNEL_DESCRIPTION,
  API_CHANNEL_STATUS_DESCRIPTION,
  API_CHANNELS_DESCRIPTION,
  type ChannelNeeds,
  getApiChannel,
  getApiChannelStatus,
  getApiChannels,
  getRecording,
  PTZ_DESCRIPTION,
  postRecording,
  ptz,
} from "./channel/index.js";
import { type CommandNeeds, command } from "./command/index.js";
import {
  CONFIGEX_ROUTE,
  CONFIGURATION_ROUTES,
  type ConfigurationNeeds,
  PASSWORD_ROUTE,
} from "./configuration/index.js";
import { DISCOVERY_ROUTES, type DiscoveryNeeds } from "./discovery/index.js";
import { EVENT_ROUTES, type EventNeeds } from "./event/index.js";
import { EXPORT_ARCHIVE_DESCRIPTION, type ExportNeeds, getExportArchive } from "./export/index.js";
import {
  getHls,
  getHlsFile,
  getHlsPlaylist,
  HLS_DESCRIPTION,
  HLS_FILE_DESCRIPTION,
  HLS_PLAYLIST_DESCRIPTION,
  type HlsNeeds,
} from "./hls/index.js";
import { getMobile, MOBILE_DESCRIPTION, type MobileNeeds } from "./mobile/index.js";
import { type Route, type RouteRight, VIDEO_DESCRIPTION } from "./route/index.js";
import { getSite, keptSite, SITE_DESCRIPTION, type StillNeeds } from "./still/index.js";
import {
  HDD_STATUS_ROUTE,
  openApiRoute,
  STATE_ROUTES,
  SYSTEM_ROUTES,
  type SystemNeeds,
} from "./system/index.js";
import { getVideo, type VideoNeeds } from "./video/index.js";

const VIDEO_RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the stream is Main, live or recorded" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];
const MOBILE_RIGHTS: readonly RouteRight[] = [
  { right: "CanGetTranscodedVideoFromMobileServer" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];
const SITE_RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the picture comes from the stream Main" },
];
const ARCHIVE_EXPORT_RIGHTS: readonly RouteRight[] = [{ right: "CanUseArchiveExport" }, ...VIDEO_RIGHTS];
const PTZ_RIGHTS: readonly RouteRight[] = [{ right: "CanPTZ" }];
const RECORDING_RIGHTS: readonly RouteRight[] = [{ right: "CanManageRec" }];

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
  {
    method: "GET",
    path: "/video",
    login: "user",
    rights: VIDEO_RIGHTS,
    endpoint: getVideo,
    describe: VIDEO_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls",
    login: "user",
    rights: VIDEO_RIGHTS,
    endpoint: getHls,
    describe: HLS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls/{name}",
    login: "name",
    endpoint: getHlsPlaylist,
    describe: HLS_PLAYLIST_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls/{name}/{file}",
    login: "name",
    endpoint: getHlsFile,
    describe: HLS_FILE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/mobile",
    login: "user",
    rights: MOBILE_RIGHTS,
    endpoint: getMobile,
    describe: MOBILE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/site",
    login: "user",
    rights: SITE_RIGHTS,
    endpoint: getSite,
    kept: keptSite,
    describe: SITE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/archivefragments",
    login: "user",
    endpoint: getArchiveFragments,
    describe: FRAGMENTS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/exportarchive",
    login: "user",
    rights: ARCHIVE_EXPORT_RIGHTS,
    endpoint: getExportArchive,
    describe: EXPORT_ARCHIVE_DESCRIPTION,
  },
  { method: "GET", path: "/command", login: "user", endpoint: command, describe: COMMAND_DESCRIPTION },
  { method: "POST", path: "/command", login: "user", endpoint: command, describe: COMMAND_DESCRIPTION },
  ...EVENT_ROUTES,
  HDD_STATUS_ROUTE,
  CONFIGEX_ROUTE,
  {
    method: "GET",
    path: "/api/channels",
    login: "user",
    endpoint: getApiChannels,
    describe: API_CHANNELS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}",
    login: "user",
    endpoint: getApiChannel,
    describe: API_CHANNEL_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}/status",
    login: "user",
    endpoint: getApiChannelStatus,
    describe: API_CHANNEL_STATUS_DESCRIPTION,
  },
  ...STATE_ROUTES,
  PASSWORD_ROUTE,
  ...CAMERA_ROUTES,
  {
    method: "GET",
    path: "/api/channels/{id}/protected",
    login: "user",
    rights: RECORDING_RIGHTS,
    endpoint: getProtected,
    describe: PROTECTED_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/channels/{id}/protected",
    login: "user",
    rights: RECORDING_RIGHTS,
    endpoint: postProtected,
    describe: PROTECT_DESCRIPTION,
  },
  {
    method: "DELETE",
    path: "/api/channels/{id}/protected/{protectedid}",
    login: "user",
    rights: RECORDING_RIGHTS,
    endpoint: deleteProtected,
    describe: UNPROTECT_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}/recording",
    login: "user",
    rights: RECORDING_RIGHTS,
    endpoint: getRecording,
    describe: RECORDING_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/channels/{id}/recording",
    login: "user",
    rights: RECORDING_RIGHTS,
    endpoint: postRecording,
    describe: SWITCH_RECORDING_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/ptz",
    login: "user",
    rights: PTZ_RIGHTS,
    endpoint: ptz,
    describe: PTZ_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/ptz",
    login: "user",
    rights: PTZ_RIGHTS,
    endpoint: ptz,
    describe: PTZ_DESCRIPTION,
  },
  DEVICE_MANUFACTURERS_ROUTE,
  ...DISCOVERY_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SYSTEM_ROUTES,
  openApiRoute((): readonly Route[] => ROUTES),
];
