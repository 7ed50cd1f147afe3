import { existsSync } from "node:fs";
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
];

/** Chromium as root and without talking to anybody. `program`: one that starts it, elsewhere. */
export function launchChromium(further: readonly string[] = [], program = CHROMIUM): Promise<Browser> {
  if (program === undefined) throw new Error("no Chromium here");
  return chromium.launch({ executablePath: program, args: [...ARGUMENTS, ...further] });
}
