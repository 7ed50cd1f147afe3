import {
  by,
  choice,
  clearable,
  flag,
  id,
  line,
  list,
  maybeId,
  name,
  needed,
  sparse,
  unsaid,
  variant,
  whole,
} from "../kinds/kinds.js";
import { timeOfStart } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { WEEK_DAYS } from "../kinds/week.js";
import { channelIds } from "./channels.js";

/** Lists of actions that users, events and times start: `/configure/userscenarios`. */

export const SCENARIOS_MAX = 512;

/** Of an output that stays switched, or of a recording. */
export const outputSeconds = whole(1, 86_400);
/** A digital output (relay) by the camera's own name; the longest text that is read of a device. */
export const outputName = line(256, { lengthMin: 1, accepted: "the name of an output" });

const text = unsaid(line(256), "");

export const scenarioAction = variant({
  tag: "Type",
  storedTag: "kind",
  /** Null: the channel for which the scenario runs. */
  shared: { ChannelId: clearable(maybeId) },
  of: {
    /** Records the channel for some time, whatever its mode. */
    Record: { Seconds: needed(outputSeconds) },
    /** Moves the camera to a preset. */
    Preset: { Preset: needed(whole(0, 999_999)) },
    /** Switches a digital output; null seconds: it stays. */
    Output: { Output: needed(outputName), IsOn: by(flag, true), Seconds: clearable(outputSeconds) },
    /** Plays an announcement at the camera's loudspeaker. */
    Announcement: { AnnouncementId: needed(maybeId) },
    /** An event with a text, as an alarm or as information. */
    Alarm: { Text: text },
    Event: { Text: text },
  },
  storedWords: {},
});

export const scenarioStart = variant({
  tag: "Type",
  storedTag: "kind",
  shared: {},
  of: {
    /** An event of a type at one of the scenario's channels. */
    Event: { EventTypeIds: needed(list(id, 64, "event types")) },
    /** A time of day, local. */
    Schedule: {
      Days: needed(list(choice(...WEEK_DAYS), WEEK_DAYS.length, "days")),
      Time: { ...needed(timeOfStart), storedAs: "minute" },
    },
  },
  storedWords: { Schedule: "time" },
});

export const scenario = {
  Name: needed(name),
  NeedConfirmation: by(flag, false),
  ChannelIds: unsaid(channelIds, []),
  Actions: sparse(unsaid(list(scenarioAction, 16, "actions"), [])),
  Starts: sparse(unsaid(list(scenarioStart, 16, "starts"), [])),
} as const;

export const scenarioTexts: TextsOf<typeof scenario> = {
  Name: "Required in POST. Names need not be unique.",
  NeedConfirmation: "A run by a user must be confirmed. Events and times start it all the same.",
  ChannelIds:
    "The channels that show it, and whose events start it. Empty: it belongs to the whole recorder, and every user with the right may run it.",
  Actions: "Carried out one after the other. Given, they replace all actions.",
  "Actions.Type":
    "`Record`: records the channel for `Seconds`, in every mode. `Preset`: moves the camera to its preset `Preset`. `Output`: switches the [output](#get-apichannelsidoutputs) `Output`, back after `Seconds` where that is given. `Announcement`: plays [an announcement](#get-apiannouncements) at the camera's loudspeaker; it has begun when the camera listens, and is played to its end by itself. `Alarm`, `Event`: the event `scenarioAlarm` or `scenarioEvent` with `Text` as its comment.",
  "Actions.ChannelId":
    "Null: the channel for which the scenario runs; where it runs for none, each of `ChannelIds`, and for `Alarm` and `Event` none.",
  "Actions.Seconds": "Required for `Record`. For `Output`, null: it stays.",
  "Actions.Output": "Required for `Output`.",
  "Actions.AnnouncementId":
    "Required for `Announcement`: one of [those that are kept](#get-apiannouncements); 404 for others. It cannot be deleted while a scenario names it.",
  "Actions.IsOn": "Of an output: active.",
  "Actions.Preset": "Required for `Preset`.",
  "Actions.Text": "Empty: the scenario's name.",
  Starts: "What starts it besides users. Given, they replace all starts.",
  "Starts.Type":
    "`Event`: an event of `EventTypeIds` at one of `ChannelIds`, or at no channel. `Schedule`: the `Time` at `Days`.",
  "Starts.EventTypeIds": "[Event types](events.md). Required for `Event`.",
  "Starts.Days": "Required for `Schedule`.",
  "Starts.Time": "The recorder's local time. Required for `Schedule`.",
};

/** The body of `POST /api/scenarios/{id}/run`. */
export const scenarioOrder = { ChannelId: maybeId, Confirmed: flag } as const;

export const scenarioOrderTexts: TextsOf<typeof scenarioOrder> = {
  ChannelId: "The channel for which it runs: one of the scenario's, or any where it has none.",
  Confirmed: "The person has confirmed it. Needed where `NeedConfirmation` is true.",
};
