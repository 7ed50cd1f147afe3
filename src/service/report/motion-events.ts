import { type Clock, type Guid, parseGuid } from "../../base/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord, type EventSubscription } from "../../event/index.js";
import type { MotionChange, MotionSource, MotionStates } from "../../recording/index.js";
import { cameraOptions, type SiteStore } from "../../site/index.js";
import { channelOf, nearTime } from "./event-mapping.js";

/** Duration of motion per motion event of another program, because such programs report detections, but no end. */
export const EXTERNAL_MOTION_MS = 5000;
/** Resolution of relative coordinates, finer than a pixel of the analyzed pictures. */
const BOX_STEPS = 10_000;
/** Initiator of events received by POST /api/events. */
const EXTERNAL_MODULE = 8;

const SOURCE_TEXTS: Readonly<Record<MotionSource, string>> = {
  recorder: "seen by the recorder",
  camera: "reported by the camera",
  external: "reported by another program",
  blind: "the recorder's detector cannot see",
  analysis: "found by an analyser",
  seen: "reported by the camera",
  sight: "an object seen by the recorder",
};

export interface MotionEventsOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly motion: MotionStates;
  readonly clock: Clock;
}

/**
 * Turns motion into events, and events into motion: events that other programs report by POST /api/events count as motion of
 * the channel. By default one event is raised when motion begins; if the channel's settings say so, separate events for start
 * and end.
 */
export class MotionEvents {
  readonly #options: MotionEventsOptions;
  /** Channels with motion for which a start was reported. */
  readonly #moving = new Set<Guid>();
  #motion: { close(): void } | undefined;
  #zones: { close(): void } | undefined;
  #events: EventSubscription | undefined;

  constructor(options: MotionEventsOptions) {
    this.#options = options;
  }

  start(): void {
    const { events, motion } = this.#options;
    this.#motion = motion.onMotion((change) => this.#report(change));
    this.#zones = motion.onZone((change) => this.#reportZone(change));
    this.#events = events.onEvent((event) => this.#hear(event));
  }

  stop(): void {
    this.#motion?.close();
    this.#zones?.close();
    this.#events?.close();
  }

  #report(change: MotionChange): void {
    if (this.#concernsPeople(change)) this.#raise(change);
  }

  /** In a zone of the recorder's, each of which has a name, while something moves in another one. */
  #reportZone(change: MotionChange): void {
    const { channelId, source, zone } = change;
    const isSeen = this.#options.motion
      .seen(channelId)
      .some((claim) => claim.source === source && claim.zone !== zone);
    if (source === "recorder" && zone !== "" && isSeen && this.#moving.has(channelId)) this.#raise(change);
  }

  #raise(change: MotionChange): void {
    const { site, events } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === change.channelId);
    if (camera === undefined) return;
    // The external program's event already reports it, and so does that of the finding.
    if (change.active && change.source !== "external" && change.source !== "analysis")
      events.raise(this.#event(EVENT_TYPES.motionDetected.id, change));
    if (cameraOptions(camera).analyze.motionDetector?.startAndEndEventsEnabled !== true) return;
    const { motionStarted, motionEnded } = EVENT_TYPES;
    events.raise(this.#event(change.active ? motionStarted.id : motionEnded.id, change));
  }

  /**
   * A detector without a usable picture has not detected motion: recording for that reason causes no motion event, at start or
   * end.
   */
  #concernsPeople({ channelId, source, active }: MotionChange): boolean {
    if (!active) return this.#moving.delete(channelId);
    if (source !== "blind") this.#moving.add(channelId);
    return source !== "blind";
  }

  #event(typeId: Guid, change: MotionChange) {
    const { channelId, source, timeUs, zone } = change;
    const { site, clock } = this.#options;
    const fields = fieldsOf(change);
    const text = SOURCE_TEXTS[source];
    return {
      typeId,
      ...channelOf(site.current, channelId),
      timeUs: nearTime(timeUs, clock),
      comment: zone === "" ? text : `${zone}: ${text}`,
      ...(fields === undefined ? {} : { fields }),
    };
  }

  #hear(event: EventRecord): void {
    if (event.typeId !== EVENT_TYPES.motionDetected.id || event.initiator.type !== EXTERNAL_MODULE) return;
    const { site, motion, clock } = this.#options;
    const { channelId, timeUs } = event;
    if (!site.current.cameras.some(({ id }) => id === channelId) || nearTime(timeUs, clock) !== timeUs)
      return;
    const zone = event.fields?.Zoneid;
    motion.report(
      { channelId, source: "external", active: true, timeUs, zone: typeof zone === "string" ? zone : "" },
      EXTERNAL_MOTION_MS,
    );
  }
}

/** Members with the spelling of analytics events. */
function fieldsOf({ zone, zoneId = parseGuid(zone), box }: MotionChange): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  if (zoneId !== undefined) fields.Zoneid = zoneId;
  if (box !== undefined) {
    fields.Left = relative(box.left);
    fields.Top = relative(box.top);
    fields.Width = relative(box.width);
    fields.Height = relative(box.height);
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Relative coordinates are formatted with a decimal comma. */
function relative(value: number): string {
  return `${Math.round(value * BOX_STEPS) / BOX_STEPS}`.replace(".", ",");
}
