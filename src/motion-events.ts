import { type Clock, type Guid, parseGuid } from "./base/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, type EventSubscription } from "./event/index.js";
import { channelOf } from "./event-mapping.js";
import type { MotionChange, MotionSource, MotionStates } from "./recording/index.js";
import { keptSettings, type SiteStore } from "./site/index.js";

/** How long one motion event of another program stands for motion: such programs tell of each finding, and of no end. */
export const EXTERNAL_MOTION_MS = 5000;
/** A time that is further from the recorder's clock is the fault of another clock, or news of the past. */
export const MOTION_TIME_OFF_US_MAX = 10_000_000;
/** Initiator of what comes by POST /api/events. */
const EXTERNAL_MODULE = 8;

const SOURCE_TEXTS: Readonly<Record<MotionSource, string>> = {
  recorder: "seen by the recorder",
  camera: "told by the camera",
  external: "told by another program",
};

export interface MotionEventsOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly motion: MotionStates;
  readonly clock: Clock;
}

/**
 * Makes events of motion, and motion of events: what other programs report by POST /api/events counts as motion of the
 * channel. Motion is told once when it begins, and with start and end each where the channel's settings say so.
 */
export class MotionEvents {
  readonly #options: MotionEventsOptions;
  #motion: { close(): void } | undefined;
  #events: EventSubscription | undefined;

  constructor(options: MotionEventsOptions) {
    this.#options = options;
  }

  start(): void {
    const { events, motion } = this.#options;
    this.#motion = motion.onMotion((change) => this.#tell(change));
    this.#events = events.onEvent((event) => this.#hear(event));
  }

  stop(): void {
    this.#motion?.close();
    this.#events?.close();
  }

  #tell(change: MotionChange): void {
    const { site, events } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === change.channelId);
    if (camera === undefined) return;
    // An external program's own event has told of it already.
    if (change.active && change.source !== "external")
      events.raise(this.#event(EVENT_TYPES.motionDetected.id, change));
    if (keptSettings(camera).analyze.motionDetector?.startAndEndEventsEnabled !== true) return;
    const { motionStarted, motionEnded } = EVENT_TYPES;
    events.raise(this.#event(change.active ? motionStarted.id : motionEnded.id, change));
  }

  #event(typeId: Guid, { channelId, source, timeUs, zone }: MotionChange) {
    const { site, clock } = this.#options;
    const zoneId = parseGuid(zone);
    const told = SOURCE_TEXTS[source];
    return {
      typeId,
      ...channelOf(site.current, channelId),
      timeUs: isNear(timeUs, clock.nowUs()) ? timeUs : clock.nowUs(),
      comment: zone === "" ? told : `${zone}: ${told}`,
      ...(zoneId === undefined ? {} : { fields: { Zoneid: zoneId } }),
    };
  }

  #hear(event: EventRecord): void {
    if (event.typeId !== EVENT_TYPES.motionDetected.id || event.initiator.type !== EXTERNAL_MODULE) return;
    const { site, motion, clock } = this.#options;
    const { channelId, timeUs } = event;
    if (!site.current.cameras.some(({ id }) => id === channelId) || !isNear(timeUs, clock.nowUs())) return;
    const zone = event.fields?.Zoneid;
    motion.report(
      { channelId, source: "external", active: true, timeUs, zone: typeof zone === "string" ? zone : "" },
      EXTERNAL_MOTION_MS,
    );
  }
}

function isNear(timeUs: number, nowUs: number): boolean {
  return Math.abs(timeUs - nowUs) <= MOTION_TIME_OFF_US_MAX;
}
