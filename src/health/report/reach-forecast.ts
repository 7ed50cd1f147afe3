/** A channel as retention treats it: what it records in a day, and its limits; 0 sets none. */
export interface ForecastChannel {
  readonly bytesPerDay: number;
  readonly minDays: number;
  readonly maxDays: number;
}

/** Beyond ten years a forecast says nothing. */
const DAYS_MAX = 3653;
/** Halvings: the answer is within some seconds. */
const STEPS = 40;

export interface ReachForecast {
  /** Days that a channel without limits of its own reaches back when the disks are full; undefined: they never become full. */
  readonly days: number | undefined;
  /** The same of each channel, within its limits; in the order of the channels. */
  readonly channels: readonly number[];
}

/**
 * How far back recordings reach when the disks are full, at the present rates. Retention keeps all channels to the same age,
 * except those that must be kept longer (minimum) or not so long (maximum): so that age is looked for at which all fits.
 */
export function reachForecast(channels: readonly ForecastChannel[], roomBytes: number): ReachForecast {
  const atMost = ({ maxDays }: ForecastChannel): number => (maxDays > 0 ? maxDays : DAYS_MAX);
  const plain = (channel: ForecastChannel, days: number): number => Math.min(days, atMost(channel));
  const kept = (channel: ForecastChannel, days: number): number =>
    Math.min(Math.max(days, channel.minDays), atMost(channel));
  const bytesOf = (days: number, of: typeof kept): number =>
    channels.reduce((sum, channel) => sum + channel.bytesPerDay * of(channel, days), 0);
  // Where not even the minimum fits, the oldest of all goes first.
  const of = bytesOf(0, kept) > roomBytes ? plain : kept;
  if (bytesOf(DAYS_MAX, of) <= roomBytes)
    return { days: undefined, channels: channels.map((channel) => of(channel, DAYS_MAX)) };
  let low = 0;
  let high = DAYS_MAX;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (bytesOf(middle, of) <= roomBytes) low = middle;
    else high = middle;
  }
  return { days: low, channels: channels.map((channel) => of(channel, low)) };
}
