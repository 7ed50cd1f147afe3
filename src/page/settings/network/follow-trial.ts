import { RequestError } from "../../state/request.js";
import { forgetTrial, type KeptTrial } from "./kept-trial.js";
import { readNetwork } from "./model.js";

const ASK_MS = 3000;
const PAUSE_MS = 1500;

/**
 * Looks for the box at all addresses of a trial until it confirms it, or the trial is over. A confirmation carries no login:
 * the token is enough, and other origins do not get this one's session.
 */
export async function followTrial(trial: KeptTrial, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && Date.now() < trial.endsMs) {
    const answers = await Promise.all(trial.origins.map((origin) => confirmAt(origin, trial.token)));
    if (signal.aborted) return;
    const reached = answers.indexOf(true);
    if (reached !== -1) return forgetTrial({ origin: trial.origins[reached] ?? location.origin });
    if (await isOver()) break;
    await pause(PAUSE_MS);
  }
  while (!signal.aborted && !(await isOver())) await pause(PAUSE_MS);
}

/** Whether the box has taken the confirmation at this address. */
async function confirmAt(origin: string, token: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/api/network/confirm`, {
      method: "POST",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      // Without a type of its own: a browser asks other origins beforehand otherwise.
      body: JSON.stringify({ Token: token }),
      signal: AbortSignal.timeout(ASK_MS),
    });
    return answer.ok;
  } catch {
    return false; // the box is not there, or not yet
  }
}

/** Whether the box is at this page's address, and no trial runs any more: then it notes how that ended. */
async function isOver(): Promise<boolean> {
  try {
    const { Trial, LastTrial } = await readNetwork();
    if (Trial !== null) return false;
    forgetTrial(
      LastTrial?.IsConfirmed === true ? { origin: location.origin } : { reason: LastTrial?.Reason ?? null },
    );
    return true;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
