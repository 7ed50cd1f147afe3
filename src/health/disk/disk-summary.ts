import { HOURS_PER_YEAR } from "../../base/index.js";
import type { DiskState } from "./disk-state.js";

/** The values that determine a disk's state. */
export interface SummaryInput
  extends Pick<DiskState, "device" | "model" | "serial" | "kind" | "isAsleep" | "verdict" | "smart"> {
  readonly findings: readonly string[];
  /** The findings are of the last day, not of the newest reading. */
  readonly isRecovering: boolean;
  readonly isHot: boolean;
  /** Why the newest request failed. */
  readonly problem: string | undefined;
}

/** `sda (WDC WD40PURX-64NZ6Y0, serial WD-…)`. */
export function diskName({ device, model, serial }: Pick<DiskState, "device" | "model" | "serial">): string {
  const details = [model, serial === "" ? "" : `serial ${serial}`].filter((part) => part !== "");
  const name = device.replace(/^\/dev\//, "");
  return details.length === 0 ? name : `${name} (${details.join(", ")})`;
}

/** One sentence for the disk's owner: the disk, its state, what to do. */
export function diskSummary(input: SummaryInput): string {
  return [`Disk ${diskName(input)}: ${verdictText(input)}`, ...remarks(input)].join("; ");
}

function verdictText(input: SummaryInput): string {
  const { verdict, findings, isRecovering } = input;
  const past = isRecovering ? " (seen within the last day, better now)" : "";
  switch (verdict) {
    case "failing":
      return `${findings.join(", ") || "it was failing when it last answered"}${past}; replace it soon`;
    case "worn":
      return `${findings.join(", ") || "it was worn when it last answered"}${past}; it works, plan to replace it`;
    case "good":
      return ["good", ...goodFigures(input)].join(", ");
    case "unknown":
      return `its state is not known: ${whyUnknown(input)}`;
  }
}

function goodFigures({ smart }: SummaryInput): string[] {
  if (smart === undefined) return [];
  const { temperatureCelsius, powerOnHours, percentageUsed } = smart;
  return [
    ...(temperatureCelsius === null ? [] : [`${Math.round(temperatureCelsius)} °C`]),
    ...(powerOnHours === null ? [] : [`in use for ${(powerOnHours / HOURS_PER_YEAR).toFixed(1)} years`]),
    ...(percentageUsed === null ? [] : [`${percentageUsed} % of its rated life used`]),
  ];
}

function whyUnknown({ kind, isAsleep, smart, problem }: SummaryInput): string {
  if (problem !== undefined) return problem;
  if (kind === "other") return "this kind of disk has no SMART";
  if (isAsleep) return "it sleeps, and is not woken to be asked";
  return smart === undefined
    ? "it was not asked yet, or reports nothing of itself"
    : "it has not answered for a day";
}

function remarks({ verdict, isHot, smart, problem }: SummaryInput): string[] {
  const celsius = smart?.temperatureCelsius;
  return [
    ...(isHot && typeof celsius === "number"
      ? [`it is too hot (${Math.round(celsius)} °C): improve its cooling`]
      : []),
    ...(problem !== undefined && verdict !== "unknown"
      ? [`it did not answer when last asked: ${problem}`]
      : []),
  ];
}
