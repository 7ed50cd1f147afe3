import type { Clock } from "../../base/index.js";
import type { AddressCorrection } from "../onvif/address-correction.js";
import type { SoapClient } from "../soap/soap-client.js";
import { messagesOf, timeMs } from "./camera-event-message.js";
import { DeviceSubscription } from "./device-subscription.js";
import type { MessageSource, Pulled } from "./message-source.js";

/** Requested duration of a subscription. */
const SUBSCRIPTION_SECONDS = 120;
/** Maximum number of messages in one answer. */
const MESSAGES_MAX = 100;

export interface PullPointOptions {
  readonly client: SoapClient;
  /** Address of the events service. */
  readonly address: string;
  readonly correction: AddressCorrection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A subscription whose messages the device keeps until they are pulled (ONVIF Core, 9.2). */
export class PullPoint implements MessageSource {
  readonly #address: string;
  readonly #subscription: DeviceSubscription;

  constructor({ address, ...options }: PullPointOptions) {
    this.#address = address;
    this.#subscription = new DeviceSubscription({
      ...options,
      isPulled: true,
      seconds: SUBSCRIPTION_SECONDS,
    });
  }

  get isOpen(): boolean {
    return this.#subscription.isMade;
  }

  async open(): Promise<void> {
    await this.#subscription.make("CreatePullPointSubscription", { address: this.#address });
    await this.#subscription.optional("SetSynchronizationPoint");
  }

  async pull(waitMs: number): Promise<Pulled> {
    const subscription = this.#subscription;
    await subscription.keep();
    const seconds = Math.max(1, Math.floor(Math.min(waitMs, subscription.leftMs / 3) / 1000));
    const response = await subscription.call("PullMessages", {
      content: `<m:Timeout>PT${seconds}S</m:Timeout><m:MessageLimit>${MESSAGES_MAX}</m:MessageLimit>`,
    });
    subscription.learn(response);
    return { messages: messagesOf(response), deviceMs: timeMs(response.text("CurrentTime")) };
  }

  close(signal: AbortSignal): Promise<void> {
    return this.#subscription.end(signal);
  }

  /** A pull point holds no resources on our side. */
  release(): Promise<void> {
    return Promise.resolve();
  }
}
