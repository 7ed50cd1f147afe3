import { readdir, readFile } from "node:fs/promises";

/** Processes looked at; more than a kernel numbers on a small machine. */
const PROCESSES_MAX = 100_000;
const NAME = "smartctl";

/**
 * Whether any smartctl process uses the device now, even one that hangs: a second one would hang too. Processes that /proc does
 * not show do not count.
 */
export async function isAskedBySmartctl(device: string, proc = "/proc"): Promise<boolean> {
  const ids = (await namesIn(proc)).filter((name) => /^\d+$/.test(name)).slice(0, PROCESSES_MAX);
  for (const id of ids) {
    if ((await textOf(`${proc}/${id}/comm`)).trim() !== NAME) continue;
    if ((await textOf(`${proc}/${id}/cmdline`)).split("\0").includes(device)) return true;
  }
  return false;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch {
    return []; // a sandbox without /proc shows no processes
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return ""; // the process has ended meanwhile, or is none of ours to read
  }
}
