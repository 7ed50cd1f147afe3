import * as v from "valibot";
import { NvrdError, parseGuid } from "../../base/index.js";
import { type ScenarioRunState, scenarioRun } from "../../contract/answer/index.js";
import { scenarioOrder, scenarioOrderTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { shown } from "../../http/index.js";
import {
  answerJson,
  jsonAnswer,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { describeRun } from "./run-object.js";
import { type ScenarioNeeds, startRun } from "./start-run.js";

const body = v.optional(readerOf(scenarioOrder), {});

export const RUN_SCENARIO_ROUTE: Route<ScenarioNeeds> = {
  method: "POST",
  path: "/api/scenarios/{id}/run",
  login: "user",
  rights: [{ right: "CanRunUserScenarios" }],

  describe: {
    topic: "scenario",
    summary: "Runs a scenario",
    text: [
      "An addition of nvrd's. The answer comes when the run has ended, or after 5 s as it is then: [`GET /api/scenarios`](#get-apiscenarios) has the rest. An action that fails is reported in `Actions`, and the answer is 200 all the same.",
    ],
    pathValues: { id: "The scenario's id." },
    body: {
      required: false,
      text: "Without a body it runs for all its channels.",
      schema: withNotes(schemaOfBody(body), notesOf(scenarioOrder, scenarioOrderTexts)),
    },
    answer: jsonAnswer(schemaOf(scenarioRun), "The run."),
    errors: {
      404: "There is no such scenario, or it is not offered for the channel.",
      409: "It must be confirmed, or is running.",
      429: "16 scenarios are running.",
    },
    example: [
      'SCENARIO=$(curl -fsSu "$AUTH" "$NVRD/configure/userscenarios" --data \'[{ "Name": "Light",',
      '  "ChannelIds": ["\'$CHANNEL\'"], "Actions": [{ "Type": "Record", "Seconds": 60 }] }]\' | member CreatedObjectsIds)',
      'curl -fu "$AUTH" -X POST "$NVRD/api/scenarios/$SCENARIO/run" --data \'{ "Confirmed": true }\'',
    ],
  },
  /** POST /api/scenarios/{id}/run */
  async endpoint(context) {
    const text = context.pathValues.get("id") ?? "";
    const scenarioId = parseGuid(text);
    const { body: sent } = context.request;
    const { ChannelId, Confirmed } = sent.length === 0 ? {} : readBody(body, sent);
    if (scenarioId === undefined)
      throw new NvrdError("NOT_FOUND", `there is no scenario ${shown(text)}`, {
        hint: "see GET /api/scenarios",
      });
    const asked = { scenarioId, channelId: ChannelId ?? undefined, isConfirmed: Confirmed === true };
    return answerJson<ScenarioRunState>(describeRun(await startRun(context, asked), context.principal));
  },
};
