import { BYTES_PER_TB, HOURS_PER_YEAR } from "../../base/index.js";
import type { DiskState, DiskVerdict } from "./disk-state.js";
import { TEMPERATURE_WARNING } from "./smart-nvme.js";
import type { SmartReading } from "./smart-types.js";

/** Thresholds; the reasons for each stand in docs/design/health.md. */

/** Sectors of 512 bytes that cannot be read: up to one of 4 KiB may be due to a power cut, and recovers when written again. */
export const UNREADABLE_SECTORS_FAILING = 9;
/** Sectors that the disk has replaced by spare ones: the first ones are a warning. */
export const REALLOCATED_SECTORS_FAILING = 50;
/** Reads or writes that failed in its life. */
export const UNCORRECTABLE_ERRORS_FAILING = 10;
/** Commands that timed out: more often caused by a cable or a power supply than by a disk. */
export const COMMAND_TIMEOUTS_WORN = 100;
/** Percent of the rated life. */
export const PERCENTAGE_USED_WORN = 90;
/** Percent of spare blocks above the drive's own threshold. */
export const SPARE_MARGIN_PERCENT = 10;
/** Seven years: makers design disks for five. */
export const POWER_ON_HOURS_WORN = 61_320;
/** Below it the mean write rate is meaningless. */
export const WORKLOAD_HOURS_MIN = 720;
/** Names in a sentence; the rest is counted. */
const NAMES_LISTED_MAX = 3;

/** °C from which a disk is too hot, and below which it is normal again. */
export interface HeatBounds {
  readonly hotCelsius: number;
  readonly coolCelsius: number;
}

const SPINNING_HEAT: HeatBounds = { hotCelsius: 60, coolCelsius: 55 };
const SOLID_HEAT: HeatBounds = { hotCelsius: 70, coolCelsius: 65 };
const NVME_HEAT: HeatBounds = { hotCelsius: 80, coolCelsius: 75 };

export function heatBounds({ kind, isRotational }: Pick<DiskState, "kind" | "isRotational">): HeatBounds {
  if (kind === "nvme") return NVME_HEAT;
  return isRotational === false ? SOLID_HEAT : SPINNING_HEAT;
}

/** What a disk's figures mean. */
export interface Judgement {
  readonly verdict: Exclude<DiskVerdict, "unknown">;
  /** Its faults, for its owner, the worst first; none for a good disk. */
  readonly findings: readonly string[];
}

/** Judges one reading. `workloadTbPerYear`: the drive's rating, where the settings say it. */
export function judge(reading: SmartReading, workloadTbPerYear: number | undefined): Judgement {
  const failing = [...saysThatItFails(reading), ...lostData(reading, "failing")];
  if (failing.length > 0) return { verdict: "failing", findings: failing };
  const worn = [...lostData(reading, "worn"), ...wear(reading, workloadTbPerYear)];
  return worn.length > 0 ? { verdict: "worn", findings: worn } : { verdict: "good", findings: [] };
}

function saysThatItFails(reading: SmartReading): string[] {
  const { passed, failedAttributes, criticalWarnings, selfTestFailed } = reading;
  const warnings = criticalWarnings.filter((warning) => warning !== TEMPERATURE_WARNING);
  // An NVMe drive that is only too hot reports "not passed" too; its heat is reported by its temperature.
  const isOnlyHot = criticalWarnings.length > 0 && warnings.length === 0;
  const isSpareless = warnings.length === 0 && sparePercent(reading) < 0;
  return [
    ...(passed === false && !isOnlyHot && warnings.length === 0 ? ["it says itself that it is failing"] : []),
    ...warnings,
    ...(isSpareless ? ["its spare blocks are used up"] : []),
    ...(failedAttributes.length > 0 ? [`it is past its maker's limit for ${named(failedAttributes)}`] : []),
    ...(selfTestFailed === true ? ["its last self-test found a fault"] : []),
  ];
}

/** The figures that indicate lost data, in the range of a verdict. */
function lostData(reading: SmartReading, verdict: "failing" | "worn"): string[] {
  const { pendingSectors, offlineUncorrectable, reallocatedSectors, uncorrectableErrors } = reading;
  const isIn = (count: number, failing: number) =>
    verdict === "failing" ? count >= failing : count > 0 && count < failing;
  // Both count the same sectors, one while reading and one while scanning.
  const unreadable = Math.max(pendingSectors ?? 0, offlineUncorrectable ?? 0);
  const replaced = reallocatedSectors ?? 0;
  const errors = uncorrectableErrors ?? 0;
  return [
    ...(isIn(unreadable, UNREADABLE_SECTORS_FAILING)
      ? [`${counted(unreadable, "sector")} cannot be read`]
      : []),
    ...(isIn(replaced, REALLOCATED_SECTORS_FAILING)
      ? [`${counted(replaced, "sector")} had to be replaced by spare ones`]
      : []),
    ...(isIn(errors, UNCORRECTABLE_ERRORS_FAILING)
      ? [`${counted(errors, "error")} in its life could not be corrected`]
      : []),
  ];
}

function wear(reading: SmartReading, workloadTbPerYear: number | undefined): string[] {
  const { percentageUsed, commandTimeouts, powerOnHours } = reading;
  const rate = writtenTbPerYear(reading);
  const spare = sparePercent(reading);
  return [
    ...(percentageUsed !== null && percentageUsed >= PERCENTAGE_USED_WORN
      ? [`${percentageUsed} % of its rated life is used`]
      : []),
    ...(spare <= SPARE_MARGIN_PERCENT
      ? [`${reading.availableSparePercent} % of its spare blocks are left`]
      : []),
    ...(powerOnHours !== null && powerOnHours >= POWER_ON_HOURS_WORN
      ? [`it has run for ${(powerOnHours / HOURS_PER_YEAR).toFixed(1)} years`]
      : []),
    ...(rate !== undefined && workloadTbPerYear !== undefined && rate > workloadTbPerYear
      ? [`${Math.round(rate)} TB a year are written to it, which is made for ${workloadTbPerYear}`]
      : []),
    ...(commandTimeouts !== null && commandTimeouts >= COMMAND_TIMEOUTS_WORN
      ? [`${commandTimeouts} commands ran out of time (look at its cable and its power supply first)`]
      : []),
  ];
}

/** Percent of spare blocks above the drive's threshold; all if the drive does not report it. */
function sparePercent({ availableSparePercent, availableSpareThresholdPercent }: SmartReading): number {
  if (availableSparePercent === null) return 100;
  return availableSparePercent - (availableSpareThresholdPercent ?? 0);
}

/** Mean rate over its life; undefined if its figures do not suffice. */
function writtenTbPerYear({ bytesWritten, powerOnHours }: SmartReading): number | undefined {
  if (bytesWritten === null || powerOnHours === null || powerOnHours < WORKLOAD_HOURS_MIN) return undefined;
  return bytesWritten / BYTES_PER_TB / (powerOnHours / HOURS_PER_YEAR);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function named(names: readonly string[]): string {
  const listed = names.slice(0, NAMES_LISTED_MAX).join(", ");
  return names.length > NAMES_LISTED_MAX ? `${listed} and ${names.length - NAMES_LISTED_MAX} more` : listed;
}
