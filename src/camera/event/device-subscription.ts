import { randomUUID } from "node:crypto";
import { type Clock, US_PER_MS } from "../../base/index.js";
import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import type { AddressCorrection } from "../onvif/address-correction.js";
import { isUnsupported } from "../soap/soap-answer.js";
import type { SoapCall, SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";
import { timeMs } from "./camera-event-message.js";

/** Bounds applied to the duration that a camera reports, in milliseconds. */
const LIFETIME_MS_MIN = 10_000;
const LIFETIME_MS_MAX = 3_600_000;
/** Maximum length of reference parameters, in characters. */
const REFERENCE_LENGTH_MAX = 2048;
/** The same with the namespaces that they use. */
const DECLARED_LENGTH_MAX = 8192;

/** How a device fails what it does not do. */
const ANSWERED_KINDS: ReadonlySet<CameraFailureKind> = new Set(["refused", "not-onvif", "bad-answer"]);

const EVENTS = "http://www.onvif.org/ver10/events/wsdl";
const NOTIFICATION = "http://docs.oasis-open.org/wsn/bw-2";
export const ADDRESSING = "http://www.w3.org/2005/08/addressing";
const ACTIONS = {
  CreatePullPointSubscription: `${EVENTS}/EventPortType/CreatePullPointSubscriptionRequest`,
  PullMessages: `${EVENTS}/PullPointSubscription/PullMessagesRequest`,
  SetSynchronizationPoint: `${EVENTS}/PullPointSubscription/SetSynchronizationPointRequest`,
  Subscribe: `${NOTIFICATION}/NotificationProducer/SubscribeRequest`,
  Renew: `${NOTIFICATION}/SubscriptionManager/RenewRequest`,
  Unsubscribe: `${NOTIFICATION}/SubscriptionManager/UnsubscribeRequest`,
} as const;

type Operation = keyof typeof ACTIONS;

export interface DeviceSubscriptionOptions {
  readonly client: SoapClient;
  readonly correction: AddressCorrection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Each question for messages extends it: a renewal that fails says nothing of it. */
  readonly isPulled: boolean;
  /** Requested duration. A camera has few subscriptions, so one whose recorder is gone must end soon. */
  readonly seconds: number;
}

/**
 * The address and the duration of a subscription (WS-BaseNotification 1.3, 3.2 and 6.1). All its times are from the device's
 * clock, and only their differences are used, so that a wrong or adjusted clock does no harm. All methods reject with
 * CameraFailure.
 */
export class DeviceSubscription {
  readonly #options: DeviceSubscriptionOptions;
  #address = "";
  #references = "";
  /** By our monotonic clock. */
  #renewAtUs = 0;
  #endsAtUs = 0;
  #grantedMs = 0;
  #canRenew = true;

  constructor(options: DeviceSubscriptionOptions) {
    this.#options = options;
  }

  /** The device has created it. */
  get isMade(): boolean {
    return this.#address !== "";
  }

  /** Milliseconds until it ends. */
  get leftMs(): number {
    return (this.#endsAtUs - this.#options.clock.monotonicUs()) / US_PER_MS;
  }

  /** Milliseconds until it is to be renewed. */
  get renewalMs(): number {
    return (this.#renewAtUs - this.#options.clock.monotonicUs()) / US_PER_MS;
  }

  /** Creates it at `address`; `content` precedes the requested duration. */
  async make(
    operation: "CreatePullPointSubscription" | "Subscribe",
    { address, content = "" }: { readonly address: string; readonly content?: string },
  ): Promise<void> {
    const { correction, seconds } = this.#options;
    const response = await this.call(operation, {
      address,
      content: `${content}<m:InitialTerminationTime>PT${seconds}S</m:InitialTerminationTime>`,
      service: operation === "Subscribe" ? "notification" : "events",
    });
    const named = response.at("SubscriptionReference", "Address")?.rawText ?? "";
    const reached = correction.http(named);
    if (reached === undefined)
      throw new CameraFailure("bad-answer", "the camera returned no usable address for its subscription");
    this.#address = reached;
    this.#references = referenceParametersOf(response.at("SubscriptionReference", "ReferenceParameters"));
    this.#learn(response, true);
  }

  /** Renews it after half of the granted or requested duration. Returns whether a request was sent. */
  async keep(): Promise<boolean> {
    if (this.renewalMs > 0) return false;
    if (!this.#canRenew) {
      if (this.leftMs > 0) return false;
      throw new CameraFailure(
        "interrupted",
        "the camera's subscription ended, and the camera cannot renew it",
      );
    }
    try {
      const content = `<m:TerminationTime>PT${this.#options.seconds}S</m:TerminationTime>`;
      this.#learn(await this.call("Renew", { service: "notification", content }), true);
    } catch (error) {
      const isAnswered = error instanceof CameraFailure && ANSWERED_KINDS.has(error.kind);
      if (!isUnsupported(error) && !(this.#options.isPulled && isAnswered)) throw error;
      // Such devices extend a pull point with each PullMessages, which fails where it is gone.
      this.#canRenew = false;
    }
    return true;
  }

  /** Takes the remaining time from an answer. */
  learn(response: XmlElement): void {
    this.#learn(response, false);
  }

  /** Unsubscribes. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.isMade) await this.call("Unsubscribe", { service: "notification", signal });
  }

  /** Calls an optional operation. */
  async optional(operation: Operation): Promise<void> {
    try {
      await this.call(operation, {});
    } catch (error) {
      if (!(error instanceof CameraFailure) || error.kind !== "refused") throw error;
    }
  }

  /** Calls an operation of the subscription, or at `call.address`. */
  call(operation: Operation, call: Partial<SoapCall>): Promise<XmlElement> {
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

  /** `granted`: the answer has a newly granted duration, not the rest of one. */
  #learn(response: XmlElement, granted: boolean): void {
    const [current, end] = [timeMs(response.text("CurrentTime")), timeMs(response.text("TerminationTime"))];
    const isStated = current !== undefined && end !== undefined;
    if (!isStated && !granted) return;
    const statedMs = isStated ? end - current : this.#options.seconds * 1000;
    const leftMs = Math.min(granted ? Math.max(statedMs, LIFETIME_MS_MIN) : statedMs, LIFETIME_MS_MAX);
    if (granted) this.#grantedMs = leftMs;
    // If more was granted than requested, it is still renewed at the requested interval, to find out whether the device knows
    // it.
    const untilRenewalMs = granted
      ? Math.min(leftMs, this.#options.seconds * 1000) / 2
      : leftMs - this.#grantedMs / 2;
    const nowUs = this.#options.clock.monotonicUs();
    this.#endsAtUs = nowUs + leftMs * US_PER_MS;
    this.#renewAtUs = nowUs + untilRenewalMs * US_PER_MS;
  }
}

/**
 * The reference parameters of a subscription, as they are to be sent back in the header of each request to it
 * (WS-Addressing 1.0 SOAP Binding, 3.4): the device's own elements, which only it understands. Empty where there are none,
 * or they are too long.
 */
export function referenceParametersOf(parameters: XmlElement | undefined): string {
  const inner = parameters?.source ?? "";
  if (inner === "" || inner.length > REFERENCE_LENGTH_MAX || inner.includes("<!")) return "";
  const declared = new Set([...inner.matchAll(/\sxmlns:([\w.-]+)=/g)].map((found) => found[1]));
  const prefixes = new Set([...inner.matchAll(/<([\w.-]+):/g)].map((found) => found[1] ?? ""));
  const around = parameters?.namespaces;
  let declarations = "";
  for (const prefix of prefixes) {
    if (declared.has(prefix)) continue;
    const namespace = around?.get(prefix) ?? "";
    if (!/^[^"'<]{1,300}$/.test(namespace)) return "";
    declarations += ` xmlns:${prefix}="${namespace}"`;
  }
  if (declarations === "") return inner;
  const starts = inner.match(/<[\w.-]+:/g)?.length ?? 0;
  if (inner.length + starts * declarations.length > DECLARED_LENGTH_MAX) return "";
  return inner.replace(/<([\w.-]+:[\w.-]+)/g, `<$1${declarations}`);
}
