import { randomUUID } from "node:crypto";
import type { Clock } from "../base/index.js";
import { type CameraEventMessage, messagesOf, timeMs } from "./camera-event-message.js";
import { CameraFailure } from "./camera-failure.js";
import type { AddressCorrection } from "./onvif/address-correction.js";
import { isUnsupported } from "./onvif/soap-answer.js";
import type { SoapCall, SoapClient } from "./onvif/soap-client.js";
import { escapeXml } from "./onvif/soap-envelope.js";
import type { XmlElement } from "./onvif/xml-element.js";
import { referenceParametersOf } from "./pull-point-reference.js";

/** How long a subscription is asked for: a recorder that is gone holds none of the few a camera has for longer. */
const SUBSCRIPTION_SECONDS = 120;
/** Shortest and longest that a camera's word for it is believed, in milliseconds. */
const LIFETIME_MS_MIN = 10_000;
const LIFETIME_MS_MAX = 3_600_000;
/** Most messages of one answer. */
const MESSAGES_MAX = 100;
const MICROSECONDS_PER_MILLISECOND = 1000;

const EVENTS = "http://www.onvif.org/ver10/events/wsdl";
const MANAGER = "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager";
const ADDRESSING = "http://www.w3.org/2005/08/addressing";
const ACTIONS = {
  CreatePullPointSubscription: `${EVENTS}/EventPortType/CreatePullPointSubscriptionRequest`,
  PullMessages: `${EVENTS}/PullPointSubscription/PullMessagesRequest`,
  SetSynchronizationPoint: `${EVENTS}/PullPointSubscription/SetSynchronizationPointRequest`,
  Renew: `${MANAGER}/RenewRequest`,
  Unsubscribe: `${MANAGER}/UnsubscribeRequest`,
} as const;

export interface PullPointOptions {
  readonly client: SoapClient;
  /** Of the events service. */
  readonly address: string;
  readonly correction: AddressCorrection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Pulled {
  readonly messages: readonly CameraEventMessage[];
  /** The device's clock when it answered, Unix milliseconds; undefined where it does not tell. */
  readonly deviceMs: number | undefined;
}

/**
 * One subscription at a device (ONVIF Core, 9.2). All its times are the device's own, so that only their differences
 * count: a clock that is wrong, or set meanwhile, ends nothing. Everything rejects with CameraFailure.
 */
export class PullPoint {
  readonly #options: PullPointOptions;
  #address = "";
  #references = "";
  /** By our monotonic clock. */
  #renewAtUs = 0;
  #endsAtUs = 0;
  #grantedMs = 0;
  #canRenew = true;

  constructor(options: PullPointOptions) {
    this.#options = options;
  }

  /** The device has made it. */
  get isOpen(): boolean {
    return this.#address !== "";
  }

  async open(): Promise<void> {
    const { address, correction } = this.#options;
    let body: Buffer<ArrayBufferLike> = Buffer.alloc(0);
    const response = await this.#call("CreatePullPointSubscription", {
      address,
      content: `<m:InitialTerminationTime>PT${SUBSCRIPTION_SECONDS}S</m:InitialTerminationTime>`,
      onAnswer: (bytes) => {
        body = bytes;
      },
    });
    const named = response.at("SubscriptionReference", "Address")?.rawText ?? "";
    const reached = correction.http(named);
    if (reached === undefined)
      throw new CameraFailure("bad-answer", "the camera gives no usable address of its subscription");
    this.#address = reached;
    this.#references = referenceParametersOf(body.toString("utf8"));
    this.#learnLifetime(response, true);
    await this.#optional("SetSynchronizationPoint");
  }

  /** Waits up to `waitMs` for messages. */
  async pull(waitMs: number): Promise<Pulled> {
    const { clock } = this.#options;
    if (clock.monotonicUs() >= this.#renewAtUs) await this.#renew();
    const leftMs = (this.#endsAtUs - clock.monotonicUs()) / MICROSECONDS_PER_MILLISECOND;
    const seconds = Math.max(1, Math.floor(Math.min(waitMs, leftMs / 3) / 1000));
    const response = await this.#call("PullMessages", {
      content: `<m:Timeout>PT${seconds}S</m:Timeout><m:MessageLimit>${MESSAGES_MAX}</m:MessageLimit>`,
    });
    this.#learnLifetime(response);
    return { messages: messagesOf(response), deviceMs: timeMs(response.text("CurrentTime")) };
  }

  /** Lets the device forget it. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.isOpen) await this.#call("Unsubscribe", { service: "notification", signal });
  }

  async #renew(): Promise<void> {
    if (!this.#canRenew) {
      if (this.#options.clock.monotonicUs() < this.#endsAtUs) return;
      throw new CameraFailure("interrupted", "the camera's subscription ended, and it renews none");
    }
    try {
      const content = `<m:TerminationTime>PT${SUBSCRIPTION_SECONDS}S</m:TerminationTime>`;
      this.#learnLifetime(await this.#call("Renew", { service: "notification", content }), true);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      // Such devices make it last with each PullMessages.
      this.#canRenew = false;
    }
  }

  /** Takes the device's word for how long it lasts: `granted` as asked for, or what is left of that. */
  #learnLifetime(response: XmlElement, granted = false): void {
    const [current, end] = [timeMs(response.text("CurrentTime")), timeMs(response.text("TerminationTime"))];
    const isTold = current !== undefined && end !== undefined;
    if (!isTold && !granted) return;
    const told = isTold ? end - current : SUBSCRIPTION_SECONDS * 1000;
    const leftMs = Math.min(granted ? Math.max(told, LIFETIME_MS_MIN) : told, LIFETIME_MS_MAX);
    if (granted) this.#grantedMs = leftMs;
    this.#endsAtUs = this.#options.clock.monotonicUs() + leftMs * MICROSECONDS_PER_MILLISECOND;
    this.#renewAtUs = this.#endsAtUs - (this.#grantedMs / 2) * MICROSECONDS_PER_MILLISECOND;
  }

  async #optional(operation: keyof typeof ACTIONS): Promise<void> {
    try {
      await this.#call(operation, {});
    } catch (error) {
      if (!(error instanceof CameraFailure) || error.kind !== "refused") throw error;
    }
  }

  #call(operation: keyof typeof ACTIONS, call: Partial<SoapCall>): Promise<XmlElement> {
    const { client, signal } = this.#options;
    const address = call.address ?? this.#address;
    const action = ACTIONS[operation];
    const headers =
      `<wsa:Action xmlns:wsa="${ADDRESSING}">${action}</wsa:Action>` +
      `<wsa:MessageID xmlns:wsa="${ADDRESSING}">urn:uuid:${randomUUID()}</wsa:MessageID>` +
      `<wsa:To xmlns:wsa="${ADDRESSING}">${escapeXml(address)}</wsa:To>` +
      (call.address === undefined ? this.#references : "");
    return client.call({ service: "events", signal, ...call, address, operation, action, headers });
  }
}
