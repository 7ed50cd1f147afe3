/**
 * compat/scenario: scenarios as users run them.
 *
 * Belongs here: which scenarios a user is offered, starting one, what became of it; also for /command.
 * Does not belong here: running them (`scenario` of src), their configuration (`configuration`).
 */
import type { Route } from "../../route/index.js";
import { LIST_SCENARIOS_ROUTE } from "./get-scenarios.js";
import { RUN_SCENARIO_ROUTE } from "./post-run.js";
import type { ScenarioNeeds } from "./start-run.js";

export { RUN_SCENARIO_RIGHT, runUserScenario } from "./run-command.js";
export type { ScenarioNeeds } from "./start-run.js";

export const SCENARIO_ROUTES: readonly Route<ScenarioNeeds>[] = [LIST_SCENARIOS_ROUTE, RUN_SCENARIO_ROUTE];
