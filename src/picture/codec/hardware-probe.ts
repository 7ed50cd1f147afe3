import { builtScript, type Clock, errorText, startProgram } from "../../base/index.js";
import type { HardwareCandidate, HardwareProbe } from "./hardware.js";

/** Time limit for one candidate: if a driver hangs, its child process is killed. */
export const PROBE_MS_MAX = 10_000;
/** Most text read from a child. */
const PROBE_TEXT_MAX = 1000;

/** Tries a candidate in a child process, so that a driver that hangs or crashes does not affect the service. */
export function childProbe(
  clock: Clock,
  script = builtScript(import.meta.url, "hardware-child"),
): HardwareProbe {
  return (candidate) => probeInChild(clock, script, candidate);
}

async function probeInChild(
  clock: Clock,
  script: string,
  candidate: HardwareCandidate,
): Promise<string | undefined> {
  let child: ReturnType<typeof startProbe>;
  try {
    child = startProbe(script, candidate);
  } catch (error) {
    return `it cannot be tried: ${errorText(error)}`;
  }
  return await outcomeOf(child, clock);
}

function startProbe(script: string, { kind, name, codec }: HardwareCandidate) {
  return startProgram(process.execPath, [script, kind, name, `${codec}`], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH ?? "" },
  });
}

function outcomeOf(child: ReturnType<typeof startProbe>, clock: Clock): Promise<string | undefined> {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < PROBE_TEXT_MAX) text += chunk;
  });
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => {
      child.kill("SIGKILL");
      resolve(`it did not answer within ${PROBE_MS_MAX / 1000} s`);
    }, PROBE_MS_MAX);
    child.on("error", (error) => {
      timer.clear();
      resolve(`it cannot be tried: ${error.message}`);
    });
    child.on("close", (code, signal) => {
      timer.clear();
      if (code === 0 && text.trim() === "works") resolve(undefined);
      else
        resolve(text.trim().slice(0, PROBE_TEXT_MAX) || `the trial ended with ${signal ?? `status ${code}`}`);
    });
  });
}
