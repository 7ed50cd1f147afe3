import { type Setup, setup } from "../../contract/answer/index.js";
import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  type RouteDescription,
  schemaOf,
} from "../../route/index.js";
import type { SetupNeeds } from "./needs.js";
import { SETUP_STATE_EXAMPLE, setupState } from "./setup-state.js";

const DESCRIPTION: RouteDescription = {
  topic: "setup",
  summary: "Tells how far the first run is, and what was chosen",
  answer: jsonAnswer(schemaOf(setup), "The state.", SETUP_STATE_EXAMPLE),
  example: ['curl -fu "$AUTH" "$NVRD/api/setup"'],
};

export const SETUP_ROUTE: Route<SetupNeeds> = {
  method: "GET",
  path: "/api/setup",
  login: "administrator",
  withFirstPassword: true,
  endpoint: getSetup,
  describe: DESCRIPTION,
};

/** GET /api/setup: how far the first run is. */
function getSetup({ needs }: RequestContext<SetupNeeds>): EndpointResult {
  return answerJson<Setup>(setupState(needs));
}
