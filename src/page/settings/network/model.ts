import { signal } from "@preact/signals";
import type { Network, NetworkSettings, NetworkTrialBegun } from "../../../contract/answer/index.js";
import { requestJson } from "../../state/request.js";

/** Looking whether an address is free, and whether the gateway answers. */
const TRY_MS = 60_000;

/** The network as it was read last; undefined before. */
export const network = signal<Network | undefined>(undefined);

export async function readNetwork(): Promise<Network> {
  const state = await requestJson<Network>("/api/network");
  network.value = state;
  return state;
}

/** Begins a trial. Rejects with RequestError: its message says why it is refused. */
export function tryNetwork(settings: Omit<NetworkSettings, "Vlans">): Promise<NetworkTrialBegun> {
  return requestJson<NetworkTrialBegun>("/api/network", { method: "PUT", body: settings, answerMs: TRY_MS });
}

export async function endTrial(): Promise<void> {
  await requestJson("/api/network/trial", { method: "DELETE", answerMs: TRY_MS });
}

export async function changeBox(Name: string, TimeZone: string): Promise<void> {
  await requestJson("/api/network/box", { method: "PUT", body: { Name, TimeZone }, answerMs: TRY_MS });
  await readNetwork();
}

/** Words between spaces or commas. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}
