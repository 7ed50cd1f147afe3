/**
 * The code that V8 makes of a bundle while the service starts, for the starts after it (loader.cjs). A service with a directory of its
 * own runs until it has answered: what a start compiles is known only then.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "./node-flags.mjs";

const RUN_SCRIPT = fileURLToPath(new URL("code-cache-run.cjs", import.meta.url));
/** A machine that does everything at once may need long. */
const RUN_MS_MAX = 120_000;
const SAID_MAX = 2000;

/**
 * Makes `<folder>/bundle/code.cache` with the Node that runs this. Resolves with why it could not, or undefined. V8 takes the cache with
 * the same version and flags only, so these are the flags of bin/nvrd.
 * @param {string} folder
 * @returns {Promise<string | undefined>}
 */
export async function makeCodeCache(folder) {
  const directory = mkdtempSync(join(tmpdir(), "nvrd-code-cache-"));
  const flags = nodeFlags(readFileSync(join(folder, "bin/nvrd"), "utf8")).split(" ");
  const child = spawn(process.execPath, [...flags, RUN_SCRIPT, join(folder, "bundle"), directory], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "" },
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      said = `${said}${text}`.slice(-SAID_MAX);
    });
  try {
    return await new Promise((resolve) => {
      child.once("error", ({ message }) => resolve(message));
      child.once("close", (status, signal) =>
        resolve(status === 0 ? undefined : `it ended with ${signal ?? `status ${status}`}: ${said}`),
      );
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
