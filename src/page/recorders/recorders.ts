import type { HubBox, HubBoxes } from "../../contract/answer/index.js";
import { addressOf } from "../state/address.js";
import { requestJson } from "../state/request.js";
import { language } from "../words/language.js";

/** The recorders of this hub, as it knows them now; null: it is none. */
export function readRecorders(): Promise<HubBoxes | null> {
  return requestJson<HubBoxes | null>(addressOf("/api/boxes", { language: language.value }));
}

/** Whether somebody has to look after it: it is silent, or has a problem. */
export function needsHand({ Silence, Figures }: HubBox): boolean {
  return Silence !== null || (Figures !== null && Figures.ProblemCount > 0);
}

/** The most urgent one last. */
const STATES = ["well", "warning", "error", "silent"] as const;
export type RecorderState = (typeof STATES)[number];

export function stateOf({ Silence, Figures }: HubBox): RecorderState {
  if (Silence !== null) return "silent";
  if (Figures?.Problems.some(({ Severity }) => Severity === "error")) return "error";
  return (Figures?.ProblemCount ?? 0) > 0 ? "warning" : "well";
}

/** The state of the one that needs a hand most. */
export function worstOf(boxes: readonly HubBox[]): RecorderState {
  return STATES[Math.max(0, ...boxes.map(urgency))] ?? "well";
}

/** How urgent it is; the greatest first. */
function urgency(box: HubBox): number {
  return STATES.indexOf(stateOf(box));
}

/** Those whose name has the text, who needs a hand most before the others; else by name, as the hub gives them. */
export function listedRecorders(boxes: readonly HubBox[], text: string): readonly HubBox[] {
  const sought = text.trim().toLocaleLowerCase();
  const found = boxes.filter(({ Name }) => Name.toLocaleLowerCase().includes(sought));
  return found.toSorted((a, b) => urgency(b) - urgency(a));
}
