import { expect, it } from "vitest";
import { manifestKey } from "../../../src/away/plan/manifest.js";
import { BucketBoxes } from "../../../src/away/reader/bucket-boxes.js";
import { dayText } from "../../../src/away/reader/day-list.js";
import type { SendWork } from "../../../src/away/send/send-messages.js";
import type { Sender } from "../../../src/away/send/sender.js";
import { SystemClock } from "../../../src/base/index.js";
import { until } from "../../support/archive/archive-fixture.js";
import { guidOfNumber } from "../../support/archive/segment-fixtures.js";
import { silentLog } from "../../support/site/site-samples.js";

const CHANNELS = 110;
const DAYS = 1000;
const LISTING = 100_000;

/** A sender whose bucket has one box with these manifests. */
function senderOf(keys: readonly string[]): Pick<Sender, "run"> {
  const answer = (work: SendWork): unknown => {
    if (work.op === "folders") return ["manifests/"];
    if (work.op !== "list") return undefined;
    const first = work.after === undefined ? 0 : keys.indexOf(work.after) + 1;
    return keys.slice(first, first + LISTING).map((key) => ({ key }));
  };
  return { run: async (work: SendWork) => answer(work) } as unknown as Pick<Sender, "run">;
}

it("a box with more manifests than one listing holds is known, whole", async () => {
  const channels = Array.from({ length: CHANNELS }, (_one, at) => guidOfNumber(at + 1, 7)).sort();
  const days = Array.from({ length: DAYS }, (_one, at) => dayText(18_000 + at));
  const keys = channels.flatMap((channel) => days.map((day) => manifestKey(channel, day, 1)));
  const boxes = new BucketBoxes({ sender: senderOf(keys), clock: new SystemClock(), log: silentLog });
  boxes.start();
  await until(() => boxes.isKnown, "the boxes");
  expect(boxes.boxes.map((box) => box.channels.map((one) => one.days.size))).toEqual([
    channels.map(() => DAYS),
  ]);
  // Nothing says how it is called.
  expect(boxes.boxes[0]?.name).toBe("Box");
  await boxes.stop();
});
