import { loadNativeAddon } from "./native-addon.js";

/** How long Node gets to end its threads. */
const EXIT_WAIT_MS = 2_000;

/**
 * Ends the process. Node waits for its worker threads, and a thread that hangs in a call on a dead disk never ends:
 * after EXIT_WAIT_MS the process exits without it.
 */
export function endProcess(status: number): void {
  const { exitWithin } = loadNativeAddon().functions;
  if (typeof exitWithin === "function") exitWithin(status, EXIT_WAIT_MS);
  process.exit(status);
}
