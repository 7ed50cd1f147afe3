import { MINUTES_PER_HOUR, US_PER_MS } from "../base/index.js";
import { type LocalClock, WEEK_DAYS } from "../site/index.js";

/**
 * The local clock of an IANA time zone (`Europe/Berlin`); default: this machine's, which is loaded on first use,
 * because that takes 20 ms on a fast processor and 200 ms on a small one, and most recorders have no schedule.
 */
export function localClock(zone?: string): LocalClock {
  let format = zone === undefined ? undefined : formatOf(zone);
  let machineZone = process.env.TZ;
  return (timeUs) => {
    // The owner of a box chooses its zone while it runs.
    if (zone === undefined && machineZone !== process.env.TZ) format = undefined;
    machineZone = process.env.TZ;
    format ??= formatOf(undefined);
    const parts = new Map<string, string>();
    const date = new Date(Math.floor(timeUs / US_PER_MS));
    for (const { type, value } of format.formatToParts(date)) parts.set(type, value);
    const day = WEEK_DAYS.find((name) => name === parts.get("weekday"));
    if (day === undefined) throw new RangeError(`no local time for ${timeUs}`);
    return { day, minute: Number(parts.get("hour")) * MINUTES_PER_HOUR + Number(parts.get("minute")) };
  };
}

function formatOf(zone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    ...(zone === undefined ? {} : { timeZone: zone }),
    weekday: "long",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  });
}
