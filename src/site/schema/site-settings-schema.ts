import * as v from "valibot";
import {
  between,
  degrees,
  flag,
  guid,
  httpUrl,
  line,
  list,
  name,
  whole,
} from "../../contract/reading/index.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { type MapFolder, MOBILE_LEVELS } from "../model/site-settings.js";
import { alarmTargets } from "./alarm-target-schema.js";
import { analysers } from "./analyser-schema.js";
import { awayProxy, awayTargets } from "./away-target-schema.js";
import { directory } from "./directory-schema.js";
import { userScenarios } from "./scenario-schema.js";

/** The schema of the parts in site-settings.ts. The depth of map folders is checked before (see `isTooDeep`). */

const port = v.nullable(whole(1, 65_535));
const fpsLimit = whole(1, SITE_LIMITS.frameRateMax);
const pixels = whole(SITE_LIMITS.mobilePixelsMin, SITE_LIMITS.mobilePixelsMax);

const view = v.strictObject({
  id: guid,
  name,
  channelIds: list(guid, SITE_LIMITS.viewChannelsMax, "channels"),
  gridType: line(SITE_LIMITS.gridTypeLengthMax),
  groupIds: v.union(
    [v.literal("all"), list(guid, SITE_LIMITS.groupsMax, "groups")],
    "accepted: all, or a list of group ids",
  ),
});

const mapLocation = v.strictObject({
  name: line(SITE_LIMITS.nameLengthMax),
  latitude: degrees(90),
  longitude: degrees(180),
  zoom: between(0, SITE_LIMITS.mapZoomMax),
});

const mapFolder: v.GenericSchema<MapFolder> = v.strictObject({
  name: line(SITE_LIMITS.nameLengthMax),
  locations: list(mapLocation, SITE_LIMITS.mapLocationsMax, "locations"),
  folders: v.pipe(v.array(v.lazy(() => mapFolder)), v.readonly()),
});

const mobileLevel = v.strictObject({
  width: pixels,
  height: pixels,
  isEnabled: flag,
  fpsLimit,
  usePFrames: flag,
});

export const siteSettingsEntries = {
  views: list(view, SITE_LIMITS.viewsMax, "views"),
  mapLocations: mapFolder,
  userScenarios,
  mobile: v.strictObject({
    isEnabled: flag,
    isProxyEnabled: flag,
    isMobilePushEnabled: flag,
    port,
    fpsLimit,
    usePFrames: flag,
    levels: v.strictObject(v.entriesFromList(MOBILE_LEVELS, mobileLevel)),
  }),
  rtsp: v.strictObject({ isEnabled: flag, tcpPort: port, isMjpegEnabled: flag }),
  monitoring: v.strictObject({
    isEnabled: flag,
    url: httpUrl(SITE_LIMITS.monitoringUrlLengthMax),
    password: line(SITE_LIMITS.monitoringPasswordLengthMax),
    isNewServerEnabled: flag,
    pushIntervalSeconds: whole(
      SITE_LIMITS.monitoringPushIntervalSecondsMin,
      SITE_LIMITS.monitoringPushIntervalSecondsMax,
    ),
    serverIds: list(guid, SITE_LIMITS.monitoringServersMax, "servers"),
    isProxyServerEnabled: flag,
    proxyServerId: v.nullable(guid),
    proxyUrl: v.exactOptional(awayProxy),
  }),
  alarmTargets,
  awayTargets,
  analysers,
  directory: v.exactOptional(directory),
  useTimeZones: flag,
};
