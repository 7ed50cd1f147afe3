import { type Guid, type Interval, US_PER_DAY, US_PER_HOUR, US_PER_SECOND } from "../../base/index.js";
import { EVENT_KINDS, EVENT_TYPES, type EventKind, type EventLog, seenTypes } from "../../event/index.js";
import { joined } from "./spans.js";

const LASTING: readonly EventKind[] = ["tampering", "input", "rule"];
/** Events of a camera that are worth keeping; those of the recorder about it (lost, back, recording) are not. */
const MOMENTS: readonly Guid[] = [
  ...[
    EVENT_TYPES.motionDetected,
    EVENT_TYPES.plateRecognized,
    EVENT_TYPES.emergencyVehicleDetected,
    EVENT_TYPES.externalEvent,
    EVENT_TYPES.motionStarted,
    EVENT_TYPES.motionEnded,
  ].map(({ id }) => id),
  ...EVENT_KINDS.flatMap(seenTypes),
];
/** What begins and ends: the time between counts too. These go on while no end has come. */
const EPISODES: readonly (readonly [Guid, Guid])[] = [
  [EVENT_TYPES.motionStarted.id, EVENT_TYPES.motionEnded.id],
  ...LASTING.map(seenTypes),
];
/** These are moments of many cameras and programs: only an end that comes makes an episode of them. */
const ENDED: readonly (readonly [Guid, Guid])[] = EVENT_KINDS.filter((kind) => !LASTING.includes(kind)).map(
  seenTypes,
);
/** An episode without an end is believed for so long. */
const EPISODE_US_MAX = US_PER_DAY;
/** A later end is of another beginning. */
const ENDED_US_MAX = US_PER_HOUR;

export interface Around {
  readonly secondsBefore: number;
  readonly secondsAfter: number;
}

/** When something happened at a camera within a time, with seconds around. Rejects with NvrdError NOT_AVAILABLE as the log does. */
export async function eventTimes(
  events: Pick<EventLog, "moments">,
  channelId: Guid,
  within: Interval,
  { secondsBefore, secondsAfter }: Around,
): Promise<readonly Interval[]> {
  const beforeUs = secondsBefore * US_PER_SECOND;
  const afterUs = secondsAfter * US_PER_SECOND;
  const query = {
    fromUs: Math.max(0, within.fromUs - EPISODE_US_MAX - afterUs),
    toUs: within.toUs + beforeUs,
    typeIds: new Set(MOMENTS),
    channelIds: new Set([channelId]),
  };
  const times = new Map<Guid, number[]>();
  for await (const { typeId, timesUs } of events.moments(query))
    times.set(typeId, [...(times.get(typeId) ?? []), ...timesUs]);
  const spans: Interval[] = [...times.values()]
    .flat()
    .map((timeUs) => ({ fromUs: timeUs, toUs: timeUs + 1 }));
  for (const [begin, end] of EPISODES)
    spans.push(...episodes(times.get(begin) ?? [], times.get(end) ?? [], () => within.toUs));
  for (const [begin, end] of ENDED)
    spans.push(...episodes(times.get(begin) ?? [], times.get(end) ?? [], (fromUs) => fromUs, ENDED_US_MAX));
  const around = spans.map(({ fromUs, toUs }) => ({ fromUs: fromUs - beforeUs, toUs: toUs + afterUs }));
  return joined(around).filter(({ fromUs, toUs }) => toUs > within.fromUs && fromUs < within.toUs);
}

/** @param open The end where none has come within `lengthUsMax`. */
function episodes(
  begins: readonly number[],
  ends: readonly number[],
  open: (fromUs: number) => number,
  lengthUsMax = Number.POSITIVE_INFINITY,
): Interval[] {
  const sorted = [...ends].sort((a, b) => a - b);
  return begins.map((fromUs) => {
    const end = sorted.find((timeUs) => timeUs >= fromUs);
    const toUs = end === undefined || end - fromUs > lengthUsMax ? open(fromUs) : end;
    return { fromUs, toUs: Math.max(fromUs + 1, Math.min(toUs, fromUs + EPISODE_US_MAX)) };
  });
}
