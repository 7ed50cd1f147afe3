import type { AnalyserStateItem, AnalyserTest } from "../../../contract/answer/index.js";
import { analyser, type frigateCamera, type ObjectOf } from "../../../contract/index.js";
import { requestJson } from "../../state/request.js";

export const KINDS = analyser.Kind.of;
export type Kind = (typeof KINDS)[number];

export const TASKS = ["Objects", "Plates", "Faces"] as const;
export type Task = (typeof TASKS)[number];

/** An analyser as `/configure/analysers` has it. */
export type Analyser = ObjectOf<typeof analyser> & { readonly Id: string };

/** A camera of the form; one that is new to it has no size yet. */
export type FrigateCamera = Partial<ObjectOf<typeof frigateCamera>> & {
  readonly Name: string;
  readonly ChannelId: string;
};

export interface Analysers {
  readonly list: readonly Analyser[];
  readonly states: ReadonlyMap<string, AnalyserStateItem>;
}

export async function readAnalysers(): Promise<Analysers> {
  const [list, states] = await Promise.all([
    requestJson<readonly Analyser[]>("/configure/analysers"),
    requestJson<readonly AnalyserStateItem[]>("/api/analysers"),
  ]);
  return { list, states: new Map(states.map((state) => [state.Id, state])) };
}

/** Adds an analyser (without `Id`), or changes what is given. Rejects with RequestError: its message says what is wrong. */
export async function saveAnalyser(analyser: object & { readonly Id?: string }): Promise<void> {
  const method = analyser.Id === undefined ? "POST" : "PUT";
  await requestJson("/configure/analysers", { method, body: [analyser] });
}

export async function removeAnalyser(id: string): Promise<void> {
  await requestJson(`/configure/analysers/${id}`, { method: "DELETE" });
}

/** A picture that was sent, and what came back. */
export type Trial = AnalyserTest;

export async function tryAnalyser(id: string): Promise<Trial> {
  return await requestJson<Trial>("/api/analysers/test", { method: "POST", body: { Id: id } });
}
