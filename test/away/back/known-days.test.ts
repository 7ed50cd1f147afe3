import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { KNOWN_DAYS_KIND, KnownDays } from "../../../src/away/back/known-days.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

const GATE = "00000001-0000-4000-8000-000000000001";
const YARD = "00000002-0000-4000-8000-000000000002";
const [EARLIER, LATER] = ["2026-11-28", "2026-11-29"];

const opened = (directory: string): KnownDays => {
  const known = new KnownDays({ directory, place: "here", clock: new SimulatedClock(0), log: silentLog });
  expect(known.start()).toBe(true);
  return known;
};

it("a channel has the name of its newest day, in whichever order days are read, and after a start", async () => {
  const directory = await temporaryDirectory();
  const text = KNOWN_DAYS_KIND.text({ place: "here", days: {}, names: {} });
  writeFileSync(path.join(directory, "known-days.json"), text);
  const known = opened(directory);
  known.note(`${GATE}/${LATER}`, 2, "Gate");
  known.note(`${GATE}/${EARLIER}`, 7, "Gate of old");
  known.note(`${YARD}/${LATER}`, 1, "");
  await known.stop();
  const again = opened(directory);
  expect([again.channelName(GATE), again.channelName(YARD)]).toEqual(["Gate", undefined]);
  expect(again.names.map((name) => again.revisionOf(name))).toEqual([2, 7, 1]);
});

it("of a version that kept no names the newest day of each channel is read again", async () => {
  const directory = await temporaryDirectory();
  const days = { [`${GATE}/${EARLIER}`]: 1, [`${GATE}/${LATER}`]: 2, [`${YARD}/${EARLIER}`]: 3 };
  const text = JSON.stringify({ formatVersion: 1, place: "here", days });
  writeFileSync(path.join(directory, "known-days.json"), text);
  expect(opened(directory).names).toEqual([`${GATE}/${EARLIER}`]);
});

it("what was learnt of a place is known after a restart, of another place nothing", async () => {
  const directory = await temporaryDirectory();
  const started = (place: string): readonly [boolean, KnownDays] => {
    const known = new KnownDays({ directory, place, clock: new SimulatedClock(0), log: silentLog });
    return [known.start(), known];
  };
  const [wasKnown, known] = started("here");
  expect(wasKnown).toBe(false);
  known.note(`${GATE}/${EARLIER}`, 1, "Gate");
  known.note(`${GATE}/${LATER}`, 3, "Gate");
  known.note(`${GATE}/${LATER}`, 4, "Gate");
  known.forget(`${GATE}/${EARLIER}`);
  await known.stop();
  const [isKnown, again] = started("here");
  expect([isKnown, again.names, again.revisionOf(`${GATE}/${LATER}`)]).toEqual([
    true,
    [`${GATE}/${LATER}`],
    4,
  ]);
  const [isOther, other] = started("there");
  expect([isOther, other.names]).toEqual([false, []]);
});

it("days that are noted together are saved together, two seconds later; what changes nothing is not saved", async () => {
  const directory = await temporaryDirectory();
  const clock = new SimulatedClock(0);
  const known = new KnownDays({ directory, place: "here", clock, log: silentLog });
  known.start();
  known.forget(`${GATE}/${EARLIER}`);
  expect(clock.timers).toBe(0);
  known.note(`${GATE}/${EARLIER}`, 1, "Gate");
  known.note(`${GATE}/${LATER}`, 1, "Gate");
  expect(clock.timers).toBe(1);
  clock.advance(2_000_000);
  expect(clock.timers).toBe(0);
  await known.stop();
  expect(opened(directory).names).toHaveLength(2);
});
