import type * as v from "valibot";
import { EMPTY_GUID, type Guid, NvrdError } from "../../base/index.js";
import { minuteOf, timeOfStart, timeText } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  type CollectionDescription,
  channelIds,
  checkChannels,
  collection,
  collectionRoutes,
  given,
  givenMember,
  guidOrNone,
  guids,
  type InputPlace,
  type JsonSchema,
  members,
  nameText,
  type RequestContext,
  type Route,
  SOME_ID,
  when,
} from "../../route/index.js";
import {
  type ScenarioAction,
  type ScenarioStart,
  SITE_LIMITS,
  scenarioValues,
  siteValues,
  type UserScenario,
  WEEK_DAYS,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const action = members({
  Type: siteValues.oneOf(["Record", "Preset", "Output", "Announcement", "Alarm", "Event"]),
  ChannelId: guidOrNone,
  Seconds: given(scenarioValues.scenarioSeconds),
  Preset: given(scenarioValues.scenarioPreset),
  Output: given(scenarioValues.scenarioOutput),
  IsOn: given(siteValues.flag),
  AnnouncementId: guidOrNone,
  Text: given(scenarioValues.scenarioText),
});
const start = members({
  Type: siteValues.oneOf(["Event", "Schedule"]),
  EventTypeIds: given(guids(SITE_LIMITS.scenarioEventTypesMax, "event types")),
  Days: given(siteValues.list(siteValues.oneOf(WEEK_DAYS), WEEK_DAYS.length, "days")),
  Time: given(readerOfValue(timeOfStart)),
});
const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  NeedConfirmation: given(siteValues.flag),
  ChannelIds: given(channelIds),
  Actions: given(siteValues.list(action, SITE_LIMITS.scenarioActionsMax, "actions")),
  Starts: given(siteValues.list(start, SITE_LIMITS.scenarioStartsMax, "starts")),
});

type ActionInput = v.InferOutput<typeof action>;
type StartInput = v.InferOutput<typeof start>;
type ScenarioInput = v.InferOutput<typeof schema>;

/** What an action or a start of a type needs. */
function ofType(type: string, name: string, schemaOfMember: JsonSchema): JsonSchema {
  return when(givenMember("Type", { const: type }), givenMember(name, schemaOfMember));
}
const NUMBER: JsonSchema = { type: "integer" };
const SOME: JsonSchema = { type: "array", minItems: 1, uniqueItems: true };
const RULES: readonly JsonSchema[] = [
  {
    properties: {
      Actions: {
        items: {
          allOf: [
            ofType("Record", "Seconds", NUMBER),
            ofType("Preset", "Preset", NUMBER),
            ofType("Output", "Output", { type: "string" }),
            ofType("Announcement", "AnnouncementId", SOME_ID),
          ],
        },
      },
      Starts: {
        items: {
          allOf: [
            ofType("Event", "EventTypeIds", SOME),
            ofType("Schedule", "Time", { type: "string" }),
            ofType("Schedule", "Days", SOME),
          ],
        },
      },
    },
  },
];

const DESCRIPTION: CollectionDescription = {
  title: "UserScenario",
  text: [
    "Scenarios are lists of actions, which users start by hand for a camera, and events and times by themselves. They are shown at their channels in [`/configex`](#get-configex), and run by [`POST /api/scenarios/{id}/run`](#post-apiscenariosidrun), [`/command`](#get-and-post-command) and [MQTT](mqtt.md). `Actions` and `Starts` are additions of nvrd.",
    "A run has the rights of the recorder, whoever starts it. One scenario runs once at a time: what would start it meanwhile is left out. Events start it at most 6 times a minute, and no more than 3 scenarios in a row start each other; what is left out is told by the event `scenarioFailed`. Times are local; those that pass while the service is stopped or the clock is not known are left out.",
  ],
  rules: RULES,
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names need not be unique.",
    NeedConfirmation: {
      description: "A run by a user must be confirmed. Events and times start it all the same.",
      default: false,
    },
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
    "Actions.IsOn": { description: "Of an output: active.", default: true },
    "Actions.Preset": "Required for `Preset`.",
    "Actions.Text": "Empty: the scenario's name.",
    Starts: "What starts it besides users. Given, they replace all starts.",
    "Starts.Type":
      "`Event`: an event of `EventTypeIds` at one of `ChannelIds`, or at no channel. `Schedule`: the `Time` at `Days`.",
    "Starts.EventTypeIds": "[Event types](events.md). Required for `Event`.",
    "Starts.Days": "Required for `Schedule`.",
    "Starts.Time": "The recorder's local time. Required for `Schedule`.",
  },
  examples: {
    id: "$NIGHT",
    post: [
      'NIGHT=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/userscenarios" --data \'[{',
      '  "Name": "Night at the gate", "ChannelIds": ["\'$CHANNEL\'"],',
      '  "Actions": [{ "Type": "Preset", "Preset": 1 }, { "Type": "Record", "Seconds": 60 }],',
      '  "Starts": [{ "Type": "Schedule", "Days": ["Monday", "Friday"], "Time": "22:00" }] }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/userscenarios" --data \'[{',
      '  "Id": "\'$NIGHT\'", "NeedConfirmation": false }]\'',
    ],
  },
};

/** /configure/userscenarios: lists of actions, and what starts them. */
export const USER_SCENARIO_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<UserScenario, ScenarioInput, ScenarioInput, ConfigurationNeeds>({
    noun: "user scenario",
    path: "/configure/userscenarios",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.userScenariosMax,
    schema,
    namesRepeat: true,
    itemsOf: (site) => site.userScenarios,
    withItems: (site, items) => ({ ...site, userScenarios: items }),
    describe: ({ id, name, needConfirmation, channelIds: ids, actions = [], starts = [] }) => ({
      Id: id,
      Name: name,
      NeedConfirmation: needConfirmation,
      ChannelIds: ids,
      Actions: actions.map(describeAction),
      Starts: starts.map(describeStart),
    }),
    prepare: async (input) => input,
    checkReferences: checkAnnouncements,
    make: (input, base, identity, place) => {
      if (input.ChannelIds) checkChannels(input.ChannelIds, "ChannelIds", place);
      const actions = input.Actions?.map((own, index) =>
        actionOf(own, { ...place, path: `${place.path}.Actions[${index}]` }),
      );
      const starts = input.Starts?.map((own, index) =>
        startOf(own, { ...place, path: `${place.path}.Starts[${index}]` }),
      );
      const lists = { actions: actions ?? base?.actions ?? [], starts: starts ?? base?.starts ?? [] };
      return {
        ...identity,
        needConfirmation: input.NeedConfirmation ?? base?.needConfirmation ?? false,
        channelIds: input.ChannelIds ?? base?.channelIds ?? [],
        // Absent where empty, so that sending back a scenario of a former version changes nothing.
        ...(lists.actions.length === 0 ? {} : { actions: lists.actions }),
        ...(lists.starts.length === 0 ? {} : { starts: lists.starts }),
      };
    },
  }),
);

/** Announcements are kept beside the configuration. One that the stored scenario names already is left alone. */
function checkAnnouncements(
  { id, name, actions = [] }: UserScenario,
  { needs }: RequestContext<ConfigurationNeeds>,
): void {
  const before = needs.site.current.userScenarios.find((scenario) => scenario.id === id);
  const known = new Set([
    ...announcementsOf(before?.actions),
    ...needs.announcements.list().map((one) => one.id),
  ]);
  const missing = announcementsOf(actions).find((announcementId) => !known.has(announcementId));
  if (missing === undefined) return;
  throw new NvrdError("NOT_FOUND", `scenario ${name}: there is no announcement ${missing}`, {
    hint: "see GET /api/announcements",
  });
}

function announcementsOf(actions: readonly ScenarioAction[] = []): Guid[] {
  return actions.flatMap((own) => (own.kind === "announcement" ? [own.announcementId] : []));
}

function describeAction(own: ScenarioAction): object {
  const { channelId: ChannelId } = own;
  if (own.kind === "record") return { Type: "Record", ChannelId, Seconds: own.seconds };
  if (own.kind === "preset") return { Type: "Preset", ChannelId, Preset: own.preset };
  if (own.kind === "output")
    return { Type: "Output", ChannelId, Output: own.output, IsOn: own.isOn, Seconds: own.seconds };
  if (own.kind === "announcement")
    return { Type: "Announcement", ChannelId, AnnouncementId: own.announcementId };
  return { Type: own.kind === "alarm" ? "Alarm" : "Event", ChannelId, Text: own.text };
}

function describeStart(own: ScenarioStart): object {
  if (own.kind === "event") return { Type: "Event", EventTypeIds: own.eventTypeIds };
  return { Type: "Schedule", Days: own.days, Time: timeText(own.minute) };
}

function actionOf(input: ActionInput, place: InputPlace): ScenarioAction {
  const { Type, ChannelId, Seconds, Preset, Output, IsOn, AnnouncementId, Text } = input;
  const channelId = ChannelId ?? null;
  if (channelId !== null) checkChannels([channelId], "ChannelId", place);
  const required = (name: string, value: number | null | undefined): number => {
    if (typeof value !== "number") place.faults.add(`${place.path}.${name}`, `is required for ${Type}`);
    return value ?? 1;
  };
  if (Type === "Record") return { kind: "record", channelId, seconds: required("Seconds", Seconds) };
  if (Type === "Preset") return { kind: "preset", channelId, preset: required("Preset", Preset) };
  if (Type === "Output") {
    if (!Output) place.faults.add(`${place.path}.Output`, "is required for Output");
    return { kind: "output", channelId, output: Output ?? "-", isOn: IsOn ?? true, seconds: Seconds ?? null };
  }
  if (Type === "Announcement") {
    if (!AnnouncementId) place.faults.add(`${place.path}.AnnouncementId`, "is required for Announcement");
    return { kind: "announcement", channelId, announcementId: AnnouncementId ?? EMPTY_GUID };
  }
  return { kind: Type === "Alarm" ? "alarm" : "event", channelId, text: Text ?? "" };
}

function startOf({ Type, EventTypeIds, Days, Time }: StartInput, place: InputPlace): ScenarioStart {
  const { faults, path } = place;
  const chosen = (name: string, values: readonly string[] | null | undefined): void => {
    if (!values || values.length === 0) faults.add(`${path}.${name}`, `is required for ${Type}`);
    else if (new Set(values).size < values.length)
      faults.add(`${path}.${name}`, "names one twice", "CONFLICT");
  };
  if (Type === "Event") {
    chosen("EventTypeIds", EventTypeIds);
    const known = new Set<Guid>(Object.values(EVENT_TYPES).map(({ id }) => id));
    for (const id of EventTypeIds ?? [])
      if (!known.has(id)) faults.add(`${path}.EventTypeIds`, `no event type has the id ${id}`, "NOT_FOUND");
    return { kind: "event", eventTypeIds: EventTypeIds ?? [] };
  }
  chosen("Days", Days);
  const minute = Time ? minuteOf(Time) : undefined;
  if (minute === undefined) faults.add(`${path}.Time`, `is required for ${Type}`);
  return { kind: "time", days: Days ?? [], minute: minute ?? 0 };
}
