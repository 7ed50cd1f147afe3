import type { Disk, DiskSample } from "../../../contract/answer/index.js";
import { sizeText } from "../../state/figures.js";
import { smartWords } from "../../words/settings/smart.js";
import { diskRating } from "./disk-names.js";
import { runningText } from "./disk-words.js";

const TB = 1e12;
const DAY_MS = 86_400_000;
const HOURS_PER_DAY = 24;
/** A rate of wear over fewer days says nothing. */
const WEAR_DAYS_MIN = 30;
/** Beyond it, the rest of the life is longer than that of anything else in the box. */
const REST_DAYS_MAX = 3653;

/** How much of its rated life a disk has used, and how much it is made for. */
export function wearTexts(disk: Disk, samples: readonly DiskSample[]): readonly string[] {
  return [...lifeTexts(disk, samples), ...workTexts(disk)];
}

/** An SSD counts its own wear. */
function lifeTexts({ Smart }: Disk, samples: readonly DiskSample[]): readonly string[] {
  const words = smartWords();
  const used = Smart?.PercentageUsed ?? null;
  if (used === null) return [];
  const rest = restDays(used, samples);
  const last =
    rest === undefined
      ? ""
      : ` ${rest > REST_DAYS_MAX ? words.lastsLong : words.lasts(runningText(rest * HOURS_PER_DAY))}`;
  return [`${words.lifeUsed(used)}${last}`];
}

/** Days until the rated life is used up, at the rate of the history. */
function restDays(used: number, samples: readonly DiskSample[]): number | undefined {
  const known = samples.filter(({ PercentageUsed }) => PercentageUsed !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const days = (Date.parse(last.Date) - Date.parse(first.Date)) / DAY_MS;
  const worn = (last.PercentageUsed ?? 0) - (first.PercentageUsed ?? 0);
  if (days < WEAR_DAYS_MIN) return undefined;
  return worn <= 0 ? Number.POSITIVE_INFINITY : (Math.max(0, 100 - used) / worn) * days;
}

/** What is written to it in a year, against what its maker says that it is made for. */
function workTexts({ Volumes, Model }: Disk): readonly string[] {
  const words = smartWords();
  const written = Volumes.filter(({ State }) => State === "InUse").reduce(
    (sum, { ProjectedYearBytes }) => sum + (ProjectedYearBytes ?? 0),
    0,
  );
  if (written === 0) return [];
  const set = Volumes.find(({ WorkloadTbPerYear }) => WorkloadTbPerYear !== null)?.WorkloadTbPerYear;
  const rating = set ?? diskRating(Model);
  if (rating === undefined) return [words.written(sizeText(written))];
  const percent = Math.round((written / (rating * TB)) * 100);
  const text = percent > 100 ? words.overworked : words.workload;
  return [text(sizeText(written), sizeText(rating * TB), percent)];
}
