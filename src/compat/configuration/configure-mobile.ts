import * as v from "valibot";
import {
  given,
  givenMember,
  type JsonSchema,
  members,
  type Route,
  type SettingsDescription,
  settingsRoutes,
} from "../../route/index.js";
import {
  MOBILE_LEVELS,
  type MobileLevel,
  type MobileLevelName,
  type MobileSettings,
  SITE_LIMITS,
  siteValues,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag, list, oneOf, whole } = siteValues;
const pixels = whole(SITE_LIMITS.mobilePixelsMin, SITE_LIMITS.mobilePixelsMax);
const fpsLimit = whole(1, SITE_LIMITS.frameRateMax);

const levelSchema = members({
  Type: oneOf(MOBILE_LEVELS),
  Width: given(pixels),
  Height: given(pixels),
  IsEnabled: given(flag),
  FpsLimit: given(fpsLimit),
  UsePFrames: given(flag),
});

const schema = members({
  IsEnabled: given(flag),
  IsProxyEnabled: given(flag),
  IsMobilePushEnabled: given(flag),
  Port: v.optional(v.nullable(whole(1, 65_535))),
  UsePFrames: given(flag),
  FpsLimit: given(fpsLimit),
  Resolutions: given(list(levelSchema, MOBILE_LEVELS.length, "levels")),
});

type LevelInput = v.InferOutput<typeof levelSchema>;

/** A list has a level once. */
function atMostOne(level: MobileLevelName): JsonSchema {
  const contains = givenMember("Type", { const: level });
  return { properties: { Resolutions: { contains, minContains: 0, maxContains: 1 } } };
}

const DESCRIPTION: SettingsDescription = {
  title: "MobileSettings",
  noun: "the settings and quality levels of /mobile",
  text: ["They act on [`/mobile`](#get-mobile) at once."],
  rules: MOBILE_LEVELS.map(atMostOne),
  members: {
    IsEnabled: "False refuses `/mobile` with 403 and ends its open streams.",
    IsProxyEnabled: "Stored only: the recorder is no proxy, and `/configex` says false.",
    IsMobilePushEnabled: "Stored only: nothing is pushed, and `/configex` says false.",
    Port: "The port shown to mobile programs. Null: the HTTP port.",
    UsePFrames: "Stored only: that of each level counts.",
    FpsLimit: "Maximum pictures per second of any level.",
    Resolutions: "The levels. PUT changes those given by `Type`.",
    "Resolutions.UsePFrames": "True: the level is H.264.",
  },
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/mobile"'],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/mobile" --data \'{ "Resolutions": [{ "Type": "Low", "Width": 480, "Height": 270 }] }\'',
    ],
  },
};

/** /configure/mobile: the quality levels and settings of /mobile. */
export const MOBILE_SETTINGS_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/mobile",
  description: DESCRIPTION,
  schema,
  describe: ({ mobile: settings }) => ({
    IsEnabled: settings.isEnabled,
    IsProxyEnabled: settings.isProxyEnabled,
    IsMobilePushEnabled: settings.isMobilePushEnabled,
    Port: settings.port,
    UsePFrames: settings.usePFrames,
    FpsLimit: settings.fpsLimit,
    Resolutions: MOBILE_LEVELS.map((type) => describeLevel(type, settings.levels[type])),
  }),
  apply: (site, input, faults) => {
    const before = site.mobile;
    const levels: Record<MobileLevelName, MobileLevel> = { ...before.levels };
    const seen = new Set<string>();
    for (const [index, level] of (input.Resolutions ?? []).entries()) {
      if (seen.has(level.Type)) faults.add(`Resolutions[${index}].Type`, "occurs twice in the list");
      seen.add(level.Type);
      levels[level.Type] = changeLevel(levels[level.Type], level);
    }
    const next: MobileSettings = {
      isEnabled: input.IsEnabled ?? before.isEnabled,
      isProxyEnabled: input.IsProxyEnabled ?? before.isProxyEnabled,
      isMobilePushEnabled: input.IsMobilePushEnabled ?? before.isMobilePushEnabled,
      port: input.Port === undefined ? before.port : input.Port,
      fpsLimit: input.FpsLimit ?? before.fpsLimit,
      usePFrames: input.UsePFrames ?? before.usePFrames,
      levels,
    };
    return { ...site, mobile: next };
  },
});

function describeLevel(type: MobileLevelName, level: MobileLevel): unknown {
  return {
    Type: type,
    Width: level.width,
    Height: level.height,
    IsEnabled: level.isEnabled,
    FpsLimit: level.fpsLimit,
    UsePFrames: level.usePFrames,
  };
}

function changeLevel(before: MobileLevel, input: LevelInput): MobileLevel {
  return {
    width: input.Width ?? before.width,
    height: input.Height ?? before.height,
    isEnabled: input.IsEnabled ?? before.isEnabled,
    fpsLimit: input.FpsLimit ?? before.fpsLimit,
    usePFrames: input.UsePFrames ?? before.usePFrames,
  };
}
