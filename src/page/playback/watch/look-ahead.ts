import type { PlaybackMessage } from "../../player/watch.js";

/** A pointer that rests so long over a moment is likely to click there. */
const REST_MS = 60;
/** Looks at what a timeline that moves brings below a pointer are so far apart. */
const MOVED_APART_MS = 1000;
/** The service counts microseconds. */
const SAME_MS = 1;
/** What was not answered for so long is not waited for. */
const ANSWER_MS = 1500;

/** What is used of a deck. */
export interface StandingDeck {
  readonly cameras: readonly {
    readonly fault: { peek(): { readonly kind: "problem" | "refused" } | undefined };
    jump(): void;
    has(wallMs: number): boolean;
    follow(
      place: typeof STANDS & { readonly wallMs: number; readonly isSent: boolean },
      nowMs: number,
    ): unknown;
  }[];
  readonly playback: { seek(toMs: number): void };
  close(): void;
}

interface Decks<Deck> {
  /** The other one. */
  readonly played: Deck;
  /** Makes this one, where there is none. */
  readonly open: () => Deck;
  /** Its pictures are to be as large as those of the other one. */
  readonly resize: (deck: Deck, played: Deck) => void;
}

const STANDS = { speed: 1, isMoving: false, isRunning: false, isDrawn: false };

/** A deck that stands where it is wanted. */
export interface TakenDeck<Deck> {
  readonly deck: Deck;
  /** Its moment. */
  readonly at: number;
  /** When it was sent there, while the service has not answered; then its pictures are on the way. */
  readonly askedMs: number | undefined;
}

/**
 * The deck that is not played: it stands at the moment on which a pointer rests, with its pictures decoded, so that a click shows
 * them at once, whatever the other deck plays meanwhile.
 */
export class LookAhead<Deck extends StandingDeck> {
  #hovered: { readonly at: number; readonly sinceMs: number } | undefined;
  #deck: Deck | undefined;
  #at: number | undefined;
  #askedMs: number | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `isMoved`: the timeline has moved below a pointer that rests; while it does, not each moment is worth a look. */
  hover(at: number | undefined, nowMs: number, isMoved = false): void {
    if (isMoved && nowMs - this.#lookedMs < MOVED_APART_MS) return;
    this.#hovered = at === undefined ? undefined : { at, sinceMs: nowMs };
  }

  /** A finger is over a moment: it lifts sooner than a pointer that rests clicks. */
  touch(at: number): void {
    this.#hovered = { at, sinceMs: Number.NEGATIVE_INFINITY };
  }

  /** Whether a deck is the one that is not played. */
  has(deck: Deck): boolean {
    return this.#deck === deck;
  }

  /** Where it stands, or will. */
  get at(): number | undefined {
    return this.#at;
  }

  /** The moment to look at now: once, where the pointer has come to rest. */
  wanted(nowMs: number): number | undefined {
    if (this.#hovered === undefined || nowMs - this.#hovered.sinceMs < REST_MS) return undefined;
    if (this.#askedMs !== undefined && nowMs - this.#askedMs < ANSWER_MS) return undefined;
    // An older recorder has one deck.
    if (this.#deck?.cameras.some(({ fault }) => fault.peek()?.kind === "refused")) return undefined;
    const { at } = this.#hovered;
    this.#hovered = undefined;
    return at;
  }

  look(at: number, nowMs: number, { played, open, resize }: Decks<Deck>): void {
    this.#at = at;
    this.#askedMs = nowMs;
    this.#lookedMs = nowMs;
    if (this.#deck === undefined) {
      this.#deck = open();
      return;
    }
    resize(this.#deck, played);
    for (const camera of this.#deck.cameras) camera.jump();
    this.#deck.playback.seek(at);
  }

  /** Each picture of the screen: has what came decoded. */
  onFrame(nowMs: number): void {
    const at = this.#at;
    if (at === undefined || this.#deck === undefined) return;
    const place = { ...STANDS, wallMs: at, isSent: this.#askedMs === undefined };
    for (const camera of this.#deck.cameras) camera.follow(place, nowMs);
  }

  /** What the service tells of it. */
  onPlayback({ state, time }: PlaybackMessage): void {
    if (state === "paused" && this.#at !== undefined && Math.abs(time - this.#at) < SAME_MS)
      this.#askedMs = undefined;
  }

  /**
   * Gives its deck away where that stands at a moment, or has its very pictures. `give` is to follow.
   */
  take(to: number, nowMs: number): TakenDeck<Deck> | undefined {
    const [deck, at, askedMs] = [this.#deck, this.#at, this.#askedMs];
    if (deck === undefined || at === undefined) return undefined;
    if (askedMs !== undefined && nowMs - askedMs >= ANSWER_MS) return undefined;
    if (deck.cameras.some(({ fault }) => fault.peek() !== undefined)) return undefined;
    const isThere = Math.abs(at - to) < SAME_MS;
    if (!isThere && !deck.cameras.every((camera) => camera.has(to))) return undefined;
    this.#hovered = undefined;
    return { deck, at: isThere ? at : to, askedMs };
  }

  /** From now on this deck is the one that is not played. */
  give(deck: Deck): void {
    this.#deck = deck;
    this.#at = undefined;
    this.#askedMs = undefined;
  }

  close(): void {
    this.#deck?.close();
    this.#deck = undefined;
    this.#at = undefined;
    this.#askedMs = undefined;
    this.#hovered = undefined;
  }
}
