import { US_PER_SECOND } from "../../base/index.js";

/**
 * Pictures a second, a whole number of at least 1; undefined where their times show none. By the usual step between two pictures:
 * one that is missing or came late changes nothing.
 */
export function pictureRate(timesUs: readonly number[]): number | undefined {
  const steps = timesUs
    .slice(1)
    .map((timeUs, at) => timeUs - (timesUs[at] ?? timeUs))
    .filter((stepUs) => stepUs > 0)
    .sort((one, other) => one - other);
  const usualUs = steps[Math.floor(steps.length / 2)];
  return usualUs === undefined ? undefined : Math.max(1, Math.round(US_PER_SECOND / usualUs));
}
