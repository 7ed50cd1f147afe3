import type * as v from "valibot";
import { SITE_LIMITS, siteValues, type UserScenario } from "../../site/index.js";
import {
  channelIds,
  checkChannels,
  collection,
  given,
  guidOrNone,
  members,
  nameText,
} from "../route/index.js";

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  NeedConfirmation: given(siteValues.flag),
  ChannelIds: given(channelIds),
});

type ScenarioInput = v.InferOutput<typeof schema>;

/** /configure/userscenarios: what users start by hand at a camera; kept and shown in /configex. */
export const userScenarios = collection<UserScenario, ScenarioInput, ScenarioInput>({
  noun: "user scenario",
  path: "/configure/userscenarios",
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
});
