/** Events that wait for the broker at most; of more the oldest are dropped and counted. */
export const WAITING_MESSAGES_MAX = 500;
/** Pictures that are kept, to be published again after a reconnection, in bytes. */
export const PICTURE_BYTES_MAX = 8 * 1024 * 1024;

/** A message on its way to the broker. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** The broker keeps it for those who subscribe later. */
  readonly retain: boolean;
}

interface State {
  readonly payload: Uint8Array;
  readonly isPicture: boolean;
}

/**
 * What is to be published. Of a topic with a state only the newest value waits, however long the broker is away: it needs as
 * many places as there are topics. Messages that are no states wait in a queue of bounded length.
 */
export class MqttOutbox {
  /** The present states, also those that the broker has. The map's order is that of their last change. */
  readonly #states = new Map<string, State>();
  readonly #unsent = new Set<string>();
  readonly #leftThere = new Set<string>();
  readonly #messages: MqttMessage[] = [];
  #pictureBytes = 0;
  #dropped = 0;

  /** Messages that are no states, waiting. */
  get waiting(): number {
    return this.#messages.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0 && this.#unsent.size === 0;
  }

  /** Topics that have a state. */
  topics(): string[] {
    return [...this.#states].filter(([, { payload }]) => payload.length > 0).map(([topic]) => topic);
  }

  /** Topics that the broker may keep: those with a state, those that are still to be removed, and pictures left to it. */
  keptTopics(): string[] {
    return [...this.#states.keys(), ...this.#leftThere];
  }

  /** Topics of pictures that are not kept here any more: the broker may have them. */
  leftAtBroker(): string[] {
    return [...this.#leftThere];
  }

  has(topic: string): boolean {
    return (this.#states.get(topic)?.payload.length ?? 0) > 0;
  }

  /** Sets a topic's state. Returns whether it is another one than before. */
  set(topic: string, value: string | Uint8Array): boolean {
    const isPicture = typeof value !== "string";
    const payload = isPicture ? value : Buffer.from(value);
    const known = this.#states.get(topic);
    if (known !== undefined && Buffer.compare(known.payload, payload) === 0) return false;
    this.#forget(topic);
    this.#leftThere.delete(topic);
    this.#states.set(topic, { payload, isPicture });
    if (isPicture) this.#pictureBytes += payload.length;
    this.#unsent.add(topic);
    this.#keepPicturesWithin();
    return true;
  }

  /** Has the broker forget a topic, known here or not. */
  remove(topic: string): void {
    this.set(topic, "");
  }

  add(message: MqttMessage): void {
    this.#messages.push(message);
    this.#dropBeyond();
  }

  /** The next message to send, a state before others; undefined: none waits. */
  take(): MqttMessage | undefined {
    for (const topic of this.#unsent) {
      this.#unsent.delete(topic);
      const state = this.#states.get(topic);
      if (state === undefined) continue;
      // A topic that is removed is of no concern once it is sent.
      if (state.payload.length === 0) this.#states.delete(topic);
      return { topic, payload: state.payload, retain: true };
    }
    return this.#messages.shift();
  }

  /** Takes back messages that were not confirmed, in the order in which they were taken. */
  giveBack(messages: readonly MqttMessage[]): void {
    for (const { topic, payload, retain } of messages) {
      if (!retain) continue;
      if (payload.length === 0 && !this.#states.has(topic))
        this.#states.set(topic, { payload, isPicture: false });
      if (this.#states.has(topic)) this.#unsent.add(topic);
    }
    this.#messages.unshift(...messages.filter(({ retain }) => !retain));
    this.#dropBeyond();
  }

  /** Sends all states again: the broker may have lost them. */
  sendAllAgain(): void {
    for (const topic of this.#states.keys()) this.#unsent.add(topic);
  }

  #dropBeyond(): void {
    const beyond = this.#messages.length - WAITING_MESSAGES_MAX;
    if (beyond <= 0) return;
    this.#messages.splice(0, beyond);
    this.#dropped += beyond;
  }

  #forget(topic: string): void {
    const known = this.#states.get(topic);
    if (known?.isPicture === true) this.#pictureBytes -= known.payload.length;
    this.#states.delete(topic);
  }

  /** The oldest pictures are forgotten here; the broker keeps those that it got. */
  #keepPicturesWithin(): void {
    for (const [topic, { isPicture }] of this.#states) {
      if (this.#pictureBytes <= PICTURE_BYTES_MAX) return;
      if (!isPicture) continue;
      this.#forget(topic);
      this.#unsent.delete(topic);
      this.#leftThere.add(topic);
    }
  }
}
