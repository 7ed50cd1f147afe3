import type { CameraEvent, CameraEvents } from "../../camera/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { MotionStates } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";
import { channelOf } from "./event-mapping.js";

/** Duration of motion that a camera reports without an end. */
const MOMENT_OF_MOTION_MS = 5000;

/** Event types for start and end; momentary events have the first. */
const TYPES = {
  tampering: [EVENT_TYPES.tamperingStarted, EVENT_TYPES.tamperingEnded],
  input: [EVENT_TYPES.inputActivated, EVENT_TYPES.inputDeactivated],
  rule: [EVENT_TYPES.ruleTriggered, EVENT_TYPES.ruleEnded],
} as const;

export interface CameraEventSourcesOptions {
  readonly cameras: CameraEvents;
  readonly motion: MotionStates;
  readonly events: EventLog;
  readonly site: SiteStore;
}

/** Routes cameras' messages: motion to the recording decision, all else to the event log. */
export class CameraEventSources {
  readonly #options: CameraEventSourcesOptions;

  constructor(options: CameraEventSourcesOptions) {
    this.#options = options;
  }

  start(): void {
    const { cameras, motion } = this.#options;
    cameras.start({
      tell: (event) => this.#take(event),
      forgetMotion: (channelId) => motion.forget("camera", channelId),
    });
  }

  stop(): Promise<void> {
    return this.#options.cameras.stop();
  }

  #take(event: CameraEvent): void {
    const { motion, events, site } = this.#options;
    const { kind, channelId, name, active, detail, timeUs } = event;
    if (kind === "motion") {
      const claimMs = active === undefined ? MOMENT_OF_MOTION_MS : undefined;
      const change = { channelId, source: "camera", active: active ?? true, timeUs, zone: name } as const;
      motion.report(change, claimMs);
      return;
    }
    const [began, ended] = TYPES[kind];
    events.raise({
      typeId: active === false ? ended.id : began.id,
      ...channelOf(site.current, channelId),
      timeUs,
      comment: detail === "" ? name : `${name}: ${detail}`,
    });
  }
}
