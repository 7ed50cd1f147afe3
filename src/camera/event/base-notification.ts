import { type Clock, type Log, pauseUnlessAborted, US_PER_SECOND } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { AddressCorrection } from "../onvif/address-correction.js";
import type { Contact } from "../soap/http-exchange.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import { readXml } from "../xml/xml-reader.js";
import { XmlError } from "../xml/xml-tokens.js";
import { type CameraEventMessage, messagesOf } from "./camera-event-message.js";
import { ADDRESSING, DeviceSubscription } from "./device-subscription.js";
import type { MessageSource, Pulled } from "./message-source.js";
import type { ConsumerReference, NotificationConsumer } from "./notification-consumer.js";

/** Requested duration of a subscription. A reboot may go unnoticed for half of it. */
const SUBSCRIPTION_SECONDS = 60;
/** Queue limits per device; the queue is read at most every tenth of a second. */
const WAITING_MAX = 256;
const WAITING_BYTES_MAX = 1024 * 1024;
/** Shortest wait for messages, in milliseconds. */
const WAIT_MS_MIN = 100;
/** A device that missed our answer sends the same again within so long. */
const RETRY_US_MAX = 30 * US_PER_SECOND;
/** How devices fail an optional operation that they do not have. */
const NOT_SUPPORTED_KINDS: ReadonlySet<string> = new Set(["refused", "not-onvif", "bad-answer"]);

export interface BaseNotificationOptions {
  readonly client: SoapClient;
  /** Address of the events service. */
  readonly address: string;
  readonly correction: AddressCorrection;
  readonly consumer: NotificationConsumer;
  /** Only TLS is allowed. */
  readonly secureOnly: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
}

interface Notify {
  readonly body: Buffer;
  readonly charset: string | undefined;
}

/** A subscription whose messages the device pushes (WS-BaseNotification 1.3, 4; ONVIF Core, 9.1). */
export class BaseNotification implements MessageSource {
  readonly #options: BaseNotificationOptions;
  readonly #subscription: DeviceSubscription;
  readonly #waiting: Notify[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #reference: ConsumerReference | undefined;
  #contact: Contact | undefined;
  /** The last body, and when it came: by the monotonic clock. */
  #last: Buffer = Buffer.alloc(0);
  #lastUs = 0;
  #isUnreadableLogged = false;

  constructor(options: BaseNotificationOptions) {
    const { client, correction, clock, signal } = options;
    this.#options = options;
    this.#subscription = new DeviceSubscription({
      client,
      correction,
      clock,
      isPulled: false,
      signal,
      seconds: SUBSCRIPTION_SECONDS,
    });
  }

  get isOpen(): boolean {
    return this.#subscription.isMade;
  }

  /** Requires an earlier request to the device: its connection shows our local address. */
  async open(): Promise<void> {
    const { address, client, consumer, secureOnly } = this.#options;
    if (secureOnly)
      throw new CameraFailure(
        "insecure",
        "the camera only pushes its events, without encryption, and the settings ask for a secure connection",
      );
    const { contact } = client;
    if (contact === undefined)
      throw new CameraFailure("unreachable", "the connection to the camera was lost: retrying");
    this.#contact = contact;
    // Registered before subscribing, because the first messages may come before the answer.
    this.#reference = await consumer.expect({
      local: contact.local,
      device: contact.remote,
      take: (body, charset) => this.#take({ body, charset }),
    });
    const reference = escapeXml(this.#reference.address);
    const content =
      `<m:ConsumerReference><wsa:Address xmlns:wsa="${ADDRESSING}">${reference}</wsa:Address>` +
      `</m:ConsumerReference>`;
    await this.#subscription.make("Subscribe", { address, content });
    await this.#askForStates();
  }

  async pull(waitMs: number): Promise<Pulled> {
    if (await this.#subscription.keep()) this.#checkContact();
    if (this.#waiting.length === 0) await this.#wait(Math.min(waitMs, this.#subscription.renewalMs));
    const taken = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const messages: CameraEventMessage[] = [];
    for (const notify of taken) messages.push(...(await this.#read(notify)));
    // A Notify does not carry the device's clock, and comes as soon as there is news: its time is now.
    return { messages, deviceMs: undefined };
  }

  close(signal: AbortSignal): Promise<void> {
    return this.#subscription.end(signal);
  }

  async release(): Promise<void> {
    const reference = this.#reference;
    this.#reference = undefined;
    await reference?.close();
  }

  #take(notify: Notify): boolean {
    const { length } = notify.body;
    if (this.#waiting.length >= WAITING_MAX || this.#waitingBytes + length > WAITING_BYTES_MAX) return false;
    this.#waiting.push(notify);
    this.#waitingBytes += length;
    this.#wake?.();
    return true;
  }

  async #wait(waitMs: number): Promise<void> {
    const { clock, signal } = this.#options;
    if (signal.aborted) return;
    const over = new AbortController();
    const end = (): void => over.abort();
    this.#wake = end;
    signal.addEventListener("abort", end);
    await pauseUnlessAborted(clock, Math.max(waitMs, WAIT_MS_MIN), over.signal);
    signal.removeEventListener("abort", end);
    this.#wake = undefined;
  }

  async #read({ body, charset }: Notify): Promise<CameraEventMessage[]> {
    const nowUs = this.#options.clock.monotonicUs();
    // Where its clock stands still, the same text says that the same happens again.
    const isRepeated = body.equals(this.#last) && nowUs - this.#lastUs <= RETRY_US_MAX;
    this.#last = body;
    this.#lastUs = nowUs;
    try {
      const { clock, signal } = this.#options;
      const document = await readXml(body, { peer: this.#contact?.remote ?? "", charset, clock, signal });
      const notify = document.at("Envelope", "Body", "Notify");
      if (notify === undefined) throw new XmlError("it is not a Notify");
      const messages = messagesOf(notify);
      return isRepeated && messages.every(({ deviceMs }) => deviceMs !== undefined) ? [] : messages;
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      if (!this.#isUnreadableLogged && !this.#options.signal.aborted)
        this.#options.log.warn(`an event message of the camera cannot be read: ${error.message}`);
      this.#isUnreadableLogged = true;
      return [];
    }
  }

  /** The states come as Initialized. A device without this operation reports a state when it changes. */
  async #askForStates(): Promise<void> {
    try {
      await this.#subscription.call("SetSynchronizationPoint", {});
    } catch (error) {
      if (!(error instanceof CameraFailure) || !NOT_SUPPORTED_KINDS.has(error.kind)) throw error;
    }
  }

  /** After a change of our address, the device would still send to the old one. */
  #checkContact(): void {
    const { contact } = this.#options.client;
    if (contact?.local !== this.#contact?.local || contact?.remote !== this.#contact?.remote)
      throw new CameraFailure("interrupted", "the recorder's or the camera's address has changed");
  }
}
