import { signal } from "@preact/signals";
import type { Health, History } from "../../../contract/answer/index.js";
import { addressOf } from "../../state/address.js";
import { request, requestJson } from "../../state/request.js";
import { language } from "../../words/language.js";

/** The state of the recorder as it was read last; undefined before. */
export const health = signal<Health | undefined>(undefined);

export async function readHealth(): Promise<void> {
  health.value = await requestJson<Health>(addressOf("/api/health", { language: language.value }));
}

/** An administrator's word that the box's time is right. */
export async function confirmTime(): Promise<void> {
  await request("/api/clock", { method: "POST", body: { IsRight: true } });
  await readHealth();
}

export function readHistory(span: "Day" | "Month"): Promise<History> {
  return requestJson<History>(addressOf("/api/system/history", { span }));
}

export type Restarted = "Recorder" | "Box";
/** What this recorder can restart. */
export type Restartable = Readonly<Record<Restarted, boolean>>;

export function readRestartable(): Promise<Restartable> {
  return requestJson<Restartable>("/api/system/restart");
}

/** Rejects with RequestError: 409 while an update is under way. */
export async function restart(what: Restarted): Promise<void> {
  await request("/api/system/restart", { method: "POST", body: { What: what } });
}
