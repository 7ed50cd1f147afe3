import type { Log } from "../../base/index.js";
import { urlHost } from "../onvif/device-url.js";
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

/** Where a device is to send its messages to, until it is closed. */
export interface ConsumerReference {
  readonly address: string;
  close(): Promise<void>;
}

interface Listening {
  readonly listener: Promise<NotifyListener>;
  users: number;
}

/**
 * Takes the messages of devices that push them (WS-BaseNotification 1.3, 3.1). It listens only at those of our addresses
 * that such a device sees, and only while one is expected there.
 */
export class NotificationConsumer {
  readonly #options: NotificationConsumerOptions;
  readonly #listening = new Map<string, Listening>();
  /** The port of a listener that closes is not free yet. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationConsumerOptions) {
    this.#options = options;
  }

  /** Expects messages. Rejects with NvrdError NOT_AVAILABLE where it cannot listen. */
  async expect({ local, ...receiver }: ExpectedDevice): Promise<ConsumerReference> {
    const listening = this.#listening.get(local) ?? this.#listen(local);
    listening.users += 1;
    try {
      const listener = await listening.listener;
      const path = listener.add(receiver);
      // A zone is this machine's name for its interface: it means nothing to a device.
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
      // It never listened, which who expected messages was told.
      () => undefined,
    );
    this.#closing = Promise.all([this.#closing, closing]);
    await closing;
  }
}
