import { define } from "./definition.js";
import { oneOf, textWhere, wholeNumber } from "./values.js";

const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** The settings of what cameras keep on cards of their own (ONVIF Profile G). */

export const CARD_SETTING_DEFINITIONS = {
  deviceArchiveOrder: define<"oldest" | "newest">({
    kind: oneOf(["oldest", "newest"]),
    fallback: "oldest",
    description:
      "Which gaps of a camera's recording are filled from its own archive first. It acts for cameras with " +
      "`DeviceArchiveEnabled` and `DeviceArchiveAutoSynchronizationEnabled`. See the [guide](../guide/cameras.md).",
  }),
  deviceArchiveHours: define<string | undefined>({
    kind: textWhere("local times as 22:00-06:00, the first and the second of them different", {
      lengthMax: 11,
      accept: (text) => HOURS.test(text) && text.slice(0, 5) !== text.slice(6),
    }),
    fallback: undefined,
    fallbackText: "none: at once",
    description: "Hours in which gaps are filled. What is not finished at their end goes on the next time.",
  }),
  deviceArchiveMbits: define({
    kind: wholeNumber(1, 1000),
    fallback: 20,
    description:
      "Most megabits a second that are fetched from a camera's own archive. One camera is fetched from at a time, and recording " +
      "always goes first.",
  }),
  deviceArchiveDays: define({
    kind: wholeNumber(1, 365),
    fallback: 7,
    description: "Older gaps are not filled.",
  }),
} as const;
