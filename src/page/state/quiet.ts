import { signal } from "@preact/signals";
import { Pulse } from "./pulse.js";
import { onAnswer, reachable } from "./request.js";
import { askWhoIsThere } from "./session.js";

const LOOK_MS = 200;
/** A recorder that has not answered by then does not: it is asked again until it does. */
const ANSWER_MS = 4000;

/** Since when nothing has come from the recorder although something should have, by the device's clock; undefined otherwise. */
export const quietSinceMs = signal<number | undefined>(undefined);

const pulse = new Pulse(performance.now());
onAnswer.call = noteHeard;

/** Something came from the recorder. */
export function noteHeard(): void {
  pulse.heard(performance.now());
}

/** Looks for as long as somebody looks at the page; returns how to stop. */
export function followQuiet(): () => void {
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    quietSinceMs.value = undefined;
  };
}

function look(): void {
  if (document.visibilityState !== "visible") {
    noteHeard();
    return;
  }
  const { asks, quietSinceMs: since } = pulse.look(performance.now());
  if (asks) ask();
  if (since === undefined) quietSinceMs.value = undefined;
  else if (quietSinceMs.peek() === undefined) quietSinceMs.value = Date.now() - (performance.now() - since);
}

/** Any answer counts, also a refusal; that there is none is for whoever asked for something. */
function ask(): void {
  if (!reachable.peek()) return;
  askWhoIsThere({ answerMs: ANSWER_MS }).catch(() => pulse.failed());
}
