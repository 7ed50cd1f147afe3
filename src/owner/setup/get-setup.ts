import { type Setup, setup } from "../../contract/answer/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import { SETUP_STATE_EXAMPLE, type SetupNeeds, setupState } from "./setup-state.js";

export const SETUP_ROUTE: Route<SetupNeeds> = {
  method: "GET",
  path: "/api/setup",
  login: "administrator",
  withFirstPassword: true,

  describe: {
    topic: "setup",
    summary: "Returns how far the first run is, and what was chosen",
    answer: jsonAnswer(schemaOf(setup), "The state.", SETUP_STATE_EXAMPLE),
    example: ['curl -fu "$AUTH" "$NVRD/api/setup"'],
  },
  /** GET /api/setup: how far the first run is. */
  endpoint({ needs }) {
    return answerJson<Setup>(setupState(needs));
  },
};
