/** Long steps of a set-up: each reports what it does, that it is still running, and how long it took. */
import { spawn } from "node:child_process";

/** How often a running step reports. */
const REPORT_INTERVAL_MS = 10_000;

/** A step that failed; its own output says why. */
export class StepError extends Error {}

/**
 * Runs a command with the caller's output. Rejects with a StepError when it fails. A step without a title is quiet unless it
 * takes longer than REPORT_INTERVAL_MS.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ title?: string | undefined, cwd: string, env?: NodeJS.ProcessEnv, reportMs?: number, say?: (line: string) => void }} options
 * @returns {Promise<void>}
 */
export function runStep(
  command,
  args,
  { title, cwd, env, reportMs = REPORT_INTERVAL_MS, say = console.log },
) {
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  const subject = args[0] === undefined || args[0].startsWith("-") ? command : args[0];
  const name = title?.split(/[;,]/, 1)[0] ?? subject;
  if (title !== undefined) say(`setup: ${title}`);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const reports = setInterval(() => say(`setup: ${name}: still running after ${seconds()} s`), reportMs);
    child.once("error", (error) => {
      clearInterval(reports);
      reject(new StepError(error.message, { cause: error }));
    });
    child.once("exit", (code, signal) => {
      clearInterval(reports);
      if (code !== 0) reject(new StepError(`status ${code ?? signal}`));
      else {
        if (title !== undefined) say(`setup: ${name}: done in ${seconds()} s`);
        resolve();
      }
    });
  });
}
