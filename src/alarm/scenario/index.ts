/**
 * scenario: runs the scenarios of the configuration.
 *
 * Belongs here: who may start one, its actions one after the other, what events and times start, the bounds against loops
 * and floods. Does not belong here: what an action does in the end (`recording`, `camera`, `event`), the scenarios themselves
 * (`site`), the API (`compat`).
 */
export {
  type ActionResult,
  RUNS_AT_ONCE_MAX,
  type ScenarioControl,
  type ScenarioRun,
  type ScenarioUser,
} from "./scenario-run.js";
export { Scenarios } from "./scenarios.js";
