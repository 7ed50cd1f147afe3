import type { PtzControl } from "../../../camera/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import {
  MotionDetectors,
  type MotionDetectorsOptions,
  type MotionDetectorsState,
  type MotionSight,
} from "../../../recording/index.js";
import { channelOf } from "../../report/event-mapping.js";

export interface MotionDetectionOptions extends Omit<MotionDetectorsOptions, "onSight"> {
  readonly events: EventLog;
  /** Says when cameras are moved. */
  readonly ptz: Pick<PtzControl, "onMove">;
}

/** The recorder's own motion detectors, and the events when they get no usable picture. */
export class MotionDetection {
  readonly #options: MotionDetectionOptions;
  readonly #detectors: MotionDetectors;

  constructor(options: MotionDetectionOptions) {
    this.#options = options;
    this.#detectors = new MotionDetectors({ ...options, onSight: (sight) => this.#report(sight) });
    options.ptz.onMove((channelId, forMs) => this.#detectors.hold(channelId, forMs));
  }

  get state(): MotionDetectorsState {
    return this.#detectors.state;
  }

  start(): void {
    this.#detectors.start();
  }

  stop(): void {
    this.#detectors.stop();
  }

  #report({ channelId, blindBecause }: MotionSight): void {
    const { events, site } = this.#options;
    const { motionDetectorBlind, motionDetectorSees } = EVENT_TYPES;
    events.raise({
      typeId: blindBecause === undefined ? motionDetectorSees.id : motionDetectorBlind.id,
      ...channelOf(site.current, channelId),
      ...(blindBecause === undefined ? {} : { comment: blindBecause }),
    });
  }
}
