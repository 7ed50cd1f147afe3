import * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  checkChannels,
  given,
  givenMember,
  guids,
  type InputPlace,
  type JsonSchema,
  members,
  type Note,
  when,
} from "../../route/index.js";
import {
  type AlarmEvents,
  type AlarmTarget,
  type QuietHours,
  SITE_LIMITS,
  siteValues,
} from "../../site/index.js";
import { describeSendingHours, SENDING_HOURS, SENDING_HOURS_NOTES, sendingHoursOf } from "./sending-hours.js";
import { minuteOf, timeOfDay, timeText } from "./time-of-day.js";

/* Which events somebody is told of, and when: of alarm targets, and of browsers. */

const SELECTIONS = ["Errors", "ErrorsAndAlarms", "Chosen"] as const;
const { flag } = siteValues;

export const SELECTION = v.object({
  Events: given(siteValues.oneOf(SELECTIONS)),
  EventTypeIds: given(guids(SITE_LIMITS.alarmEventTypesMax, "event types")),
  AllChannels: given(flag),
  ChannelIds: given(guids(SITE_LIMITS.camerasMax, "channels")),
  RecorderEvents: given(flag),
  QuietHours: given(
    members({ IsOn: given(flag), From: given(timeOfDay), To: given(timeOfDay), ErrorsAnyway: given(flag) }),
  ),
  SendingHours: given(SENDING_HOURS),
});
type SelectionInput = v.InferOutput<typeof SELECTION>;

export const SELECTION_NOTES = {
  Events: { description: "Which events: `Chosen` are those of `EventTypeIds`.", default: "Errors" },
  EventTypeIds: "[Event types](events.md).",
  AllChannels: { description: "Events of all cameras.", default: true },
  ChannelIds: "Only events of these cameras.",
  RecorderEvents: { description: "Events that belong to no camera.", default: true },
  "QuietHours.IsOn": {
    description: "No messages at these hours; what happens then is told at their end.",
    default: false,
  },
  "QuietHours.From": { description: "The recorder's local time.", default: "22:00" },
  "QuietHours.To": { description: "On the next day where it is earlier than `From`.", default: "06:00" },
  "QuietHours.ErrorsAnyway": { description: "Errors are told at once all the same.", default: true },
  ...SENDING_HOURS_NOTES,
} as const satisfies Readonly<Record<string, Note>>;

/** Some event types, or some channels. */
const SOME: JsonSchema = { type: "array", minItems: 1 };
const SWITCHED_ON: JsonSchema = { type: "object", ...givenMember("IsOn", { const: true }) };
/** What contradicts itself. */
export const SELECTION_RULES: readonly JsonSchema[] = [
  when(givenMember("Events", { enum: ["Errors", "ErrorsAndAlarms"] }), {
    not: givenMember("EventTypeIds", SOME),
  }),
  when(givenMember("AllChannels", { const: true }), { not: givenMember("ChannelIds", SOME) }),
  when(givenMember("QuietHours", SWITCHED_ON), { not: givenMember("SendingHours", SWITCHED_ON) }),
];

export const SELECTION_RULE_OF_NEW: JsonSchema = when(
  givenMember("Events", { const: "Chosen" }),
  givenMember("EventTypeIds", SOME),
);

/** What is selected. */
export type Selection = Pick<
  AlarmTarget,
  "events" | "channelIds" | "isToldOfRecorder" | "quietHours" | "sendingHours"
>;

/** The selection changed by the input; of everything there is where it is new. Adds faults. */
export function selectionOf(
  input: SelectionInput,
  base: Selection | undefined,
  place: InputPlace,
): Selection {
  return {
    events: eventsOf(input, base?.events ?? "errors", place),
    channelIds: channelsOf(input, base?.channelIds ?? "all", place),
    isToldOfRecorder: input.RecorderEvents ?? base?.isToldOfRecorder ?? true,
    ...timesOf(input, base, place),
  };
}

export function describeSelection(selection: Selection): object {
  const { events, channelIds, isToldOfRecorder, quietHours, sendingHours } = selection;
  return {
    Events: events === "errors" ? "Errors" : events === "errorsAndAlarms" ? "ErrorsAndAlarms" : "Chosen",
    EventTypeIds: typeof events === "string" ? [] : events,
    AllChannels: channelIds === "all",
    ChannelIds: channelIds === "all" ? [] : channelIds,
    RecorderEvents: isToldOfRecorder,
    QuietHours: describeQuietHours(quietHours),
    SendingHours: describeSendingHours(sendingHours),
  };
}

const QUIET_DEFAULT: QuietHours = { fromMinute: 22 * 60, toMinute: 6 * 60, areErrorsTold: true };

function describeQuietHours(quietHours: QuietHours | undefined): object {
  const { fromMinute, toMinute, areErrorsTold } = quietHours ?? QUIET_DEFAULT;
  const times = { From: timeText(fromMinute), To: timeText(toMinute) };
  return { IsOn: quietHours !== undefined, ...times, ErrorsAnyway: areErrorsTold };
}

/** The hours changed by the input. What is switched on switches off the other. */
function timesOf(
  input: SelectionInput,
  base: Selection | undefined,
  place: InputPlace,
): Pick<Selection, "quietHours" | "sendingHours"> {
  const [becomesQuiet, becomesWeek] = [input.QuietHours?.IsOn, input.SendingHours?.IsOn];
  if (becomesQuiet === true && becomesWeek === true)
    place.faults.add(`${place.path}.SendingHours.IsOn`, "contradicts QuietHours.IsOn: true", "CONFLICT");
  const quietHours = becomesWeek === true ? undefined : quietHoursOf(input, base?.quietHours, place);
  const sendingHours =
    becomesQuiet === true ? undefined : sendingHoursOf(input.SendingHours, base?.sendingHours, place);
  return {
    ...(quietHours === undefined ? {} : { quietHours }),
    ...(sendingHours === undefined ? {} : { sendingHours }),
  };
}

/** The quiet hours changed by the input; none where they are off. */
function quietHoursOf(
  { QuietHours: given }: SelectionInput,
  before: QuietHours | undefined,
  place: InputPlace,
): QuietHours | undefined {
  if (!(given?.IsOn ?? before !== undefined)) return undefined;
  const base = before ?? QUIET_DEFAULT;
  const quietHours = {
    fromMinute: minuteOf(given?.From) ?? base.fromMinute,
    toMinute: minuteOf(given?.To) ?? base.toMinute,
    areErrorsTold: given?.ErrorsAnyway ?? base.areErrorsTold,
  };
  if (quietHours.fromMinute === quietHours.toMinute)
    place.faults.add(`${place.path}.QuietHours.To`, "must differ from From", "CONFLICT");
  return quietHours;
}

function eventsOf(input: SelectionInput, before: AlarmEvents, place: InputPlace): AlarmEvents {
  const ids = input.EventTypeIds ?? [];
  const at = `${place.path}.EventTypeIds`;
  const known = new Set<Guid>(Object.values(EVENT_TYPES).map(({ id }) => id));
  for (const id of ids)
    if (!known.has(id)) place.faults.add(at, `no event type has the id ${id}`, "NOT_FOUND");
  if (new Set(ids).size < ids.length) place.faults.add(at, "an event type is named twice", "CONFLICT");
  const selection = input.Events ?? (ids.length > 0 ? "Chosen" : undefined);
  if (selection === undefined) return before;
  if (selection === "Chosen") {
    const chosen = input.EventTypeIds ?? (typeof before === "string" ? [] : before);
    if (chosen.length === 0) place.faults.add(at, "is required with Events: Chosen");
    return chosen;
  }
  if (ids.length > 0) place.faults.add(at, `contradicts Events: ${selection}`);
  return selection === "Errors" ? "errors" : "errorsAndAlarms";
}

function channelsOf(
  input: SelectionInput,
  before: AlarmTarget["channelIds"],
  place: InputPlace,
): AlarmTarget["channelIds"] {
  const ids = input.ChannelIds ?? undefined;
  if (ids !== undefined) checkChannels(ids, "ChannelIds", place);
  if (input.AllChannels === true) {
    if (ids !== undefined && ids.length > 0)
      place.faults.add(`${place.path}.ChannelIds`, "contradicts AllChannels: true");
    return "all";
  }
  if (input.AllChannels === false) return ids ?? (before === "all" ? [] : before);
  // GET returns an empty list with AllChannels: true, and programs send back what they received.
  if (ids === undefined || (ids.length === 0 && before === "all")) return before;
  return ids;
}
