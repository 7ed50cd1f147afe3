/** Runs programs for the image's build. */
import { spawnSync } from "node:child_process";
import process from "node:process";

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Runs a program with its output on the terminal. Throws when it fails. */
export function run(command, args, options = {}) {
  return started(command, args, { stdio: ["ignore", "inherit", "inherit"], ...options });
}

/** What it writes to standard output. Throws with its error output when it fails. */
export function outputOf(command, args, options = {}) {
  return started(command, args, { stdio: ["pipe", "pipe", "pipe"], encoding: "utf8", ...options });
}

function started(command, args, { env, ...options }) {
  const result = spawnSync(command, args, {
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { ...process.env, LC_ALL: "C.UTF-8", TZ: "UTC", ...env },
    ...options,
  });
  if (result.status === 0) return result.stdout;
  const reason = result.error?.message ?? `status ${result.status ?? result.signal}`;
  throw new Error(`${command} ${args.slice(0, 6).join(" ")}: ${reason}\n${result.stderr ?? ""}`.trimEnd());
}
