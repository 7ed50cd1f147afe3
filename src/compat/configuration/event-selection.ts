import type { Guid } from "../../base/index.js";
import {
  changed,
  defaultsOf,
  eventSelection,
  type InputOf,
  minuteOf,
  type ObjectOf,
  part,
  quietHours,
  shown,
  shownWord,
  storedWord,
  timeText,
} from "../../contract/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import { givenMember, type InputPlace, type JsonSchema, when } from "../../route/index.js";
import type { AlarmEvents, EventSelection, QuietHours } from "../../site/index.js";
import { channelsAfter } from "./channels-after.js";
import { describeSendingHours, sendingHoursOf } from "./sending-hours.js";

/* Which events are sent, and when: of alarm targets, and of browsers. */

type SelectionInput = InputOf<typeof eventSelection>;

const OF_RECORDER = part(eventSelection, "RecorderEvents");
const QUIET_ALIKE = part(quietHours, "ErrorsAnyway");

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

/** The selection changed by the input; of everything there is where it is new. Adds faults. */
export function selectionOf(
  input: SelectionInput,
  base: EventSelection | undefined,
  place: InputPlace,
): EventSelection {
  return {
    events: eventsOf(input, base?.events ?? "errors", place),
    channelIds: channelsAfter(input, base?.channelIds ?? "all", place),
    ...changed(OF_RECORDER, input, base),
    ...timesOf(input, base, place),
  };
}

export function describeSelection(selection: EventSelection): ObjectOf<typeof eventSelection> {
  const { events, channelIds } = selection;
  return {
    Events: typeof events === "string" ? shownWord(["Errors", "ErrorsAndAlarms"], events) : "Chosen",
    EventTypeIds: typeof events === "string" ? [] : events,
    AllChannels: channelIds === "all",
    ChannelIds: channelIds === "all" ? [] : channelIds,
    ...shown(OF_RECORDER, selection),
    QuietHours: describeQuietHours(selection.quietHours),
    SendingHours: describeSendingHours(selection.sendingHours),
  };
}

const QUIET_DEFAULT: QuietHours = {
  fromMinute: minuteOf(quietHours.From.default),
  toMinute: minuteOf(quietHours.To.default),
  ...defaultsOf(QUIET_ALIKE),
};

function describeQuietHours(hours: QuietHours | undefined): ObjectOf<typeof quietHours> {
  const { fromMinute, toMinute } = hours ?? QUIET_DEFAULT;
  const times = { From: timeText(fromMinute), To: timeText(toMinute) };
  return { IsOn: hours !== undefined, ...times, ...shown(QUIET_ALIKE, hours ?? QUIET_DEFAULT) };
}

/** The hours changed by the input. What is switched on switches off the other. */
function timesOf(
  input: SelectionInput,
  base: EventSelection | undefined,
  place: InputPlace,
): Pick<EventSelection, "quietHours" | "sendingHours"> {
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
  const hours = {
    fromMinute: given?.From ? minuteOf(given.From) : base.fromMinute,
    toMinute: given?.To ? minuteOf(given.To) : base.toMinute,
    ...changed(QUIET_ALIKE, given ?? {}, base),
  };
  if (hours.fromMinute === hours.toMinute)
    place.faults.add(`${place.path}.QuietHours.To`, "must differ from From", "CONFLICT");
  return hours;
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
  return storedWord(selection);
}
