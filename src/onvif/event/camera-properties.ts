import { type Clock, type Guid, type SeenKind, US_PER_MS } from "../../base/index.js";
import type { EventLog, EventRecord } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import {
  crossingOf,
  inputMessage,
  lostMessage,
  messageOf,
  motionMessage,
  type PropertyMessage,
  TOPICS,
} from "./property-message.js";
import { seenMessage } from "./seen-properties.js";

/** Inputs whose state is remembered. */
const INPUTS_MAX = 1024;

export interface CameraPropertiesOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly events: Pick<EventLog, "onEvent">;
  readonly motion: MotionView;
  readonly seen: SeenView;
  readonly streams: StreamDirectory;
  readonly clock: Clock;
}

/** Where something moves now. */
export interface MotionView {
  isActive(channelId: Guid): boolean;
  onMotion(
    listener: (change: {
      readonly channelId: Guid;
      readonly active: boolean;
      readonly timeUs: number;
    }) => void,
  ): { close(): void };
}

/** What cameras report besides motion. */
export interface SeenView {
  of(channelId: Guid): ReadonlyMap<SeenKind, boolean>;
  onChange(listener: (channelId: Guid, kind: SeenKind, active: boolean) => void): { close(): void };
}

/** A change of a property; `event`: what the log has of it, if it comes from there. */
export type PropertyListener = (message: PropertyMessage, event: EventRecord | undefined) => void;

/** What clients are notified of: motion, the connection, digital inputs, and what the cameras themselves report. */
export class CameraProperties {
  readonly #options: CameraPropertiesOptions;
  readonly #listeners = new Set<PropertyListener>();
  /** States of digital inputs as they were reported last, by token. */
  readonly #inputs = new Map<string, { readonly channelId: Guid; readonly active: boolean }>();
  readonly #sources: readonly { close(): void }[];

  constructor(options: CameraPropertiesOptions) {
    this.#options = options;
    this.#sources = [
      options.motion.onMotion(({ channelId, active, timeUs }) =>
        this.#notify(motionMessage(channelId, active, "Changed", timeUs / US_PER_MS)),
      ),
      options.seen.onChange((channelId, kind, active) => {
        const nowMs = options.clock.nowUs() / US_PER_MS;
        const message = seenMessage({ channelId, kind, active }, "Changed", nowMs);
        if (message !== undefined) this.#notify(message);
      }),
      options.events.onEvent((event) => this.#onEvent(event)),
    ];
  }

  stop(): void {
    for (const source of this.#sources) source.close();
    this.#listeners.clear();
  }

  onChange(listener: PropertyListener): void {
    this.#listeners.add(listener);
  }

  /** What is so now, of these cameras. */
  now(cameras: readonly Camera[]): readonly PropertyMessage[] {
    const { motion, seen, streams, clock } = this.#options;
    const nowMs = clock.nowUs() / US_PER_MS;
    const ofCameras = cameras.flatMap(({ id }) => {
      const state = streams.stream(id, "Main")?.state.state;
      return [
        motionMessage(id, motion.isActive(id), "Initialized", nowMs),
        lostMessage(id, state === "lost", "Initialized", nowMs),
        ...[...seen.of(id)].flatMap(
          ([kind, active]) => seenMessage({ channelId: id, kind, active }, "Initialized", nowMs) ?? [],
        ),
      ];
    });
    const ids = new Set(cameras.map(({ id }) => id));
    const inputs = [...this.#inputs]
      .filter(([, { channelId }]) => ids.has(channelId))
      .map(([token, { channelId, active }]) =>
        inputMessage({ channelId, token, active }, "Initialized", nowMs),
      );
    return [...ofCameras, ...inputs];
  }

  #onEvent(event: EventRecord): void {
    const crossing = crossingOf(event);
    if (crossing !== undefined) this.#notify(crossing, event);
    const message = messageOf(event);
    // Motion is reported as it is found; whether the log has it is a setting of the camera.
    if (message === undefined || message.topic === TOPICS.motion) return;
    const { topic, channelId, source, data } = message;
    if (topic === TOPICS.input) this.#inputs.set(source[1], { channelId, active: data[1] === "true" });
    if (this.#inputs.size > INPUTS_MAX)
      for (const oldest of this.#inputs.keys()) {
        this.#inputs.delete(oldest);
        break;
      }
    this.#notify(message, event);
  }

  #notify(message: PropertyMessage, event?: EventRecord): void {
    for (const listener of this.#listeners) listener(message, event);
  }
}
