import type * as v from "valibot";
import { SITE_LIMITS, siteValues, type UserScenario } from "../../site/index.js";
import {
  type CollectionDescription,
  channelIds,
  checkChannels,
  collection,
  collectionRoutes,
  given,
  guidOrNone,
  members,
  nameText,
  type Route,
} from "../route/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  NeedConfirmation: given(siteValues.flag),
  ChannelIds: given(channelIds),
});

type ScenarioInput = v.InferOutput<typeof schema>;

const DESCRIPTION: CollectionDescription = {
  title: "UserScenario",
  text: [
    "Users start scenarios manually for a camera. Scenarios are stored, and shown at their channels in [`/configex`](#get-configex); this version does not execute them.",
  ],
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names need not be unique.",
    NeedConfirmation: { default: false },
    ChannelIds: "The channels that show it.",
  },
  examples: {
    getAll: ['curl -u "$AUTH" "$NVR/configure/userscenarios"'],
    getOne: ['curl -u "$AUTH" "$NVR/configure/userscenarios/88888888-0000-4000-8000-000000000002"'],
    post: [
      'curl -u "$AUTH" -X POST "$NVR/configure/userscenarios" --data \'[{ "Name": "Open the gate", "NeedConfirmation": true }]\'',
    ],
    put: [
      'curl -u "$AUTH" -X PUT "$NVR/configure/userscenarios" --data \'[{',
      '  "Id": "88888888-0000-4000-8000-000000000002", "NeedConfirmation": false }]\'',
    ],
    remove: ['curl -u "$AUTH" -X DELETE "$NVR/configure/userscenarios/88888888-0000-4000-8000-000000000002"'],
  },
};

/** /configure/userscenarios: actions that users start manually for a camera; stored and shown in /configex. */
export const USER_SCENARIO_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<UserScenario, ScenarioInput, ScenarioInput>({
    noun: "user scenario",
    path: "/configure/userscenarios",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.userScenariosMax,
    schema,
    namesRepeat: true,
    itemsOf: (site) => site.userScenarios,
    withItems: (site, items) => ({ ...site, userScenarios: items }),
    describe: ({ id, name, needConfirmation, channelIds: ids }) => ({
      Id: id,
      Name: name,
      NeedConfirmation: needConfirmation,
      ChannelIds: ids,
    }),
    prepare: async (input) => input,
    make: (input, base, identity, place) => {
      if (input.ChannelIds) checkChannels(input.ChannelIds, "ChannelIds", place);
      return {
        ...identity,
        needConfirmation: input.NeedConfirmation ?? base?.needConfirmation ?? false,
        channelIds: input.ChannelIds ?? base?.channelIds ?? [],
      };
    },
  }),
);
