import type * as v from "valibot";
import { type Guid, NvrdError } from "../../base/index.js";
import {
  changed,
  SCENARIOS_MAX,
  scenario,
  scenarioAction,
  scenarioStart,
  scenarioTexts,
  shown,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  type CollectionDescription,
  checkChannels,
  checkVariant,
  collection,
  collectionRoutes,
  guidOrNone,
  type InputPlace,
  type RequestContext,
  type Route,
  variantRules,
} from "../../route/index.js";
import type { ScenarioAction, UserScenario } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(scenario, { Id: guidOrNone });
type ScenarioInput = v.InferOutput<typeof schema>;
const REST = without(scenario, "Name");

const DESCRIPTION: CollectionDescription = {
  title: "UserScenario",
  text: [
    "Scenarios are lists of actions, which users start by hand for a camera, and events and times by themselves. They are shown at their channels in [`/configex`](#get-configex), and run by [`POST /api/scenarios/{id}/run`](#post-apiscenariosidrun), [`/command`](#get-and-post-command) and [MQTT](mqtt.md). `Actions` and `Starts` are additions of nvrd.",
    "A run has the rights of the recorder, whoever starts it. One scenario runs once at a time: what would start it meanwhile is left out. Events start it at most 6 times a minute, and no more than 3 scenarios in a row start each other; what is left out is in the event `scenarioFailed`. Times are local; those that pass while the service is stopped or the clock is not known are left out.",
  ],
  rules: [
    {
      properties: {
        Actions: { items: { allOf: variantRules(scenarioAction) } },
        Starts: { items: { allOf: variantRules(scenarioStart) } },
      },
    },
  ],
  members: { Id: "Leave it out of POST.", ...notesOf(scenario, scenarioTexts) },
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
    countMax: SCENARIOS_MAX,
    schema,
    namesRepeat: true,
    itemsOf: (site) => site.userScenarios,
    withItems: (site, items) => ({ ...site, userScenarios: items }),
    describe: (item) => ({ Id: item.id, ...shown(scenario, item) }),
    prepare: async (input) => input,
    checkReferences: checkAnnouncements,
    make: (input, base, identity, place) => {
      check(input, place);
      return { ...identity, ...changed(REST, input, base) };
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

function check({ ChannelIds, Actions, Starts }: ScenarioInput, place: InputPlace): void {
  if (ChannelIds) checkChannels(ChannelIds, "ChannelIds", place);
  for (const [at, action] of (Actions ?? []).entries()) {
    const own = { ...place, path: `${place.path}.Actions[${at}]` };
    if (action.ChannelId) checkChannels([action.ChannelId], "ChannelId", own);
    checkVariant(scenarioAction, action, own);
  }
  for (const [at, start] of (Starts ?? []).entries()) {
    const own = { ...place, path: `${place.path}.Starts[${at}]` };
    checkVariant(scenarioStart, start, own);
    if (start.Type === "Event") checkEventTypes(start.EventTypeIds ?? [], own);
  }
}

function checkEventTypes(ids: readonly Guid[], { faults, path }: InputPlace): void {
  const known = new Set<Guid>(Object.values(EVENT_TYPES).map(({ id }) => id));
  for (const id of ids)
    if (!known.has(id)) faults.add(`${path}.EventTypeIds`, `no event type has the id ${id}`, "NOT_FOUND");
}
