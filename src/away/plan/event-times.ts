import { type Guid, US_PER_DAY, US_PER_SECOND } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import { joined, type Span } from "./spans.js";

/** Events of a camera that are worth keeping; those of the recorder about it (lost, back, recording) are not. */
const MOMENTS = [
  EVENT_TYPES.motionDetected,
  EVENT_TYPES.faceRecognized,
  EVENT_TYPES.plateRecognized,
  EVENT_TYPES.fireDetected,
  EVENT_TYPES.abandonedItemDetected,
  EVENT_TYPES.emergencyVehicleDetected,
  EVENT_TYPES.externalEvent,
  EVENT_TYPES.motionStarted,
  EVENT_TYPES.motionEnded,
  EVENT_TYPES.tamperingStarted,
  EVENT_TYPES.tamperingEnded,
  EVENT_TYPES.inputActivated,
  EVENT_TYPES.inputDeactivated,
  EVENT_TYPES.ruleTriggered,
  EVENT_TYPES.ruleEnded,
];
/** What begins and ends: the time between counts too. */
const EPISODES = [
  [EVENT_TYPES.motionStarted.id, EVENT_TYPES.motionEnded.id],
  [EVENT_TYPES.tamperingStarted.id, EVENT_TYPES.tamperingEnded.id],
  [EVENT_TYPES.inputActivated.id, EVENT_TYPES.inputDeactivated.id],
  [EVENT_TYPES.ruleTriggered.id, EVENT_TYPES.ruleEnded.id],
] as const;
/** An episode without an end is believed for so long. */
const EPISODE_US_MAX = US_PER_DAY;

export interface Around {
  readonly secondsBefore: number;
  readonly secondsAfter: number;
}

/** When something happened at a camera within a time, with seconds around. Rejects with NvrdError NOT_AVAILABLE as the log does. */
export async function eventTimes(
  events: Pick<EventLog, "moments">,
  channelId: Guid,
  within: Span,
  { secondsBefore, secondsAfter }: Around,
): Promise<readonly Span[]> {
  const beforeUs = secondsBefore * US_PER_SECOND;
  const afterUs = secondsAfter * US_PER_SECOND;
  const query = {
    fromUs: Math.max(0, within.fromUs - EPISODE_US_MAX - afterUs),
    toUs: within.toUs + beforeUs,
    typeIds: new Set(MOMENTS.map(({ id }) => id)),
    channelIds: new Set([channelId]),
  };
  const times = new Map<Guid, number[]>();
  for await (const { typeId, timesUs } of events.moments(query))
    times.set(typeId, [...(times.get(typeId) ?? []), ...timesUs]);
  const spans: Span[] = [...times.values()].flat().map((timeUs) => ({ fromUs: timeUs, toUs: timeUs + 1 }));
  for (const [begin, end] of EPISODES)
    spans.push(...episodes(times.get(begin) ?? [], times.get(end) ?? [], within.toUs));
  const around = spans.map(({ fromUs, toUs }) => ({ fromUs: fromUs - beforeUs, toUs: toUs + afterUs }));
  return joined(around).filter(({ fromUs, toUs }) => toUs > within.fromUs && fromUs < within.toUs);
}

function episodes(begins: readonly number[], ends: readonly number[], untilUs: number): Span[] {
  const sorted = [...ends].sort((a, b) => a - b);
  return begins.map((fromUs) => {
    const end = sorted.find((timeUs) => timeUs >= fromUs) ?? untilUs;
    return { fromUs, toUs: Math.max(fromUs + 1, Math.min(end, fromUs + EPISODE_US_MAX)) };
  });
}
