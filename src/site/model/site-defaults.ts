import { AWAY_TARGET_DEFAULT } from "./away-target.js";
import type { Site, UserGroup } from "./model.js";
import type { MobileLevel } from "./site-settings.js";

/** The defaults of members that are missing in a configuration, for example because it was written before they existed. */
export type DefaultSiteParts = Pick<
  Site,
  | "views"
  | "mapLocations"
  | "userScenarios"
  | "mobile"
  | "rtsp"
  | "monitoring"
  | "alarmTargets"
  | "awayTargets"
  | "analysers"
  | "useTimeZones"
>;
export type DefaultGroupParts = Pick<UserGroup, "gridTypes" | "directoryGroups">;

const level = (width: number, height: number, fpsLimit: number): MobileLevel => ({
  width,
  height,
  isEnabled: true,
  fpsLimit,
  usePFrames: false,
});

export const DEFAULT_SITE_PARTS: DefaultSiteParts = {
  views: [],
  mapLocations: { name: "", locations: [], folders: [] },
  userScenarios: [],
  mobile: {
    isEnabled: true,
    isProxyEnabled: false,
    isMobilePushEnabled: false,
    port: null,
    fpsLimit: 25,
    usePFrames: false,
    levels: { Low: level(320, 180, 10), Middle: level(640, 360, 15), High: level(1280, 720, 25) },
  },
  rtsp: { isEnabled: true, tcpPort: null, isMjpegEnabled: true },
  monitoring: {
    isEnabled: false,
    url: "",
    password: "",
    isNewServerEnabled: false,
    pushIntervalSeconds: 60,
    serverIds: [],
    isProxyServerEnabled: false,
    proxyServerId: null,
  },
  alarmTargets: [],
  awayTargets: [],
  analysers: [],
  useTimeZones: false,
};

export const DEFAULT_GROUP_PARTS: DefaultGroupParts = {
  gridTypes: ["GridType1", "GridType12X11"],
  directoryGroups: [],
};

/** `data` with its missing members. Anything that is not a configuration is returned unchanged, for the schema to reject. */
export function withDefaultParts(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { groups, awayTargets } = data as { groups?: unknown; awayTargets?: unknown };
  return {
    ...DEFAULT_SITE_PARTS,
    ...data,
    ...(Array.isArray(awayTargets) ? { awayTargets: awayTargets.map(withDefaultAwayParts) } : {}),
    ...(Array.isArray(groups) ? { groups: groups.map(withDefaultGroupParts) } : {}),
  };
}

function withDefaultAwayParts(target: unknown): unknown {
  if (!isObject(target)) return target;
  const { identity, ...open } = AWAY_TARGET_DEFAULT;
  // Where secrets were taken out, the private key comes with them.
  const secret = "secretAccessKey" in target ? { identity } : {};
  return { ...open, ...secret, ...target };
}

function withDefaultGroupParts(group: unknown): unknown {
  return isObject(group) ? { ...DEFAULT_GROUP_PARTS, ...group } : group;
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
