import { deleteProtected, getProtected, postProtected } from "./archive/channel-protected.js";
import { getRecording, postRecording } from "./channel/channel-recording.js";
import { getApiChannel, getApiChannelStatus, getApiChannels } from "./channel/get-channels.js";
import { command } from "./system/command.js";
import { getChannel, getChannels, postChannels } from "./camera/configure-channels.js";
import { deleteChannel } from "./camera/configure-channels-delete.js";
import { putChannel, putChannels } from "./camera/configure-channels-put.js";
import { getDeviceManufacturers } from "./camera/configure-devicemanufacturers.js";
import { DISCOVERY_ROUTES } from "./discovery/configure-discovery-routes.js";
import { CONFIGURE_ROUTES } from "./configuration/configure-routes.js";
import { PASSWORD_DESCRIPTION } from "./configuration/describe-administration.js";
import {
  API_CHANNEL_DESCRIPTION,
  API_CHANNEL_STATUS_DESCRIPTION,
  API_CHANNELS_DESCRIPTION,
} from "./channel/describe-api-channels.js";
import {
  COMMAND_DESCRIPTION,
  FRAGMENTS_DESCRIPTION,
  PROTECT_DESCRIPTION,
  PROTECTED_DESCRIPTION,
  RECORDING_DESCRIPTION,
  SWITCH_RECORDING_DESCRIPTION,
  UNPROTECT_DESCRIPTION,
} from "./archive/describe-archive.js";
import {
  DELETE_CHANNEL,
  GET_CHANNEL,
  GET_CHANNELS,
  MANUFACTURERS_DESCRIPTION,
  POST_CHANNELS,
  PUT_CHANNEL,
  PUT_CHANNELS,
} from "./camera/describe-channels.js";
import { CONFIGEX_DESCRIPTION, OPENAPI_DESCRIPTION } from "./configuration/describe-configex.js";
import { ADD_EVENTS_DESCRIPTION, EVENT_TYPES_DESCRIPTION, SEARCH_DESCRIPTION } from "./event/describe-events.js";
import { EXPORT_ARCHIVE_DESCRIPTION } from "./export/describe-export.js";
import {
  HDD_STATUS_DESCRIPTION,
  HEALTH_DESCRIPTION,
  METRICS_DESCRIPTION,
  SUPPORT_DESCRIPTION,
} from "./system/describe-health.js";
import { HLS_DESCRIPTION, HLS_FILE_DESCRIPTION, HLS_PLAYLIST_DESCRIPTION } from "./hls/describe-hls.js";
import { MOBILE_DESCRIPTION } from "./mobile/describe-mobile.js";
import { SITE_DESCRIPTION } from "./still/describe-pictures.js";
import { PTZ_DESCRIPTION } from "./channel/describe-ptz.js";
import { EVENT_DESCRIPTION, EXPORT_DESCRIPTION, VIDEO_DESCRIPTION } from "./route/describe-viewing.js";
import { getArchiveEventTypes } from "./event/event-types.js";
import { getArchiveFragments } from "./archive/get-archivefragments.js";
import { getConfigex } from "./configuration/get-configex.js";
import { getEvent } from "./event/get-event.js";
import { getExportArchive } from "./export/get-exportarchive.js";
import { getHddStatus } from "./system/get-hddstatus.js";
import { getHealth } from "./system/get-health.js";
import { getHls } from "./hls/get-hls.js";
import { getHlsFile, getHlsPlaylist } from "./hls/get-hls-file.js";
import { getMetrics } from "./system/get-metrics.js";
import { getMobile } from "./mobile/get-mobile.js";
import { getOpenApi } from "./system/get-openapi.js";
import { getSite, keptSite } from "./still/get-site.js";
import { getSpecialArchiveEvents } from "./event/get-specialarchiveevents.js";
import { getSupport } from "./system/get-support.js";
import { getVideo } from "./video/get-video.js";
import { postApiEvents } from "./event/post-api-events.js";
import { postArchiveEvents } from "./event/post-archive-events.js";
import { ptz } from "./channel/ptz.js";
import { putPassword } from "./system/put-password.js";
import type { RouteRight } from "./route/rights.js";
import type { Route } from "./route/route.js";
import { SENIOR_ROUTES } from "./system/administrator-routes.js";

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
const EVENT_RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog", when: "events that belong to no channel are to come" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are to come" },
];
const EVENT_LOG_RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are to come" },
];
const ARCHIVE_EXPORT_RIGHTS: readonly RouteRight[] = [{ right: "CanUseArchiveExport" }, ...VIDEO_RIGHTS];
const PTZ_RIGHTS: readonly RouteRight[] = [{ right: "CanPTZ" }];
const RECORDING_RIGHTS: readonly RouteRight[] = [{ right: "CanManageRec" }];

/** Every endpoint there is. */
export const ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/video",
    needs: "login",
    rights: VIDEO_RIGHTS,
    endpoint: getVideo,
    describe: VIDEO_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls",
    needs: "login",
    rights: VIDEO_RIGHTS,
    endpoint: getHls,
    describe: HLS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls/{name}",
    needs: "name",
    endpoint: getHlsPlaylist,
    describe: HLS_PLAYLIST_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hls/{name}/{file}",
    needs: "name",
    endpoint: getHlsFile,
    describe: HLS_FILE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/mobile",
    needs: "login",
    rights: MOBILE_RIGHTS,
    endpoint: getMobile,
    describe: MOBILE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/site",
    needs: "login",
    rights: SITE_RIGHTS,
    endpoint: getSite,
    kept: keptSite,
    describe: SITE_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/archivefragments",
    needs: "login",
    endpoint: getArchiveFragments,
    describe: FRAGMENTS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/exportarchive",
    needs: "login",
    rights: ARCHIVE_EXPORT_RIGHTS,
    endpoint: getExportArchive,
    describe: EXPORT_ARCHIVE_DESCRIPTION,
  },
  { method: "GET", path: "/command", needs: "login", endpoint: command, describe: COMMAND_DESCRIPTION },
  { method: "POST", path: "/command", needs: "login", endpoint: command, describe: COMMAND_DESCRIPTION },
  {
    method: "GET",
    path: "/event",
    needs: "login",
    rights: EVENT_RIGHTS,
    endpoint: getEvent,
    describe: EVENT_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/specialarchiveevents",
    needs: "login",
    rights: EVENT_LOG_RIGHTS,
    endpoint: getSpecialArchiveEvents,
    describe: EXPORT_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/archive_events",
    needs: "login",
    rights: EVENT_LOG_RIGHTS,
    endpoint: postArchiveEvents,
    describe: SEARCH_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/archive_event_types",
    needs: "login",
    endpoint: getArchiveEventTypes,
    describe: EVENT_TYPES_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/events",
    needs: "login",
    rights: [{ right: "CanAccessEditingAnalystPluginsInClient" }],
    endpoint: postApiEvents,
    describe: ADD_EVENTS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/hddstatus",
    needs: "login",
    endpoint: getHddStatus,
    describe: HDD_STATUS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/configex",
    needs: "login",
    evenForbidden: true,
    endpoint: getConfigex,
    describe: CONFIGEX_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels",
    needs: "login",
    endpoint: getApiChannels,
    describe: API_CHANNELS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}",
    needs: "login",
    endpoint: getApiChannel,
    describe: API_CHANNEL_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}/status",
    needs: "login",
    endpoint: getApiChannelStatus,
    describe: API_CHANNEL_STATUS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/health",
    needs: "login",
    endpoint: getHealth,
    describe: HEALTH_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/metrics",
    needs: "login",
    endpoint: getMetrics,
    describe: METRICS_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/support",
    needs: "senior",
    endpoint: getSupport,
    describe: SUPPORT_DESCRIPTION,
  },
  {
    method: "PUT",
    path: "/api/password",
    needs: "login",
    rights: [{ right: "CanChangePassword" }],
    endpoint: putPassword,
    describe: PASSWORD_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/configure/channels",
    needs: "administration",
    endpoint: getChannels,
    describe: GET_CHANNELS,
  },
  {
    method: "POST",
    path: "/configure/channels",
    needs: "administration",
    endpoint: postChannels,
    describe: POST_CHANNELS,
  },
  {
    method: "PUT",
    path: "/configure/channels",
    needs: "administration",
    endpoint: putChannels,
    describe: PUT_CHANNELS,
  },
  {
    method: "GET",
    path: "/configure/channels/{id}",
    needs: "administration",
    endpoint: getChannel,
    describe: GET_CHANNEL,
  },
  {
    method: "PUT",
    path: "/configure/channels/{id}",
    needs: "administration",
    endpoint: putChannel,
    describe: PUT_CHANNEL,
  },
  {
    method: "DELETE",
    path: "/configure/channels/{id}",
    needs: "administration",
    endpoint: deleteChannel,
    describe: DELETE_CHANNEL,
  },
  {
    method: "GET",
    path: "/api/channels/{id}/protected",
    needs: "login",
    rights: RECORDING_RIGHTS,
    endpoint: getProtected,
    describe: PROTECTED_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/channels/{id}/protected",
    needs: "login",
    rights: RECORDING_RIGHTS,
    endpoint: postProtected,
    describe: PROTECT_DESCRIPTION,
  },
  {
    method: "DELETE",
    path: "/api/channels/{id}/protected/{protectedid}",
    needs: "login",
    rights: RECORDING_RIGHTS,
    endpoint: deleteProtected,
    describe: UNPROTECT_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/api/channels/{id}/recording",
    needs: "login",
    rights: RECORDING_RIGHTS,
    endpoint: getRecording,
    describe: RECORDING_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/channels/{id}/recording",
    needs: "login",
    rights: RECORDING_RIGHTS,
    endpoint: postRecording,
    describe: SWITCH_RECORDING_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/ptz",
    needs: "login",
    rights: PTZ_RIGHTS,
    endpoint: ptz,
    describe: PTZ_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/ptz",
    needs: "login",
    rights: PTZ_RIGHTS,
    endpoint: ptz,
    describe: PTZ_DESCRIPTION,
  },
  {
    method: "GET",
    path: "/configure/devicemanufacturers",
    needs: "administration",
    endpoint: getDeviceManufacturers,
    describe: MANUFACTURERS_DESCRIPTION,
  },
  ...DISCOVERY_ROUTES,
  ...CONFIGURE_ROUTES,
  ...SENIOR_ROUTES,
  {
    method: "GET",
    path: "/openapi.json",
    needs: "login",
    evenForbidden: true,
    endpoint: getOpenApi(() => ROUTES),
    describe: OPENAPI_DESCRIPTION,
  },
];
