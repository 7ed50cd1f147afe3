import type * as v from "valibot";
import {
  changed,
  MOBILE_LEVELS,
  type MobileLevelName,
  mobileLevel,
  mobileSettings,
  mobileSettingsTexts,
  type ObjectOf,
  shown,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type Faults,
  givenMember,
  type JsonSchema,
  type Route,
  type SettingsDescription,
  settingsRoutes,
} from "../../route/index.js";
import type { MobileSettings } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(mobileSettings);
type LevelInput = NonNullable<v.InferOutput<typeof schema>["Resolutions"]>[number];

/** The levels are kept by their names. */
const SETTINGS = without(mobileSettings, "Resolutions");
const LEVEL = without(mobileLevel, "Type");

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
  members: notesOf(mobileSettings, mobileSettingsTexts, { isOne: true }),
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
  describe: ({ mobile }): ObjectOf<typeof mobileSettings> => ({
    ...shown(SETTINGS, mobile),
    Resolutions: MOBILE_LEVELS.map((Type) => ({ Type, ...shown(LEVEL, mobile.levels[Type]) })),
  }),
  apply: (site, input, faults) => {
    const levels = levelsAfter(input.Resolutions ?? [], site.mobile.levels, faults);
    return { ...site, mobile: { ...changed(SETTINGS, input, site.mobile), levels } };
  },
});

function levelsAfter(
  inputs: readonly LevelInput[],
  before: MobileSettings["levels"],
  faults: Faults,
): MobileSettings["levels"] {
  const levels = { ...before };
  const seen = new Set<MobileLevelName>();
  for (const [index, input] of inputs.entries()) {
    if (seen.has(input.Type)) faults.add(`Resolutions[${index}].Type`, "occurs twice in the list");
    seen.add(input.Type);
    levels[input.Type] = changed(LEVEL, input, levels[input.Type]);
  }
  return levels;
}
