import { existsSync } from "node:fs";
import process from "node:process";
import { type Browser, chromium } from "playwright-core";

/**
 * Chromium without its windows: the same engine, network and decoders as the browser, which needs half as much processor
 * time again for a window that nobody sees. The browser itself does where the former is not installed.
 */
export const CHROMIUM = ["chromium-headless-shell", "chromium"]
  .map((name) => `/usr/bin/${name}`)
  .find((file) => existsSync(file));

/** Why tests with it cannot run here; undefined where they can. For `skipIf` and `notHere`. */
export const noBrowser = CHROMIUM === undefined ? "chromium-headless-shell" : undefined;

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--autoplay-policy=no-user-gesture-required",
  // One process for each person's pages: else Chromium starts a second one for each visit.
  "--renderer-process-limit=1",
  "--disable-site-isolation-trials",
];

/** Pictures of the page have the same colours on every machine. */
export const SAME_COLORS = ["--force-color-profile=srgb"];

/** Chromium as root and without talking to anybody. `program`: one that starts it, elsewhere. */
export function launchChromium(
  further: readonly string[] = [],
  program = CHROMIUM,
  options: { readonly handleSIGTERM?: boolean } = {},
): Promise<Browser> {
  if (program === undefined) throw new Error("no Chromium here");
  return chromium.launch({ executablePath: program, args: [...ARGUMENTS, ...further], ...options });
}

let shared: Promise<Browser> | undefined;

/**
 * One for all files that run in this process: started when it is first wanted, and anew where it has died. Nobody closes it;
 * what a file opens there is in a context of its own, which the file closes.
 */
export async function sharedChromium(): Promise<Browser> {
  const last = shared;
  const running = await last?.catch(() => undefined);
  if (running?.isConnected()) return running;
  if (shared === last) shared = launchLasting();
  return await (shared as Promise<Browser>);
}

async function launchLasting(): Promise<Browser> {
  const browser = await launchChromium(SAME_COLORS, CHROMIUM, { handleSIGTERM: false });
  // Vitest ends its processes by SIGTERM and waits half a second: too short for an end in order, which the exit has none of.
  process.once("SIGTERM", endAtOnce);
  browser.once("disconnected", () => process.off("SIGTERM", endAtOnce));
  return browser;
}

/** Playwright kills its browser, and removes its folder, when the process exits. */
function endAtOnce(): void {
  process.exit();
}
