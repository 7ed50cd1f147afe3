import type { Guid } from "../../base/index.js";
import type { CameraEvent, CameraEvents } from "../../camera/index.js";
import { EVENT_TYPES, type EventKind, type EventLog, seenTypeNames, seenTypes } from "../../event/index.js";
import {
  type MotionChange,
  type MotionStates,
  SEEN_MOMENT_MS,
  type SeenStates,
} from "../../recording/index.js";
import { type Camera, isMarked, isRecordedOn, type SiteStore } from "../../site/index.js";
import { channelOf } from "./event-mapping.js";

export interface CameraEventSourcesOptions {
  readonly cameras: Pick<CameraEvents, "start" | "stop">;
  readonly motion: MotionStates;
  /** What channels are recorded on besides motion. */
  readonly seenMotion: MotionStates;
  readonly seen: SeenStates;
  readonly events: EventLog;
  readonly findings: { take(event: CameraEvent): void; forget(channelId: Guid): void };
  readonly site: SiteStore;
}

/** Routes cameras' messages: motion and what the channel is recorded on to the recording decision, the rest to the event log. */
export class CameraEventSources {
  readonly #options: CameraEventSourcesOptions;

  constructor(options: CameraEventSourcesOptions) {
    this.#options = options;
  }

  start(): void {
    const { cameras, motion, seenMotion, seen } = this.#options;
    const forgetMotion = (channelId: Guid): void => {
      motion.forget("camera", channelId);
      seenMotion.forget("seen", channelId);
    };
    cameras.start({
      report: (event) => this.#take(event),
      know: (channelId, kind) => seen.know(channelId, kind),
      forgetMotion,
      forget: (channelId) => {
        forgetMotion(channelId);
        seen.forget(channelId, "camera");
        this.#options.findings.forget(channelId);
      },
    });
  }

  stop(): Promise<void> {
    return this.#options.cameras.stop();
  }

  #take(event: CameraEvent): void {
    const { kind, channelId, isAgain = false } = event;
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined) return;
    const { motion, seenMotion } = this.#options;
    if (kind === "motion") {
      report(motion, event, { source: "camera", zone: event.name });
      return;
    }
    if (isMarked(camera, kind) || isRecordedOn(camera, kind)) this.#options.findings.take(event);
    // A person at the gate ends apart from a vehicle at the gate.
    if (isRecordedOn(camera, kind))
      report(seenMotion, event, { source: "seen", zone: seenText(kind, event.name) });
    if (!isAgain) this.#options.seen.report({ ...event, source: "camera" });
    if (!isAgain && isMarked(camera, kind)) this.#raise(camera, kind, event);
  }

  #raise({ id }: Camera, kind: EventKind, { name, active, detail, timeUs }: CameraEvent): void {
    const { events, site } = this.#options;
    const [began, ended] = seenTypes(kind);
    const typeId = active === false ? ended : began;
    events.raise({
      typeId,
      ...channelOf(site.current, id),
      timeUs,
      comment: detail === "" ? name : `${name}: ${detail}`,
      // The reference's type says so of a face that is nobody's.
      ...(typeId === EVENT_TYPES.faceRecognized.id ? { fields: { IsIdentified: "False" } } : {}),
    });
  }
}

/** `Person detected (Gate)`; the reason of a recording is written with it. */
function seenText(kind: EventKind, name: string): string {
  return `${EVENT_TYPES[seenTypeNames(kind)[0]].name} (${name})`;
}

function report(
  states: MotionStates,
  { channelId, active, timeUs, lastsMs }: CameraEvent,
  of: Pick<MotionChange, "source" | "zone">,
): void {
  const claimMs = active === undefined ? (lastsMs ?? SEEN_MOMENT_MS) : undefined;
  states.report({ ...of, channelId, active: active ?? true, timeUs }, claimMs);
}
