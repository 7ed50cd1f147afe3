import {
  type InputValueOf,
  type ObjectOf,
  type scenario,
  scenarioAction,
  type scenarioStart,
  type ValueOf,
} from "../../../contract/index.js";
import { request } from "../../state/request.js";

/** What is carried out. The recorder reads of it what its type has. */
export type Action = InputValueOf<typeof scenarioAction>;
export type ActionType = Action["Type"];
export const ACTION_TYPES = Object.keys(scenarioAction.of) as readonly ActionType[];

export type Start = ValueOf<typeof scenarioStart>;

/** As `/configure/userscenarios` has it. */
export interface Scenario extends Omit<ObjectOf<typeof scenario>, "Actions"> {
  /** Undefined: it is not saved yet. */
  readonly Id?: string;
  readonly Actions: readonly Action[];
}

export interface Scenarios {
  readonly list: readonly Scenario[];
  /** Of the configuration that they come from. */
  readonly revision: string;
}

const PATH = "/configure/userscenarios";

export async function readScenarios(): Promise<Scenarios> {
  const response = await request(PATH);
  const revision = /\d+/.exec(response.headers.get("ETag") ?? "")?.[0] ?? "";
  return { list: (await response.json()) as readonly Scenario[], revision };
}

/** Adds a scenario, or changes it if nobody has changed the configuration since `revision`. Rejects with RequestError. */
export async function saveScenario(scenario: Scenario, revision: string): Promise<void> {
  const isNew = scenario.Id === undefined;
  await request(isNew ? PATH : `${PATH}?revision=${revision}`, {
    method: isNew ? "POST" : "PUT",
    body: [scenario],
  });
}

export async function removeScenario(id: string): Promise<void> {
  await request(`${PATH}/${id}`, { method: "DELETE" });
}
