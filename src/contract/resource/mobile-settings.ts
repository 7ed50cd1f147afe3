import { by, choice, clearable, flag, group, list, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { FRAME_RATE_MAX } from "./camera.js";

/** Settings for mobile programs and the web client: `/configure/mobile`. */

export const MOBILE_LEVELS = ["Low", "Middle", "High"] as const;
export type MobileLevelName = (typeof MOBILE_LEVELS)[number];

const pixels = whole(16, 7680);
const picturesPerSecond = whole(1, FRAME_RATE_MAX);

/** One level of quality. */
export const mobileLevel = {
  Type: choice(...MOBILE_LEVELS),
  Width: pixels,
  Height: pixels,
  IsEnabled: by(flag, true),
  FpsLimit: picturesPerSecond,
  UsePFrames: by(flag, false),
} as const;

/** What the levels are until they are changed. */
export const MOBILE_LEVEL_DEFAULTS = {
  Low: { Width: 320, Height: 180, FpsLimit: 10 },
  Middle: { Width: 640, Height: 360, FpsLimit: 15 },
  High: { Width: 1280, Height: 720, FpsLimit: 25 },
} as const satisfies Readonly<Record<MobileLevelName, object>>;

export const mobileSettings = {
  IsEnabled: by(flag, true),
  IsProxyEnabled: by(flag, false),
  IsMobilePushEnabled: by(flag, false),
  Port: clearable(whole(1, 65_535)),
  UsePFrames: by(flag, false),
  FpsLimit: by(picturesPerSecond, 25),
  Resolutions: list(group(mobileLevel, "Type"), MOBILE_LEVELS.length, "levels"),
} as const;

export const mobileSettingsTexts: TextsOf<typeof mobileSettings> = {
  IsEnabled: "False refuses `/mobile` with 403 and ends its open streams.",
  IsProxyEnabled: "Stored only: the recorder is no proxy, and `/configex` says false.",
  IsMobilePushEnabled: "Stored only: nothing is pushed, and `/configex` says false.",
  Port: "The port shown to mobile programs. Null: the HTTP port.",
  UsePFrames: "Stored only: that of each level counts.",
  FpsLimit: "Maximum pictures per second of any level.",
  Resolutions: "The levels. PUT changes those given by `Type`.",
  "Resolutions.UsePFrames": "True: the level is H.264.",
};
