/** The pages made from code, and the scripts that make them; each takes `--check`. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Those that the build makes, and git ignores. */
export const BUILT_PAGES = ["docs/ref/api.md"];
const MAKERS = [
  "make-api-doc.mjs",
  "make-camera-habits-doc.mjs",
  "make-camera-events-doc.mjs",
  "make-errors-doc.mjs",
  "make-events-doc.mjs",
  "make-kept-doc.mjs",
  "make-live-socket-doc.mjs",
  "make-metrics-doc.mjs",
  "make-mqtt-doc.mjs",
  "make-settings-doc.mjs",
  "make-small-files-doc.mjs",
].map((name) => join(ROOT, "scripts", "docs", name));

/** Runs every maker that exists; returns whether all succeeded. */
export function runMakers(flags) {
  const statuses = MAKERS.filter((maker) => existsSync(maker)).map(
    (maker) => spawnSync(process.execPath, [maker, ...flags], { cwd: ROOT, stdio: "inherit" }).status,
  );
  return statuses.every((status) => status === 0);
}
