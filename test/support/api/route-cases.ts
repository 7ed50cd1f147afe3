import type { GroupRight } from "../../../src/site/index.js";
import { md5 } from "../access/access-bench.js";
import { PushBrowser } from "../alarm/push-receiver.js";
import { SAVED_FILE_ID } from "./saved-file.js";

/** A request to a route that is open to every user who is logged in, and what refuses it. */
export interface RouteCase {
  /** `METHOD /path` as in the route table. */
  readonly route: string;
  /** Path and query; `channelId` is put in where the request names a channel. */
  readonly path: (channelId: string) => string;
  readonly body?: (channelId: string) => unknown;
  /** The status for a user with every right and every channel; 200 when absent. */
  readonly allowed?: number;
  /** How the named channel is used: a user who sees it but may not use it so gets 403. Absent: none is named. */
  readonly channel?: "realtime" | "archive" | "either";
  /** The status where the channel is hidden; 404 when absent. */
  readonly hidden?: number;
  /** Rights without each of which the request is 403. */
  readonly rights?: readonly GroupRight[];
  /** Answers without end, so that it is asked by HEAD. */
  readonly endless?: true;
  /** The answer is not made of the configuration. Examples in it may show ids that the sample configuration has. */
  readonly isFixed?: true;
}

const NO_BOX = "0d9c0000-0000-4000-8000-00000000000b";
const INTERVAL = "fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00";
const MINUTE = "fromtime=21.11.2026+09:00:00&totime=21.11.2026+09:01:00";
const START = "starttime=21.11.2026+09:00:00";

/** At least one for each route that needs no more than a login; a route without one fails test/route/rights.test.ts. */
export const ROUTE_CASES: readonly RouteCase[] = [
  {
    route: "GET /video",
    path: (id) => `/video?channelid=${id}`,
    channel: "realtime",
    rights: ["CanReceiveMainStream"],
    endless: true,
  },
  {
    route: "GET /video",
    path: (id) => `/video?streamtype=alternative&sound=on&channelid=${id}`,
    channel: "realtime",
    rights: ["CanReceiveSound"],
    endless: true,
  },
  {
    route: "GET /video",
    path: (id) => `/video?mode=archive&${START}&sound=on&channelid=${id}`,
    channel: "archive",
    rights: ["CanReceiveMainStream", "CanReceiveSound"],
    endless: true,
  },
  // No WebSocket: what is watched over one has its rights in test/owner/live.
  { route: "GET /api/live", path: () => "/api/live", allowed: 400 },
  // Asked by HEAD, which checks all and gives no name: a name would wait for a whole segment.
  {
    route: "GET /hls",
    path: (id) => `/hls?channelid=${id}`,
    channel: "realtime",
    rights: ["CanReceiveMainStream"],
    endless: true,
  },
  {
    route: "GET /hls",
    path: (id) => `/hls?streamtype=alternative&sound=on&channelid=${id}`,
    channel: "realtime",
    rights: ["CanReceiveSound"],
    endless: true,
  },
  {
    route: "GET /hls",
    path: (id) => `/hls?mode=archive&${START}&sound=on&channelid=${id}`,
    channel: "archive",
    rights: ["CanReceiveMainStream", "CanReceiveSound"],
    endless: true,
  },
  { route: "GET /site", path: (id) => `/site?channelid=${id}`, channel: "realtime" },
  {
    route: "GET /site",
    path: (id) => `/site?streamtype=main&exact=true&channelid=${id}`,
    channel: "realtime",
    rights: ["CanReceiveMainStream"],
  },
  {
    route: "GET /site",
    path: (id) => `/site?mode=archive&${START}&channelid=${id}`,
    channel: "archive",
    rights: ["CanReceiveMainStream"],
  },
  {
    route: "GET /mobile",
    path: (id) => `/mobile?sound=on&channelid=${id}`,
    channel: "realtime",
    rights: ["CanGetTranscodedVideoFromMobileServer", "CanReceiveSound"],
    endless: true,
  },
  {
    route: "GET /mobile",
    path: (id) => `/mobile?mode=archive&${START}&channelid=${id}`,
    channel: "archive",
    rights: ["CanGetTranscodedVideoFromMobileServer"],
    endless: true,
  },
  {
    route: "GET /archivefragments",
    path: (id) => `/archivefragments?${INTERVAL}&channelid=${id}`,
    channel: "archive",
  },
  {
    route: "GET /api/timeline",
    path: (id) => `/api/timeline?channels=${id}&from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z`,
    channel: "archive",
  },
  {
    route: "GET /api/strip",
    path: (id) => `/api/strip?channel=${id}&from=2026-11-21T09:00:00Z&to=2026-11-21T09:00:02Z&count=2`,
    channel: "archive",
    rights: ["CanReceiveMainStream"],
  },
  {
    route: "GET /command",
    path: () =>
      "/command?type=runuserscenario&confirmed=true&scenarioid=88888888-0000-4000-8000-000000000009",
    rights: ["CanRunUserScenarios"],
    allowed: 404,
  },
  {
    route: "POST /command",
    path: () =>
      "/command?type=runuserscenario&confirmed=true&scenarioid=88888888-0000-4000-8000-000000000009",
    rights: ["CanRunUserScenarios"],
    allowed: 404,
  },
  // No WebSocket: what is spoken over one has its tests in test/owner/talk.
  {
    route: "GET /api/channels/{id}/talk",
    path: (id) => `/api/channels/${id}/talk?law=aac`,
    allowed: 400,
    hidden: 400,
    rights: ["CanTransmitSound"],
  },
  {
    route: "POST /api/channels/{id}/talk",
    path: (id) => `/api/channels/${id}/talk`,
    body: () => ({}),
    channel: "either",
    allowed: 400,
    rights: ["CanTransmitSound"],
  },
  { route: "GET /api/announcements", path: () => "/api/announcements", rights: ["CanTransmitSound"] },
  { route: "GET /api/scenarios", path: () => "/api/scenarios", rights: ["CanRunUserScenarios"] },
  {
    route: "POST /api/scenarios/{id}/run",
    path: () => "/api/scenarios/88888888-0000-4000-8000-000000000009/run",
    rights: ["CanRunUserScenarios"],
    allowed: 404,
  },
  {
    route: "POST /api/motionsearch",
    path: () => "/api/motionsearch",
    body: (id) => ({ Channel: id, From: "2026-11-21T09:00:00Z", To: "2026-11-21T09:00:02Z" }),
    allowed: 202,
    channel: "archive",
  },
  { route: "GET /api/motionsearch", path: () => "/api/motionsearch" },
  {
    route: "GET /api/motionsearch/{id}",
    path: () => "/api/motionsearch/99999999-0000-4000-8000-000000000001",
    allowed: 404,
  },
  {
    route: "DELETE /api/motionsearch/{id}",
    path: () => "/api/motionsearch/99999999-0000-4000-8000-000000000001",
    allowed: 404,
  },
  {
    route: "POST /api/tasks",
    path: () => "/api/tasks",
    body: (id) => ({
      ...{ Kind: "Export", ChannelId: id, Sound: true },
      ...{ FromTime: "21.11.2026 00:00:00", ToTime: "22.11.2026 00:00:00" },
    }),
    allowed: 202,
    channel: "archive",
    rights: ["CanUseArchiveExport", "CanReceiveMainStream", "CanReceiveSound"],
  },
  { route: "GET /api/tasks", path: () => "/api/tasks" },
  ...["", "/pictures/0"].map(
    (below): RouteCase => ({
      route: `GET /api/tasks/{id}${below === "" ? "" : "/pictures/{number}"}`,
      path: () => `/api/tasks/99999999-0000-4000-8000-000000000001${below}`,
      allowed: 404,
    }),
  ),
  {
    route: "DELETE /api/tasks/{id}",
    path: () => "/api/tasks/99999999-0000-4000-8000-000000000001",
    allowed: 404,
  },
  { route: "GET /api/archive/former", path: () => "/api/archive/former" },
  { route: "GET /api/files", path: () => "/api/files", rights: ["CanUseArchiveExport"] },
  ...["GET", "DELETE"].map((method) => ({
    route: `${method} /api/files/{id}`,
    path: () => `/api/files/${SAVED_FILE_ID}`,
    rights: ["CanUseArchiveExport"] as const,
    allowed: 404,
  })),
  { route: "GET /api/links", path: () => "/api/links", rights: ["CanUseArchiveExport"] },
  {
    route: "POST /api/files/{id}/links",
    path: () => `/api/files/${SAVED_FILE_ID}/links`,
    rights: ["CanUseArchiveExport"],
    body: () => ({ Hours: 1 }),
    allowed: 404,
  },
  {
    route: "DELETE /api/links/{id}",
    path: () => "/api/links/99999999-0000-4000-8000-000000000001",
    rights: ["CanUseArchiveExport"],
    allowed: 404,
  },
  { route: "GET /api/protected", path: () => "/api/protected", rights: ["CanManageRec"] },
  {
    route: "GET /exportarchive",
    path: (id) => `/exportarchive?${INTERVAL}&sound=on&channelid=${id}`,
    channel: "archive",
    rights: ["CanUseArchiveExport", "CanReceiveMainStream", "CanReceiveSound"],
  },
  ...["GET", "POST"].flatMap((method): RouteCase[] => [
    {
      route: `${method} /command`,
      path: (id) => `/command?type=findarchive&searchtime=21.11.2026+09:00:00&channelid=${id}`,
      channel: "archive",
    },
    { route: `${method} /command`, path: () => "/command?type=gettime" },
    { route: `${method} /command`, path: () => "/command?type=getchannelsstates" },
    { route: `${method} /command`, path: () => "/command?type=getallregisteredevents" },
    { route: `${method} /command`, path: () => "/command?type=getprofiles" },
    {
      route: `${method} /command`,
      path: (id) => `/command?type=generateexternalevent&systemname=x&information=y&channelid=${id}`,
      channel: "either",
      rights: ["CanAccessEditingAnalystPluginsInClient"],
    },
  ]),
  ...["GET", "POST"].flatMap((method) =>
    [
      "startmove&panspeed=10",
      "zoom&zoomstep=10",
      "startzoom&speed=10",
      "gotopreset&index=1",
      "moveto&width=640&height=480&x=1&y=1",
    ].map(
      (command): RouteCase => ({
        route: `${method} /ptz`,
        path: (id) => `/ptz?command=${command}&channelid=${id}`,
        channel: "realtime",
        rights: ["CanPTZ"],
      }),
    ),
  ),
  ...["GET", "POST"].map(
    (method): RouteCase => ({
      route: `${method} /ptz`,
      path: (id) => `/ptz?command=savepreset&name=Ramp&channelid=${id}`,
      channel: "realtime",
      rights: ["CanPTZ"],
      // For senior administrators.
      allowed: 403,
    }),
  ),
  { route: "GET /event", path: (id) => `/event?channelid=${id}`, channel: "either", endless: true },
  {
    route: "GET /specialarchiveevents",
    path: (id) => `/specialarchiveevents?${START}&endtime=22.11.2026+00:00:00&channelid=${id}`,
    channel: "either",
    rights: ["CanAccessUnifiedLog"],
  },
  {
    route: "POST /archive_events",
    path: () => "/archive_events",
    body: (id) => ({ channelIds: [id] }),
    channel: "either",
    // A search names channels to filter by: one that does not exist has no events.
    hidden: 200,
    rights: ["CanAccessUnifiedLog"],
  },
  {
    route: "GET /api/findings",
    path: (id) => `/api/findings?channelids=${id}&labels=person`,
    channel: "archive",
  },
  { route: "POST /api/findings/seen", path: () => "/api/findings/seen", body: () => ({}) },
  {
    route: "GET /api/findings/{id}",
    path: (id) => `/api/findings/${id}-1795251600000000`,
    channel: "archive",
    allowed: 404,
  },
  {
    route: "GET /api/findings/{id}/picture",
    path: (id) => `/api/findings/${id}-1795251600000000/picture`,
    channel: "archive",
    allowed: 404,
  },
  { route: "GET /archive_event_types", path: () => "/archive_event_types" },
  { route: "GET /api/cameraeventkinds", path: () => "/api/cameraeventkinds" },
  { route: "GET /api/channels", path: () => "/api/channels" },
  { route: "GET /api/channels/{id}", path: (id) => `/api/channels/${id}`, channel: "either" },
  { route: "GET /api/channels/{id}/status", path: (id) => `/api/channels/${id}/status`, channel: "either" },
  {
    route: "POST /api/channels/{id}/objects/trial",
    path: (id) => `/api/channels/${id}/objects/trial`,
    body: () => ({ Minutes: 60 }),
    channel: "archive",
  },
  { route: "GET /api/channels/{id}/motion", path: (id) => `/api/channels/${id}/motion`, channel: "realtime" },
  {
    route: "GET /api/channels/{id}/protected",
    path: (id) => `/api/channels/${id}/protected`,
    channel: "archive",
    rights: ["CanManageRec"],
  },
  {
    route: "POST /api/channels/{id}/protected",
    path: (id) => `/api/channels/${id}/protected`,
    body: () => ({ FromTime: "2023-11-21T09:00:00Z", ToTime: "2023-11-21T09:10:00Z" }),
    channel: "archive",
    rights: ["CanManageRec"],
  },
  {
    route: "POST /api/channels/{id}/bookmarks",
    path: (id) => `/api/channels/${id}/bookmarks`,
    body: () => ({ Time: "2023-11-21T09:00:00Z", Name: "the blue van" }),
    channel: "archive",
  },
  {
    route: "DELETE /api/channels/{id}/protected/{protectedid}",
    path: (id) => `/api/channels/${id}/protected/0d9c0000-0000-4000-8000-000000000001`,
    // There is none of this id.
    allowed: 404,
    channel: "archive",
    rights: ["CanManageRec"],
  },
  // The recorder of these tests is no hub.
  { route: "GET /api/boxes", path: () => "/api/boxes" },
  { route: "GET /api/boxes/map", path: () => "/api/boxes/map", allowed: 404 },
  { route: "GET /boxes/{id}", path: () => `/boxes/${NO_BOX}/`, allowed: 404 },
  { route: "GET /boxes/{id}/{path}", path: () => `/boxes/${NO_BOX}/api/channels`, allowed: 404 },
  { route: "POST /boxes/{id}/{path}", path: () => `/boxes/${NO_BOX}/ptz`, body: () => ({}), allowed: 404 },
  {
    route: "PUT /boxes/{id}/{path}",
    path: () => `/boxes/${NO_BOX}/configure/server`,
    body: () => ({}),
    allowed: 404,
  },
  { route: "DELETE /boxes/{id}/{path}", path: () => `/boxes/${NO_BOX}/api/session`, allowed: 404 },
  { route: "GET /api/away/targets", path: () => "/api/away/targets", rights: ["CanManageRec"] },
  { route: "GET /api/away/locks", path: () => "/api/away/locks", rights: ["CanManageRec"] },
  // There is nothing to lock, and no lock.
  {
    route: "POST /api/away/locks",
    path: () => "/api/away/locks",
    body: () => ({ ProtectedId: "0d9c0000-0000-4000-8000-000000000001", UntilDay: "2030-12-31" }),
    allowed: 404,
    rights: ["CanManageRec"],
  },
  {
    route: "PUT /api/away/locks/{id}",
    path: () => "/api/away/locks/0d9c0000-0000-4000-8000-000000000001",
    body: () => ({ LegalHold: false }),
    allowed: 404,
    rights: ["CanManageRec"],
  },
  {
    route: "DELETE /api/away/locks/{id}",
    path: () => "/api/away/locks/0d9c0000-0000-4000-8000-000000000001",
    allowed: 404,
    rights: ["CanManageRec"],
  },
  // The cameras of these tests keep nothing.
  {
    route: "GET /api/channels/{id}/devicearchive",
    path: (id) => `/api/channels/${id}/devicearchive?${MINUTE}`,
    allowed: 501,
    channel: "archive",
  },
  {
    route: "GET /api/channels/{id}/devicearchive/video",
    path: (id) => `/api/channels/${id}/devicearchive/video?${MINUTE}`,
    allowed: 501,
    channel: "archive",
    rights: ["CanReceiveMainStream"],
  },
  {
    route: "GET /api/channels/{id}/recording",
    path: (id) => `/api/channels/${id}/recording`,
    channel: "either",
    rights: ["CanManageRec"],
  },
  {
    route: "POST /api/channels/{id}/recording",
    path: (id) => `/api/channels/${id}/recording`,
    body: () => ({ Recording: true }),
    channel: "either",
    rights: ["CanManageRec"],
  },
  {
    route: "POST /api/events",
    path: () => "/api/events",
    body: (id) => ({
      EventId: "c9d6d086-c965-4cf8-aef6-85b3894e3a4a",
      ChannelId: id,
      plateText: "A123BC",
    }),
    channel: "either",
    rights: ["CanAccessEditingAnalystPluginsInClient"],
  },
  { route: "GET /hddstatus", path: () => "/hddstatus" },
  { route: "GET /api/health", path: () => "/api/health" },
  { route: "GET /api/archive", path: () => "/api/archive" },
  { route: "GET /api/clock", path: () => "/api/clock" },
  { route: "GET /api/system/history", path: () => "/api/system/history" },
  // The harness has no HTTPS.
  {
    route: "GET /api/system/certificate/authority",
    path: () => "/api/system/certificate/authority",
    allowed: 404,
  },
  { route: "GET /api/views", path: () => "/api/views" },
  { route: "GET /metrics", path: () => "/metrics" },
  { route: "GET /configex", path: () => "/configex" },
  { route: "GET /api/session", path: () => "/api/session" },
  { route: "DELETE /api/session", path: () => "/api/session" },
  {
    route: "POST /api/session/password",
    path: () => "/api/session/password",
    // The present one of a user without a password.
    body: () => ({ Current: "", New: "a long sentence of my own" }),
    rights: ["CanChangePassword"],
  },
  { route: "GET /api/sessions", path: () => "/api/sessions" },
  {
    route: "DELETE /api/sessions/{id}",
    path: () => "/api/sessions/0d9c0000-0000-4000-8000-000000000001",
    // There is none of this id.
    allowed: 404,
  },
  { route: "GET /api/push", path: () => "/api/push" },
  { route: "GET /api/push/subscriptions", path: () => "/api/push/subscriptions" },
  {
    route: "POST /api/push/subscriptions",
    path: () => "/api/push/subscriptions",
    body: (id) => ({ Endpoint: "https://push.example/", Keys: new PushBrowser().keys, ChannelIds: [id] }),
    channel: "either",
  },
  {
    route: "PUT /api/push/subscriptions/{id}",
    path: () => "/api/push/subscriptions/0d9c0000-0000-4000-8000-000000000001",
    body: () => ({}),
    // There is none of this id.
    allowed: 404,
  },
  {
    route: "DELETE /api/push/subscriptions/{id}",
    path: () => "/api/push/subscriptions/0d9c0000-0000-4000-8000-000000000001",
    allowed: 404,
  },
  {
    route: "POST /api/push/subscriptions/{id}/test",
    path: () => "/api/push/subscriptions/0d9c0000-0000-4000-8000-000000000001/test",
    allowed: 404,
  },
  { route: "GET /manifest.webmanifest", path: () => "/manifest.webmanifest" },
  {
    route: "PUT /api/password",
    path: () => "/api/password",
    body: () => ({ PasswordMd5: md5("another") }),
    rights: ["CanChangePassword"],
  },
  { route: "GET /openapi.json", path: () => "/openapi.json", isFixed: true },
];
