import { type Clock, type ClockTimer, type Guid, US_PER_MS } from "../../base/index.js";
import type { PlaybackOrder, PlayMessage, PlaySpeed } from "../../contract/answer/index.js";

/** How long the answers of recorders to an order are waited for. */
const ANSWER_MS = 3000;
/** A recorder that is further ahead of the others waits for them: pictures come so long before they are due anyhow. */
const AHEAD_MS = 1500;
/** Standing, recorders show the same moment within this. */
const SAME_MS = 20;

type State = "playing" | "paused" | "edge" | "start";

/** What a recorder, or a mix of them, says of its playback. */
export interface PlaybackNotice {
  readonly type: "playback";
  readonly state: State;
  readonly time: number;
  readonly speed: PlaySpeed;
  /** Which of the client's playbacks it is. */
  readonly deck?: number | undefined;
}

export interface MixedPlaybackOptions {
  /** Sends an order to a recorder. */
  readonly send: (boxId: Guid, order: PlaybackOrder | PlayMessage) => void;
  readonly notify: (notice: PlaybackNotice) => void;
  readonly clock: Clock;
}

interface Part {
  readonly boxId: Guid;
  state: State;
  /** Where it was when it said so last, and when that was; monotonic. */
  time: number;
  saidUs: number;
  /** It waits for the others at this moment; undefined: it does not. */
  heldAt: number | undefined;
  /** It has not answered the last order yet. */
  isAsked: boolean;
}

/**
 * The playbacks of several recorders as one. Each has a clock of its own; the one that is furthest behind counts, and who is ahead by a
 * gap of its own recordings waits until the others are there. Of one recorder all passes as it is.
 */
export class MixedPlayback {
  readonly #options: MixedPlaybackOptions;
  readonly #parts: readonly Part[];
  /** Each order and notice names it, but for the first. */
  readonly #deck: { readonly deck?: number };
  #speed: PlaySpeed;
  #plays: boolean;
  /** Where all are to stand once all have answered; undefined: where the first stands. */
  #standsAt: number | undefined;
  /** Only the first was asked; the others follow to where it stands. */
  #isStep = false;
  #answers: ClockTimer | undefined;
  #release: ClockTimer | undefined;

  /** `watches`: what each recorder is to play, the first one's first channel first. */
  constructor(
    order: PlayMessage,
    watches: ReadonlyMap<Guid, PlayMessage["watches"]>,
    options: MixedPlaybackOptions,
  ) {
    this.#options = options;
    const { deck = 0 } = order;
    this.#deck = deck === 0 ? {} : { deck };
    this.#speed = order.speed ?? 1;
    this.#plays = order.paused !== true;
    const saidUs = options.clock.monotonicUs();
    this.#parts = [...watches.keys()].map((boxId) => ({
      ...{ boxId, state: "paused", time: order.from, saidUs, heldAt: undefined, isAsked: true },
    }));
    for (const [boxId, ofBox] of watches) options.send(boxId, { ...order, watches: ofBox });
    this.#await();
  }

  close(): void {
    this.#answers?.clear();
    this.#release?.clear();
  }

  order(order: PlaybackOrder): void {
    this.#release?.clear();
    if (order.type === "speed") this.#speed = order.speed;
    if (order.type === "resume") this.#plays = true;
    if (order.type === "pause" || order.type === "scan" || order.type === "step") this.#plays = false;
    this.#isStep = order.type === "step" && this.#parts.length > 1;
    this.#standsAt = order.type === "seek" && !this.#plays ? order.to : undefined;
    for (const [at, part] of this.#parts.entries()) {
      const wasHeld = part.heldAt !== undefined;
      part.heldAt = undefined;
      part.isAsked = true;
      if (this.#isStep && at > 0) this.#options.send(part.boxId, { type: "pause", ...this.#deck });
      else this.#options.send(part.boxId, order);
      // It stands, and all are to play on.
      if (wasHeld && this.#plays && order.type !== "resume")
        this.#options.send(part.boxId, { type: "resume", ...this.#deck });
    }
    this.#await();
  }

  /** A recorder says where it is. */
  said(boxId: Guid, { state, time, speed }: PlaybackNotice): void {
    const { clock, notify } = this.#options;
    const part = this.#parts.find((one) => one.boxId === boxId);
    if (part === undefined) return;
    const isWaiting = this.#parts.some(({ isAsked }) => isAsked);
    Object.assign(part, { state, time, saidUs: clock.monotonicUs() });
    if (this.#parts.length === 1) {
      notify({ type: "playback", ...this.#deck, state, time, speed });
      return;
    }
    if (part.heldAt !== undefined && state === "paused") return;
    if (isWaiting) {
      // An answer to an order before, of a recorder that was ordered to stand or to play since.
      if (this.#plays && state === "paused") return;
      part.isAsked = false;
      if (!this.#parts.some(({ isAsked }) => isAsked)) this.#settle();
      return;
    }
    if (this.#plays) this.#align();
  }

  #await(): void {
    this.#answers?.clear();
    this.#answers = this.#options.clock.setTimeout(() => {
      for (const part of this.#parts) part.isAsked = false;
      this.#settle();
    }, ANSWER_MS);
  }

  /** All have answered, or are waited for no longer. */
  #settle(): void {
    this.#answers?.clear();
    if (this.#plays) {
      this.#align();
      return;
    }
    const [first] = this.#parts;
    if (first === undefined) return;
    const at = this.#standsAt ?? first.time;
    const others = this.#parts.filter((part) => part !== first && Math.abs(part.time - at) > SAME_MS);
    if (others.length > 0 && this.#standsAt === undefined) {
      this.#standsAt = at;
      this.#isStep = false;
      for (const part of others) {
        part.isAsked = true;
        this.#options.send(part.boxId, { type: "seek", ...this.#deck, to: at });
      }
      this.#await();
      return;
    }
    this.#notify("paused", at);
  }

  /** Who is ahead waits; where all the others are ahead too, it goes on there. */
  #align(): void {
    const running = this.#parts.filter(({ heldAt }) => heldAt === undefined);
    const moving = running.filter(({ state }) => state === "playing");
    const held = this.#parts.filter(({ heldAt }) => heldAt !== undefined);
    if (moving.length === 0 && held.length === 0) {
      const [last] = running.toSorted((a, b) => this.#ahead(b.time, a.time));
      if (last !== undefined) this.#notify(last.state, last.time);
      return;
    }
    const places = [...moving.map((part) => this.#placeOf(part)), ...held.map(({ heldAt = 0 }) => heldAt)];
    const now = places.reduce((least, place) => (this.#ahead(place, least) < 0 ? place : least));
    const bound = AHEAD_MS * Math.abs(this.#speed);
    for (const part of moving) {
      const place = this.#placeOf(part);
      if (this.#ahead(place, now) <= bound) continue;
      part.heldAt = place;
      this.#options.send(part.boxId, { type: "pause", ...this.#deck });
    }
    for (const part of held)
      if (this.#ahead(part.heldAt ?? now, now) <= bound) {
        part.heldAt = undefined;
        this.#options.send(part.boxId, { type: "resume", ...this.#deck });
      }
    this.#notify("playing", now);
    this.#releaseLater(now);
  }

  /** When the first of those who wait is to go on. */
  #releaseLater(now: number): void {
    this.#release?.clear();
    const waits = this.#parts.flatMap(({ heldAt }) =>
      heldAt === undefined ? [] : [this.#ahead(heldAt, now)],
    );
    if (waits.length === 0) return;
    const ms = Math.min(...waits) / Math.abs(this.#speed) - AHEAD_MS;
    this.#release = this.#options.clock.setTimeout(() => this.#align(), Math.max(0, ms));
  }

  /** How far one moment is ahead of another in the direction of the playback, milliseconds of the recordings. */
  #ahead(one: number, other: number): number {
    return (one - other) * Math.sign(this.#speed);
  }

  #placeOf({ time, saidUs, state }: Part): number {
    const ms = (this.#options.clock.monotonicUs() - saidUs) / US_PER_MS;
    return state === "playing" ? time + ms * this.#speed : time;
  }

  #notify(state: State, time: number): void {
    this.#options.notify({ type: "playback", ...this.#deck, state, time, speed: this.#speed });
  }
}
