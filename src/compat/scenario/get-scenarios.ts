import { type OfferedScenario, offeredScenarios } from "../../contract/answer/index.js";
import { visibleCameras } from "../../player/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import type { UserScenario } from "../../site/index.js";
import { describeRun } from "./run-object.js";
import type { ScenarioNeeds } from "./start-run.js";

export const LIST_SCENARIOS_ROUTE: Route<ScenarioNeeds> = {
  method: "GET",
  path: "/api/scenarios",
  login: "user",
  rights: [{ right: "CanRunUserScenarios" }],

  describe: {
    topic: "scenario",
    summary: "Lists the scenarios that the user may run",
    text: [
      "An addition of nvrd's. A scenario is offered to users who see one of its channels, and one without channels to all.",
    ],
    answer: jsonAnswer(schemaOf(offeredScenarios), "The scenarios."),
    example: ['curl -fu "$AUTH" "$NVRD/api/scenarios"'],
  },
  /** GET /api/scenarios */
  endpoint({ needs, principal }) {
    const { scenarios } = needs;
    const site = needs.site.current;
    const seen = new Set(visibleCameras(site, principal).map(({ id }) => id));
    const describe = ({
      id,
      name,
      needConfirmation,
      channelIds,
      actions = [],
    }: UserScenario): OfferedScenario => {
      const run = scenarios.runOf(id);
      return {
        Id: id,
        Name: name,
        NeedConfirmation: needConfirmation,
        ChannelIds: channelIds.filter((channelId) => seen.has(channelId)),
        ActionCount: actions.length,
        LastRun: run === undefined ? null : describeRun(run, principal),
      };
    };
    const offered = site.userScenarios.filter((scenario) =>
      scenarios.isOffered(scenario, (id) => seen.has(id)),
    );
    return answerJson(offered.map(describe));
  },
};
