import { by, choice, flag, group, id, list, nullable, storedAs, week } from "../kinds/kinds.js";
import { timeOfDay } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { channelIds } from "./channels.js";

/** Which events are sent, and when: of alarm targets, and of browsers. */

const errorsAnyway = storedAs("areErrorsTold", by(flag, true));

/** A part of each day without messages; kept as minutes of the day. */
export const quietHours = {
  IsOn: by(flag, false),
  From: by(timeOfDay, "22:00"),
  To: by(timeOfDay, "06:00"),
  ErrorsAnyway: errorsAnyway,
} as const;

/** The hours of the week with messages. */
export const sendingHours = {
  IsOn: by(flag, false),
  Week: nullable(week),
  Otherwise: by(choice("Later", "Never"), "Later"),
  ErrorsAnyway: errorsAnyway,
} as const;

export const eventSelection = {
  Events: by(choice("Errors", "ErrorsAndAlarms", "Chosen"), "Errors"),
  EventTypeIds: list(id, 256, "event types"),
  AllChannels: by(flag, true),
  ChannelIds: channelIds,
  RecorderEvents: storedAs("isToldOfRecorder", by(flag, true)),
  QuietHours: group(quietHours),
  SendingHours: group(sendingHours),
} as const;

export const eventSelectionTexts: TextsOf<typeof eventSelection> = {
  Events: "Which events: `Chosen` are those of `EventTypeIds`.",
  EventTypeIds: "[Event types](events.md).",
  AllChannels: "Events of all cameras.",
  ChannelIds: "Only events of these cameras.",
  RecorderEvents: "Events that belong to no camera.",
  "QuietHours.IsOn": "No messages at these hours; what happens then is sent at their end.",
  "QuietHours.From": "The recorder's local time.",
  "QuietHours.To": "On the next day where it is earlier than `From`.",
  "QuietHours.ErrorsAnyway": "Errors are sent at once all the same.",
  SendingHours: "Instead of `QuietHours`: switching on one of them switches off the other.",
  "SendingHours.IsOn":
    "Messages in the hours of `Week` alone, which this takes; it is null in answers where this is false.",
  "SendingHours.Otherwise":
    "What happens at other hours: `Later` is sent when the next ones begin, within eight days; `Never` is not sent.",
  "SendingHours.ErrorsAnyway": "Errors are sent at once at all hours.",
};
