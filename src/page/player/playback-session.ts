import type { ClientMessage, PlaySpeed } from "../../contract/answer/index.js";
import type { Subscription } from "./subscription.js";
import type { Playback, PlaybackListener, PlaybackMessage, Refusal } from "./watch.js";

interface SessionHost {
  send(message: ClientMessage): void;
  forget(subscription: Subscription): void;
  renewAll(subscriptions: readonly Subscription[]): void;
}

interface SessionOrder {
  readonly watches: readonly Subscription[];
  readonly deck: number;
  readonly from: number;
  readonly speed?: PlaySpeed;
  readonly paused?: boolean;
}

/** One playback of a connection: remembers how it stands, so that a new connection goes on where the old one was lost. */
export class PlaybackSession implements Playback {
  readonly watches: readonly Subscription[];
  readonly #host: SessionHost;
  readonly #deck: { readonly deck?: number };
  readonly #listener: PlaybackListener;
  readonly #onClose: () => void;
  #fromMs: number;
  #speed: PlaySpeed;
  #isPaused: boolean;
  #hasBegun = false;
  /** An order is under way: the listener's moment is the old one until it is done. */
  #isMoving = true;

  constructor(host: SessionHost, order: SessionOrder, listener: PlaybackListener, onClose: () => void) {
    this.#host = host;
    this.#deck = order.deck === 0 ? {} : { deck: order.deck };
    this.watches = order.watches;
    this.#fromMs = order.from;
    this.#speed = order.speed ?? 1;
    this.#isPaused = order.paused ?? false;
    this.#listener = listener;
    this.#onClose = onClose;
  }

  has(subscription: Subscription): boolean {
    return this.watches.includes(subscription);
  }

  /** On a new connection, and after an error of a player. */
  begin(): void {
    if (this.#hasBegun) this.#host.renewAll(this.watches);
    this.#hasBegun = true;
    const now = this.#isMoving ? undefined : this.#listener.position();
    this.#fromMs = now ?? this.#fromMs;
    this.#isMoving = true;
    this.#host.send({
      type: "play",
      ...this.#deck,
      watches: this.watches.map(({ order }) => order),
      from: this.#fromMs,
      speed: this.#speed,
      paused: this.#isPaused,
    });
  }

  restart(): void {
    if (this.#hasBegun) this.begin();
  }

  onMessage(message: PlaybackMessage): void {
    this.#isMoving = false;
    this.#fromMs = message.time;
    this.#listener.onPlayback(message);
  }

  onRefused({ code, text }: Refusal): void {
    this.#listener.onRefused({ code, text });
  }

  seek(toMs: number): void {
    this.#fromMs = toMs;
    this.#isMoving = true;
    this.#host.send({ type: "seek", ...this.#deck, to: toMs });
  }

  scan({ from, to, every }: { readonly from: number; readonly to: number; readonly every: number }): void {
    this.#host.send({ type: "scan", ...this.#deck, from, to, every });
  }

  speed(speed: PlaySpeed): void {
    this.#speed = speed;
    this.#host.send({ type: "speed", ...this.#deck, speed });
  }

  pause(): void {
    this.#isPaused = true;
    this.#host.send({ type: "pause", ...this.#deck });
  }

  resume(): void {
    this.#isPaused = false;
    this.#host.send({ type: "resume", ...this.#deck });
  }

  step(by: 1 | -1): void {
    this.#isPaused = true;
    this.#host.send({ type: "step", ...this.#deck, by });
  }

  close(): void {
    this.#onClose();
    for (const watch of this.watches) this.#host.forget(watch);
  }
}
