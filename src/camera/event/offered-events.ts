import { type Clock, type Guid, NvrdError, Semaphore } from "../../base/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { CameraDevices } from "../device/camera-devices.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { connectionOf } from "../device/stream-address.js";
import { withDevice } from "../device/with-device.js";
import { isUnsupported } from "../soap/soap-answer.js";
import { type OfferedTopic, offeredTopics } from "./event-properties.js";
import { type EventSetting, missingSetting } from "./taken-events.js";

const CALL_MS_MAX = 10_000;
/** Questions to cameras at once, and those that wait for their turn. */
const ASKED_MAX = 4;
const WAITING_MAX = 16;
const ACTION = "http://www.onvif.org/ver10/events/wsdl/EventPortType/GetEventPropertiesRequest";

/** An event that a camera offers, and what becomes of it. */
export interface OfferedEvent extends OfferedTopic {
  readonly isUsed: boolean;
  /** The setting of the camera without which it is not used; undefined: it depends on none that is off. */
  readonly setting: EventSetting | undefined;
}

/** Which events cameras offer. */
export interface EventOffers {
  /** Asks the camera. Rejects with NvrdError: NOT_SUPPORTED, NOT_AVAILABLE, TOO_MANY_REQUESTS. */
  of(channelId: Guid, signal: AbortSignal): Promise<readonly OfferedEvent[]>;
}

export interface OfferedEventsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
}

/** The events of ONVIF cameras, as the cameras list them. */
export class OfferedEvents implements EventOffers {
  readonly #options: OfferedEventsOptions;
  readonly #turns = new Semaphore({ atOnce: ASKED_MAX, waitingMax: WAITING_MAX });

  constructor(options: OfferedEventsOptions) {
    this.#options = options;
  }

  async of(channelId: Guid, signal: AbortSignal): Promise<readonly OfferedEvent[]> {
    const camera = this.#camera(channelId);
    const topics = await this.#turns.run(() => this.#topics(camera, signal));
    return topics.map((topic) => {
      const missing = topic.kinds.map((kind) => missingSetting(camera, kind));
      const isUsed = missing.includes(undefined);
      return { ...topic, isUsed, setting: isUsed ? undefined : missing[0] };
    });
  }

  #topics(camera: Camera, signal: AbortSignal): Promise<OfferedTopic[]> {
    const asked = { camera, callTimeoutMs: CALL_MS_MAX, signal };
    return withDevice(this.#options, asked, async (client, { events }) => {
      if (events.kind === "none") throw noEvents();
      const call = { service: "events", operation: "GetEventProperties", action: ACTION } as const;
      try {
        return offeredTopics(await client.call({ ...call, address: events.address, signal }));
      } catch (error) {
        throw isUnsupported(error) ? noEvents() : error;
      }
    });
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    if (connectionOf(camera) === "onvif") return camera;
    throw new NvrdError("NOT_SUPPORTED", "only ONVIF cameras list their events", { hint: "" });
  }
}

function noEvents(): NvrdError {
  return new NvrdError("NOT_SUPPORTED", "the camera does not list its events", {
    hint: "switch ONVIF events on in the camera, if it has such a setting",
  });
}
