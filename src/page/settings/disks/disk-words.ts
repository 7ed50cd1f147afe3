import type { Disk } from "../../../contract/answer/index.js";
import { daysText, sizeText } from "../../state/figures.js";
import { locale } from "../../state/locale.js";
import { timeFormat } from "../../state/time-format.js";
import { disksWords } from "../../words/disks.js";
import { diskName } from "./disk-names.js";
import { holdingOf } from "./disks.js";

/** `4 TB WD Purple`. */
export function diskTitle({ SizeBytes, Model }: Disk): string {
  const words = disksWords();
  return words.disk(sizeText(SizeBytes), diskName(Model) ?? words.diskUnnamed);
}

/** What is on a disk, and what it is used for. */
export function stateWords(disk: Disk): readonly string[] {
  const words = disksWords();
  const states = disk.Volumes.map(({ State }) => State);
  if (states.includes("InUse"))
    return disk.IsSystemDisk ? [words.isSystem, words.isRecorded] : [words.isRecorded];
  if (disk.IsSystemDisk) return [words.isSystem];
  if (states.includes("Retired")) return [words.isRetired];
  const holding = holdingOf(disk);
  return holding === undefined ? [words.isEmpty] : [words.holds[holding], words.left];
}

const HOURS_PER_YEAR = 8766;
const HOURS_PER_DAY = 24;

/** How long a disk was switched on: in years, or in days where it is young. */
export function runningText(hours: number): string {
  if (hours < HOURS_PER_YEAR) return daysText(hours / HOURS_PER_DAY);
  const years = { style: "unit", unit: "year", unitDisplay: "long", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale.value, years).format(hours / HOURS_PER_YEAR);
}

/** `36 °C`. */
export function celsiusText(degrees: number): string {
  const unit = { style: "unit", unit: "celsius", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(locale.value, unit).format(degrees);
}

/** `3 December 2026`; without the Russian "г." at its end, which would stand before a full stop. */
export function dayText(time: string | number): string {
  const day = { day: "numeric", month: "long", year: "numeric" } as const;
  const moment = typeof time === "string" ? Date.parse(time) : time;
  return timeFormat(locale.value, day)
    .format(moment)
    .replace(/\s*г\.$/, "");
}
