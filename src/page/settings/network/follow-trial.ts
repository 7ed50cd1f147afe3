import { RequestError } from "../../state/request.js";
import { forgetTrial, type KeptTrial, type TrialEnd } from "./kept-trial.js";
import { readNetwork } from "./model.js";

/** The keeper of a slow box takes some seconds to start, and a lost packet is sent again after one, two and four. */
const ASK_MS = 15_000;
const PAUSE_MS = 1500;

/**
 * Looks for the box at all addresses of a trial, at each by itself, until it confirms the trial there, or the trial is over. A
 * confirmation carries no login: the token is enough, and other origins do not get this one's session.
 */
export async function followTrial(trial: KeptTrial, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const isOn = (): boolean => !signal.aborted && !done.signal.aborted;
  const lookAt = async (origin: string): Promise<void> => {
    while (isOn() && Date.now() < trial.endsMs) {
      if (await confirmAt(origin, trial.token)) return end(() => forgetTrial({ origin }));
      await pause(PAUSE_MS);
    }
  };
  const waitForEnd = async (): Promise<void> => {
    for (;;) {
      await pause(PAUSE_MS);
      if (!isOn()) return;
      const how = await ending();
      if (how !== undefined) return end(() => forgetTrial(how));
    }
  };
  const end = (act: () => void): void => {
    if (isOn()) act();
    done.abort();
  };
  await Promise.all([waitForEnd(), ...trial.origins.map(lookAt)]);
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

/** How the trial has ended, if the box is at this page's address and no trial runs any more. */
async function ending(): Promise<TrialEnd | undefined> {
  try {
    const { Trial, LastTrial } = await readNetwork();
    if (Trial !== null) return undefined;
    return LastTrial?.IsConfirmed === true
      ? { origin: location.origin }
      : { reason: LastTrial?.Reason ?? null };
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
