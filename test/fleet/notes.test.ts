import { expect, it } from "vitest";
import type { Guid } from "../../src/base/index.js";
import { NOTE_BYTES_MAX } from "../../src/fleet/link/notes.js";
import { forEachTest } from "../support/base/for-tests.js";
import { until } from "../support/base/until.js";
import { FleetBench } from "../support/fleet/fleet-bench.js";

const bench = forEachTest(() => FleetBench.start());

type Heard = readonly [from: Guid, text: string];

async function joined() {
  const heard: Heard[] = [];
  const box = await bench.joined({ onNote: (from, text) => heard.push([from, text]) });
  return { box, heard, say: (to: Guid, text: string) => box.membership.note(to, text) };
}

/** Says something until it was heard: what is said before the hub has asked for it is lost. */
async function saidUntil(say: () => void, heard: readonly Heard[], count: number): Promise<void> {
  await until(
    "the note",
    () => {
      if (heard.length < count) say();
      return heard.length >= count;
    },
    { seen: () => heard },
  );
}

it("what a box says to another one of its hub comes there, and the hub says who it is from", async () => {
  const [one, other] = [await joined(), await joined()];
  await saidUntil(() => one.say(other.box.id, "are you there?"), other.heard, 1);

  expect(other.heard[0]).toEqual([one.box.id, "are you there?"]);
});

it("a hundred notes come, one after the other: each makes way for the next", async () => {
  const [one, other] = [await joined(), await joined()];
  for (let note = 1; note <= 100; note += 1) {
    await saidUntil(() => one.say(other.box.id, `${note}`), other.heard, other.heard.length + 1);
    bench.clock.shiftUs += 1_000_000;
  }
  expect(other.heard.at(-1)?.[1]).toBe("100");
});

it("a note that is longer than may be is lost, and the next one comes", async () => {
  const [one, other] = [await joined(), await joined()];
  await saidUntil(() => one.say(other.box.id, "first"), other.heard, 1);
  one.say(other.box.id, "x".repeat(NOTE_BYTES_MAX + 1));
  await saidUntil(() => one.say(other.box.id, "last"), other.heard, other.heard.length + 1);

  expect(other.heard.filter(([, text]) => text.startsWith("x"))).toEqual([]);
});

it("of many notes at once a box takes some, and the others are lost", async () => {
  const [one, other] = [await joined(), await joined()];
  await saidUntil(() => one.say(other.box.id, "first"), other.heard, 1);
  const began = other.heard.length;
  for (let note = 0; note < 500; note += 1) one.say(other.box.id, `${note}`);
  await until("an answer after them", () => other.heard.length > began, { seen: () => other.heard.length });
  expect((await bench.ask(other.box)).status).toBe(200);

  expect(other.heard.length - began).toBeLessThan(200);
});

it("a note to a box that does not belong to the hub goes nowhere, and the connection stays", async () => {
  const [one, other] = [await joined(), await joined()];
  one.say("00000001-0000-4000-8000-0000000000ff", "lost");
  await saidUntil(() => one.say(other.box.id, "here"), other.heard, 1);

  expect((await bench.ask(one.box)).status).toBe(200);
});
