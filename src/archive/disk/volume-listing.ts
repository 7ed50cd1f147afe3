/** The reader thread's listing of a volume: what is in `streams/` and `open/`, and foreign files. */
import { join } from "node:path";
import type { Disk } from "./disk.js";
import { readSummaries, UNCLOSED } from "./segment-summaries.js";
import type { DayFiles, DayList, OpenList } from "./volume-messages.js";

const SEGMENT_FILE_PATTERN = /^[0-9a-f]{14}\.seg$/;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;
/** Most day directories listed; 64 channels with four streams kept for ten years. */
const DAYS_MAX = 1_000_000;
/** Most foreign files named of one directory level; they are listed for the user. */
const STRANGERS_MAX = 100;

/** The directories `streams/<channel>/<stream type>/<day>`. */
export function listDays(disk: Disk, directory: string): DayList {
  const days: string[] = [];
  const strangers: string[] = [];
  const directoriesIn = (path: string): string[] => {
    const entries = disk.readdirSync(join(directory, path), { withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isDirectory() && strangers.length < STRANGERS_MAX) strangers.push(`${path}/${entry.name}`);
    }
    return entries.filter((entry) => entry.isDirectory()).map((entry) => `${path}/${entry.name}`);
  };
  for (const channel of directoriesIn("streams")) {
    for (const stream of directoriesIn(channel)) {
      for (const day of directoriesIn(stream)) {
        if (days.length >= DAYS_MAX) throw new Error(`more than ${DAYS_MAX} day directories`);
        if (DAY_PATTERN.test(day.slice(day.lastIndexOf("/") + 1))) days.push(day);
        else if (strangers.length < STRANGERS_MAX) strangers.push(day);
      }
    }
  }
  return { days, strangers };
}

export function listDay(disk: Disk, directory: string, path: string): DayFiles {
  const all = disk.readdirSync(join(directory, path));
  return {
    names: all.filter((name) => SEGMENT_FILE_PATTERN.test(name)),
    strangers: all.filter((name) => !SEGMENT_FILE_PATTERN.test(name)).slice(0, STRANGERS_MAX),
  };
}

/** The files in `open/` that are closed and wait for the index; those still written or torn are left out. */
export function listClosedInOpen(disk: Disk, directory: string): OpenList {
  const headers: Uint8Array[] = [];
  const newer: string[] = [];
  for (const name of listDay(disk, directory, "open").names) {
    const path = `open/${name}`;
    const request = { op: "summaries", files: [[path]], deep: false, fromFrames: false } as const;
    const [answer] = readSummaries(disk, directory, request);
    if (answer === undefined) continue;
    if ("header" in answer) headers.push(answer.header);
    else if (answer.code === "FORMAT_NEWER") newer.push(path);
    else if (!NOT_CLOSED.has(answer.code)) throw Object.assign(new Error(answer.message), answer);
  }
  return { headers, newer };
}

/** Being written, torn, or moved on now. */
const NOT_CLOSED = new Set([UNCLOSED, "DAMAGED", "ENOENT"]);
