import {
  changed,
  defaultsOf,
  group,
  locations,
  MOBILE_LEVEL_DEFAULTS,
  MOBILE_LEVELS,
  mobileLevel,
  mobileSettings,
  monitoring,
  monitoringProxy,
  part,
  rtspSettings,
  serverSettings,
  without,
} from "../../contract/index.js";
import { AWAY_TARGET_DEFAULT } from "./away-target.js";
import type { Site, UserGroup } from "./model.js";
import type { MobileSettings } from "./site-settings.js";

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

const mobileLevels = Object.fromEntries(
  MOBILE_LEVELS.map((type) => [type, changed(without(mobileLevel, "Type"), MOBILE_LEVEL_DEFAULTS[type])]),
) as MobileSettings["levels"];

export const DEFAULT_SITE_PARTS: DefaultSiteParts = {
  views: [],
  ...defaultsOf(locations),
  userScenarios: [],
  mobile: { ...defaultsOf(without(mobileSettings, "Resolutions")), levels: mobileLevels },
  rtsp: defaultsOf(rtspSettings),
  monitoring: {
    ...defaultsOf(without(monitoring, "Password", "ProxySettings")),
    password: "",
    ...defaultsOf(monitoringProxy),
  },
  alarmTargets: [],
  awayTargets: [],
  analysers: [],
  ...defaultsOf(part(serverSettings, "UseTimeZones")),
};

export const DEFAULT_GROUP_PARTS: DefaultGroupParts = defaultsOf(
  part(group, "GridTypesAllowed", "DirectoryGroups"),
);

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
