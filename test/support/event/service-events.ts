import { EVENT_TYPES } from "../../../src/event/index.js";
import { pause, type Service } from "../service/service.js";

/** An event as `POST /archive_events` answers it, as far as tests read it. */
export interface FoundEvent {
  readonly EventId: string;
  readonly EventComment: string;
  readonly Timestamp: string;
  readonly ChannelId: string;
  readonly ChannelName: string;
}

/** How long a condition is waited for on a loaded machine. */
export const WAIT_MS = 60_000;

/** The events of a type that the service keeps, oldest first. */
export function eventsOf(service: Service, type: keyof typeof EVENT_TYPES): Promise<FoundEvent[]> {
  const body = { eventIds: [EVENT_TYPES[type].id] };
  return service.json<FoundEvent[]>("/archive_events", { method: "POST", body });
}

/** Resolves with the events of a type as soon as there are more than `known`. */
export async function newEvents(
  service: Service,
  type: keyof typeof EVENT_TYPES,
  known = 0,
): Promise<FoundEvent[]> {
  let found: FoundEvent[] = [];
  await until(service, `an event ${type}`, async () => {
    found = await eventsOf(service, type);
    return found.length > known;
  });
  return found;
}

/** Resolves when the condition holds; rejects with the service's log when it does not within a minute. */
export async function until(
  service: Service,
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw service.process.failure(`waited for ${what}`);
    await pause(100);
  }
}

/**
 * Resolves when each channel has a recording that reaches beyond the moment. `fromUs`: what was recorded before is not asked for.
 */
export async function recordedBeyond(
  service: Service,
  ids: readonly string[],
  timeUs: number,
  fromUs = 0,
): Promise<void> {
  for (const id of ids) {
    await until(service, `recordings of ${id} beyond ${timeUs}`, async () => {
      const fragments = await service.fragments(id, fromUs);
      return (fragments.at(-1)?.toUs ?? 0) > timeUs;
    });
  }
}

export function nowUs(): number {
  return Date.now() * 1000;
}
