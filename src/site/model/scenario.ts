import type { Guid } from "../../base/index.js";
import type {
  StoredOf,
  StoredValueOf,
  scenario,
  scenarioAction,
  scenarioStart,
} from "../../contract/index.js";

/** Scenarios: lists of actions that users, events and times start; stored in the configuration, run by the room `scenario`. */

export type ScenarioAction = StoredValueOf<typeof scenarioAction>;
export type EventAction = Extract<ScenarioAction, { readonly kind: "alarm" | "event" }>;
export type ScenarioStart = StoredValueOf<typeof scenarioStart>;

/** A scenario, as users start it by hand for its cameras; events and times start it too. */
export interface UserScenario extends StoredOf<typeof scenario> {
  readonly id: Guid;
}
