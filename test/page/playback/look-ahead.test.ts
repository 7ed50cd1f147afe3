import { describe, expect, it } from "vitest";
import { LookAhead, type StandingDeck } from "../../../src/page/playback/watch/look-ahead.js";

/** A deck of one camera, which has the pictures of the moments that are given. */
function fakeDeck(has: readonly number[] = [], fault?: { readonly kind: "problem" | "refused" }) {
  const orders: number[] = [];
  const camera = {
    fault: { peek: () => fault },
    jump: () => undefined,
    has: (at: number) => has.includes(at),
    follow: () => undefined,
  };
  const deck: StandingDeck = {
    cameras: [camera],
    playback: { seek: (at) => void orders.push(at) },
    close: () => undefined,
  };
  return { deck, orders };
}

const decks = (deck: StandingDeck) => ({
  ...{ played: fakeDeck().deck, open: () => deck, resize: () => undefined },
});

function lookedAt(at: number, { deck } = fakeDeck()): LookAhead<StandingDeck> {
  const ahead = new LookAhead<StandingDeck>();
  ahead.look(at, 0, decks(deck));
  return ahead;
}

const answer = (time: number) => ({ type: "playback", state: "paused", time, speed: 1 }) as const;

describe("the moment under a pointer", () => {
  it("is wanted once, when the pointer has rested", () => {
    const ahead = new LookAhead<StandingDeck>();
    ahead.hover(5000, 0);
    expect(ahead.wanted(30)).toBeUndefined();
    ahead.hover(6000, 40);
    expect(ahead.wanted(80)).toBeUndefined();
    expect(ahead.wanted(100)).toBe(6000);
    expect(ahead.wanted(200)).toBeUndefined();
  });

  it("is wanted at once where a finger has come down", () => {
    const ahead = new LookAhead<StandingDeck>();
    ahead.touch(5000);
    expect(ahead.wanted(0)).toBe(5000);
    expect(ahead.wanted(10)).toBeUndefined();
  });

  it("is not wanted any more when the pointer has gone", () => {
    const ahead = new LookAhead<StandingDeck>();
    ahead.hover(5000, 0);
    ahead.hover(undefined, 10);
    expect(ahead.wanted(100)).toBeUndefined();
  });

  it("is wanted once a second while the timeline moves below the pointer", () => {
    const ahead = lookedAt(6000);
    ahead.onPlayback(answer(6000));
    ahead.hover(6500, 500, true);
    expect(ahead.wanted(600)).toBeUndefined();
    ahead.hover(7000, 1000, true);
    expect(ahead.wanted(1100)).toBe(7000);
  });

  it("is wanted when the one before it was answered, or was not for long", () => {
    const ahead = lookedAt(6000);
    ahead.hover(8000, 0);
    expect(ahead.wanted(1000)).toBeUndefined();
    ahead.onPlayback(answer(6000));
    expect(ahead.wanted(1000)).toBe(8000);
    const unanswered = lookedAt(6000);
    unanswered.hover(8000, 0);
    expect(unanswered.wanted(1600)).toBe(8000);
  });
});

describe("the deck that stands there", () => {
  it("is asked for nothing where it was refused", () => {
    const ahead = lookedAt(6000, fakeDeck([], { kind: "refused" }));
    ahead.onPlayback(answer(6000));
    ahead.hover(8000, 0);
    expect(ahead.wanted(100)).toBeUndefined();
  });

  it("is asked for anew where it is open already", () => {
    const fake = fakeDeck();
    const ahead = lookedAt(6000, fake);
    expect(fake.orders).toEqual([]);
    ahead.look(8000, 0, decks(fakeDeck().deck));
    expect(fake.orders).toEqual([8000]);
    expect(ahead.has(fake.deck)).toBe(true);
  });

  it("is taken for its moment, also before the service has answered", () => {
    const ahead = lookedAt(6000);
    expect(ahead.take(6100, 10)).toBeUndefined();
    expect(ahead.take(6000, 10)).toMatchObject({ at: 6000, askedMs: 0 });
    ahead.onPlayback(answer(5000));
    expect(ahead.take(6000, 10)?.askedMs).toBe(0);
    ahead.onPlayback(answer(6000.0004));
    expect(ahead.take(6000, 10)?.askedMs).toBeUndefined();
  });

  it("is taken for another moment whose very pictures it has", () => {
    expect(lookedAt(6000, fakeDeck([5500])).take(5500, 10)?.at).toBe(5500);
  });

  it("is not taken where a camera has a fault, or no answer has come for long", () => {
    expect(lookedAt(6000, fakeDeck([], { kind: "problem" })).take(6000, 10)).toBeUndefined();
    expect(lookedAt(6000).take(6000, 1500)).toBeUndefined();
  });

  it("stands nowhere after it was played", () => {
    const ahead = lookedAt(6000);
    const { deck } = fakeDeck([6000]);
    ahead.give(deck);
    expect(ahead.has(deck)).toBe(true);
    expect(ahead.take(6000, 10)).toBeUndefined();
  });
});
