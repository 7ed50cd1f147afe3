import path from "node:path";
import { createLog, EXIT, errorText, NvrdError, readBootId, SystemClock } from "../base/index.js";
import {
  askDisks,
  type DiskReport,
  isAskedBySmartctl,
  readDiskReport,
  Smartctl,
  SystemFiles,
  statesIn,
  writeDiskReport,
} from "../health/index.js";
import type { DiskReportLine } from "./command-line.js";

/**
 * `nvrd disk-report`: reads the health of the disks, which needs root rights, and prints it, or writes it to a file for a
 * service without these rights.
 */
export async function runDiskReportCommand(line: DiskReportLine): Promise<number> {
  const clock = new SystemClock();
  const bootId = readBootId(createLog({ level: "silent" }));
  const smartctl = new Smartctl({ clock, isAsked: isAskedBySmartctl });
  const out = line.out === undefined ? undefined : path.resolve(line.out);
  const previous = out === undefined ? undefined : await previousReport(out);
  const report = await askDisks({ files: new SystemFiles(), smartctl, clock, bootId }, previous);
  if (out !== undefined) await write(out, report);
  else if (line.json) process.stdout.write(`${JSON.stringify(report, undefined, 1)}\n`);
  else process.stdout.write(textOf(report, clock));
  return EXIT.done;
}

/** Undefined if the report cannot be used; then it is replaced. */
async function previousReport(file: string): Promise<DiskReport | undefined> {
  try {
    return await readDiskReport(file);
  } catch (error) {
    process.stderr.write(`nvrd: ${errorText(error)}; it is created again\n`);
    return undefined;
  }
}

async function write(file: string, report: DiskReport): Promise<void> {
  try {
    await writeDiskReport(file, report);
  } catch (error) {
    throw new NvrdError("NOT_AVAILABLE", `${file} cannot be written: ${errorText(error)}`, { hint: "" });
  }
}

function textOf(report: DiskReport, clock: SystemClock): string {
  const states = statesIn(report, clock);
  if (states.length === 0) return "no disks were found\n";
  return states.map(({ summary }) => `${summary}\n`).join("");
}
