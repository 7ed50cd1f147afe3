import type { Setup } from "../../contract/answer/index.js";
import { requestJson } from "./request.js";
import { open } from "./route.js";

/** How far the first run is, as `GET /api/setup` says. */
export function readSetup(): Promise<Setup> {
  return requestJson<Setup>("/api/setup");
}

/** What an owner chooses at the first run: the body of `POST /api/setup`. */
export interface SetupChoices {
  readonly Password?: string;
  readonly ServerName?: string;
  readonly Language?: string;
  readonly TimeZone?: string;
  readonly IsFinished?: boolean;
}

/** The first run is over. Rejects with RequestError. */
export async function finishSetup(): Promise<void> {
  await sendSetup({ IsFinished: true });
  open("wall");
}

/** Rejects with RequestError: 400 the password is guessed too soon, or a text is refused. */
export function sendSetup(body: SetupChoices): Promise<Setup> {
  return requestJson<Setup>("/api/setup", { method: "POST", body });
}
