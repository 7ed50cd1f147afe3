import { request } from "../../state/request.js";
import type { DAYS } from "../cameras/week/week.js";

export const ACTION_TYPES = ["Record", "Preset", "Output", "Announcement", "Alarm", "Event"] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** What is carried out. The recorder reads of it what its type has. */
export interface Action {
  readonly Type: ActionType;
  /** Null: those of the scenario. */
  readonly ChannelId: string | null;
  readonly Seconds?: number | null;
  readonly Preset?: number;
  readonly Output?: string;
  readonly IsOn?: boolean;
  readonly AnnouncementId?: string;
  readonly Text?: string;
}

export type Start =
  | { readonly Type: "Event"; readonly EventTypeIds: readonly string[] }
  | { readonly Type: "Schedule"; readonly Days: readonly (typeof DAYS)[number][]; readonly Time: string };

/** As `/configure/userscenarios` has it. */
export interface Scenario {
  /** Undefined: it is not saved yet. */
  readonly Id?: string;
  readonly Name: string;
  readonly NeedConfirmation: boolean;
  readonly ChannelIds: readonly string[];
  readonly Actions: readonly Action[];
  readonly Starts: readonly Start[];
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
