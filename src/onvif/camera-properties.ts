import { type Clock, type Guid, US_PER_MS } from "../base/index.js";
import { EVENT_TYPES, type EventLog, type EventRecord } from "../event/index.js";
import type { StreamDirectory } from "../live/index.js";
import type { Camera, SiteStore } from "../site/index.js";
import { TOKENS } from "./profiles.js";
import type { PropertyMessage } from "./pull-point.js";

export const TOPICS = {
  motion: "VideoSource/MotionAlarm",
  lost: "VideoSource/SignalLoss",
  input: "Device/Trigger/DigitalInput",
} as const;

/** Characters of an input's name in its token, which has at most 64. */
const INPUT_NAME_MAX = 20;
/** Inputs whose state is remembered. */
const INPUTS_MAX = 1024;

export interface CameraPropertiesOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly events: Pick<EventLog, "onEvent">;
  readonly motion: MotionView;
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

/** A change of a property; `event`: what the log has of it, if it comes from there. */
export type PropertyListener = (message: PropertyMessage, event: EventRecord | undefined) => void;

/** What clients are told of cameras: motion, the connection, digital inputs. */
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
        this.#tell(motionMessage(channelId, active, "Changed", timeUs / US_PER_MS)),
      ),
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
    const { motion, streams, clock } = this.#options;
    const nowMs = clock.nowUs() / US_PER_MS;
    const ofCameras = cameras.flatMap(({ id }) => {
      const state = streams.stream(id, "Main")?.state.state;
      return [
        motionMessage(id, motion.isActive(id), "Initialized", nowMs),
        lostMessage(id, state === "lost", "Initialized", nowMs),
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
    const { typeId, channelId, timeUs } = event;
    const timeMs = timeUs / US_PER_MS;
    if (typeId === EVENT_TYPES.cameraLost.id || typeId === EVENT_TYPES.cameraBack.id) {
      this.#tell(lostMessage(channelId, typeId === EVENT_TYPES.cameraLost.id, "Changed", timeMs), event);
      return;
    }
    const active = typeId === EVENT_TYPES.inputActivated.id;
    if (!active && typeId !== EVENT_TYPES.inputDeactivated.id) return;
    const token = inputToken(event);
    this.#inputs.set(token, { channelId, active });
    if (this.#inputs.size > INPUTS_MAX)
      for (const oldest of this.#inputs.keys()) {
        this.#inputs.delete(oldest);
        break;
      }
    this.#tell(inputMessage({ channelId, token, active }, "Changed", timeMs), event);
  }

  #tell(message: PropertyMessage, event?: EventRecord): void {
    for (const listener of this.#listeners) listener(message, event);
  }
}

type Operation = PropertyMessage["operation"];

function motionMessage(
  channelId: Guid,
  active: boolean,
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.motion, channelId, operation, timeMs },
    source: ["Source", TOKENS.videoSource(channelId)],
    data: ["State", String(active)],
  };
}

function lostMessage(
  channelId: Guid,
  isLost: boolean,
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.lost, channelId, operation, timeMs },
    source: ["Source", TOKENS.videoSource(channelId)],
    data: ["State", String(isLost)],
  };
}

function inputMessage(
  {
    channelId,
    token,
    active,
  }: { readonly channelId: Guid; readonly token: string; readonly active: boolean },
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.input, channelId, operation, timeMs },
    source: ["InputToken", token],
    data: ["LogicalState", String(active)],
  };
}

/** A camera may have several inputs; the event names which one. */
function inputToken({ channelId, comment }: EventRecord): string {
  const name = (comment.split(": ", 1)[0] ?? "").replace(/[^\w.-]+/g, "-").slice(0, INPUT_NAME_MAX);
  return name === "" ? TOKENS.input(channelId) : `${TOKENS.input(channelId)}_${name}`;
}
