import { type Clock, US_PER_MS } from "../../base/index.js";

/** A body up to this length is sent at once, with Content-Length; a longer one in pieces of about this size. */
export const PIECE_CHARACTERS = 65_536;

/** How long making a text holds the main thread at once. */
export const SLICE_MS_MAX = 5;

/** Whoever makes a text has its slice behind those that came before: one slice of all of them in a turn of the event loop. */
let lastTurn: Promise<void> = Promise.resolve();

function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** The text that short texts make, in pieces of about `PIECE_CHARACTERS`; other work runs after each slice of the time it takes. */
export async function* inSlices(texts: Iterable<string>, clock: Clock): AsyncGenerator<string> {
  let held = "";
  let endUs = clock.monotonicUs() + SLICE_MS_MAX * US_PER_MS;
  for (const text of texts) {
    held += text;
    if (held.length >= PIECE_CHARACTERS) {
      yield held;
      held = "";
    }
    if (clock.monotonicUs() < endUs) continue;
    await ownTurn();
    endUs = clock.monotonicUs() + SLICE_MS_MAX * US_PER_MS;
  }
  if (held !== "") yield held;
}
