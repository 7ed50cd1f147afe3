import type { Log } from "../../base/index.js";
import { urlHost } from "../soap/device-url.js";
import { NotifyListener, type NotifyReceiver } from "./notify-listener.js";

export interface NotificationConsumerOptions {
  /** TCP port of the listeners; 0: any free one. */
  readonly port: number;
  readonly log: Log;
}

export interface ExpectedDevice extends NotifyReceiver {
  /** Our address as the device sees us. */
  readonly local: string;
}

/** The address to which a device sends its messages, until closed. */
export interface ConsumerReference {
  readonly address: string;
  close(): Promise<void>;
}

interface Listening {
  readonly listener: Promise<NotifyListener>;
  users: number;
}

/**
 * Receives the messages of devices that push them (WS-BaseNotification 1.3, 3.1). It listens only on the local addresses used
 * by such devices, and only while messages are expected there.
 */
export class NotificationConsumer {
  readonly #options: NotificationConsumerOptions;
  readonly #listening = new Map<string, Listening>();
  /** While a listener closes, its port is not free yet. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationConsumerOptions) {
    this.#options = options;
  }

  /** Starts receiving messages of a device. Rejects with NvrdError NOT_AVAILABLE if it cannot listen. */
  async expect({ local, ...receiver }: ExpectedDevice): Promise<ConsumerReference> {
    const listening = this.#listening.get(local) ?? this.#listen(local);
    listening.users += 1;
    try {
      const listener = await listening.listener;
      const path = listener.add(receiver);
      // A zone names an interface of this machine and means nothing to a device.
      const host = urlHost(local.replace(/%.*$/, ""));
      const close = (): Promise<void> => {
        listener.remove(path);
        return this.#leave(local, listening);
      };
      return { address: `http://${host}:${listener.port}${path}`, close };
    } catch (error) {
      await this.#leave(local, listening);
      throw error;
    }
  }

  #listen(local: string): Listening {
    const { port, log } = this.#options;
    const listener = this.#closing.then(() => NotifyListener.open({ address: local, port, log }));
    const listening = { listener, users: 0 };
    this.#listening.set(local, listening);
    return listening;
  }

  async #leave(local: string, listening: Listening): Promise<void> {
    listening.users -= 1;
    if (listening.users > 0) return;
    this.#listening.delete(local);
    const closing = listening.listener.then(
      (listener) => listener.close(),
      // It never listened; the caller of `expect` got that error.
      () => undefined,
    );
    this.#closing = Promise.all([this.#closing, closing]);
    await closing;
  }
}
