import { US_PER_DAY, US_PER_SECOND } from "../base/index.js";

/** What a reserve can take, told before it has to: all its owners silent at once, each of their cameras recorded. */

/** What taking over asks for. */
export interface ReserveLoad {
  /** Of all owners. */
  readonly cameras: number;
  /** What those send of which an owner has said it, and how many they are. */
  readonly bytesPerSecond: number;
  readonly known: number;
}

/** What this recorder has. */
export interface ReserveMeans {
  /** All that recordings may take on its disks. */
  readonly roomBytes: number;
  /** What it records itself now. */
  readonly ownBytesPerSecond: number;
  /** The share of all processors that is busy, 0 to 1; undefined: not known yet. */
  readonly busy: number | undefined;
  readonly processors: number;
  /** Processor seconds for a gigabyte that is recorded. */
  readonly secondsPerGigabyte: number;
}

export const FORECAST_LIMITS = ["disks", "processor"] as const;
export type ForecastLimit = (typeof FORECAST_LIMITS)[number];

export interface ReserveForecast {
  readonly cameras: number;
  /** Of all of them: those that nothing is known of count as the others do. Undefined: nothing is known of any. */
  readonly bytesPerSecond: number | undefined;
  /** How far back recordings reach when the disks are full: now, and while all owners are silent. Undefined: not known. */
  readonly daysNow: number | undefined;
  readonly daysThen: number | undefined;
  /** The share of all processors that is busy then, at most 1; undefined: not known. */
  readonly busyThen: number | undefined;
  /** What is not enough. */
  readonly limits: readonly ForecastLimit[];
}

/** With less room an owner that is away over night costs recordings of the same day. */
const DAYS_LEAST = 1;
/** Beyond it nothing is left for viewers. */
const BUSY_MOST = 0.8;
const GIGABYTE = 1e9;

export function reserveForecast(load: ReserveLoad, means: ReserveMeans): ReserveForecast {
  const { cameras, known } = load;
  const bytesPerSecond = known === 0 ? undefined : (load.bytesPerSecond / known) * cameras;
  const { roomBytes, ownBytesPerSecond, busy, processors, secondsPerGigabyte } = means;
  const days = (rate: number): number | undefined =>
    roomBytes > 0 && rate > 0 ? (roomBytes / rate) * (US_PER_SECOND / US_PER_DAY) : undefined;
  const daysThen = bytesPerSecond === undefined ? undefined : days(ownBytesPerSecond + bytesPerSecond);
  const added = ((bytesPerSecond ?? 0) / GIGABYTE) * (secondsPerGigabyte / processors);
  const busyThen = busy === undefined || bytesPerSecond === undefined ? undefined : Math.min(1, busy + added);
  const isShort: Readonly<Record<ForecastLimit, boolean>> = {
    disks: daysThen !== undefined && daysThen < DAYS_LEAST,
    processor: busyThen !== undefined && busyThen > BUSY_MOST,
  };
  return {
    ...{ cameras, bytesPerSecond, daysNow: days(ownBytesPerSecond), daysThen, busyThen },
    limits: FORECAST_LIMITS.filter((limit) => isShort[limit]),
  };
}
