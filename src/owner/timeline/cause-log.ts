import { EMPTY_GUID, type Guid } from "../../base/index.js";
import {
  EVENT_TYPES,
  type EventLog,
  type EventRecord,
  type EventTypeName,
  TIME_US_MAX,
} from "../../event/index.js";

/** Events of a channel that begin or end a reason why it is not recorded. */
const CHANNEL_CAUSES = [
  "cameraLost",
  "cameraBack",
  "framesLost",
  "framesComplete",
  "droppingStarted",
  "droppingEnded",
  "recordingModeChanged",
  "recordingSwitchedOn",
  "recordingSwitchedOff",
] as const satisfies readonly EventTypeName[];
/** The same of the whole recorder. */
const RECORDER_CAUSES = [
  "serviceStarted",
  "serviceStopped",
  "serviceInterrupted",
  "clockStepped",
  "recorderHeld",
] as const satisfies readonly EventTypeName[];

export type CauseName = (typeof CHANNEL_CAUSES)[number] | (typeof RECORDER_CAUSES)[number];

/** What the reasons need of such an event. */
export interface Cause {
  readonly sequence: number;
  readonly timeUs: number;
  readonly name: CauseName;
  readonly comment: string;
}

const NAMES: ReadonlyMap<Guid, CauseName> = new Map(
  [...CHANNEL_CAUSES, ...RECORDER_CAUSES].map((name) => [EVENT_TYPES[name].id, name]),
);

/** Causes kept of a channel, the newest: a camera that fails all day makes 22. */
export const CAUSES_KEPT_MAX = 4096;

interface Kept {
  causes: readonly Cause[];
  readonly loading: Promise<void>;
}

/**
 * The events that explain gaps, in memory: read from the log when a channel is asked for first, and followed from then on. They
 * are rare, so that all of a channel's stay.
 */
export class CauseLog {
  readonly #events: EventLog;
  readonly #kept = new Map<Guid, Kept>();
  #isListening = false;

  constructor(events: EventLog) {
    this.#events = events;
  }

  /**
   * A channel's causes in the order of time, or with the empty GUID those of the whole recorder. The same array while nothing
   * was added. Rejects with NvrdError NOT_AVAILABLE if the log cannot be read.
   */
  async of(channelId: Guid): Promise<readonly Cause[]> {
    const kept = this.#kept.get(channelId) ?? this.#load(channelId);
    await kept.loading;
    return kept.causes;
  }

  /** Forgets channels that are no longer there. */
  retain(isThere: (channelId: Guid) => boolean): void {
    for (const channelId of this.#kept.keys())
      if (channelId !== EMPTY_GUID && !isThere(channelId)) this.#kept.delete(channelId);
  }

  #load(channelId: Guid): Kept {
    if (!this.#isListening) this.#events.onEvent((event) => this.#take(event));
    this.#isListening = true;
    const kept: Kept = { causes: [], loading: this.#read(channelId) };
    this.#kept.set(channelId, kept);
    kept.loading.catch(() => this.#kept.delete(channelId)); // whoever asked gets the error
    return kept;
  }

  async #read(channelId: Guid): Promise<void> {
    const names = channelId === EMPTY_GUID ? RECORDER_CAUSES : CHANNEL_CAUSES;
    const found: Cause[] = [];
    const query = {
      ...{ fromUs: 0, toUs: TIME_US_MAX, limit: CAUSES_KEPT_MAX, fromBegin: false },
      channelIds: new Set([channelId]),
      typeIds: new Set(names.map((name) => EVENT_TYPES[name].id)),
    };
    for await (const batch of this.#events.search(query))
      for (const event of batch) {
        const cause = causeOf(event);
        if (cause !== undefined) found.push(cause);
      }
    const kept = this.#kept.get(channelId);
    if (kept === undefined) return;
    const known = new Set(found.map(({ sequence }) => sequence));
    kept.causes = sorted([...found, ...kept.causes.filter(({ sequence }) => !known.has(sequence))]);
  }

  #take(event: EventRecord): void {
    const kept = this.#kept.get(event.channelId);
    const cause = kept === undefined ? undefined : causeOf(event);
    if (kept === undefined || cause === undefined) return;
    kept.causes = sorted([...kept.causes.slice(-CAUSES_KEPT_MAX), cause]);
  }
}

function causeOf({ typeId, sequence, timeUs, comment }: EventRecord): Cause | undefined {
  const name = NAMES.get(typeId);
  return name === undefined ? undefined : { sequence, timeUs, name, comment };
}

/** A clock that was set back makes later events earlier ones. */
function sorted(causes: readonly Cause[]): readonly Cause[] {
  return causes.toSorted((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
}
