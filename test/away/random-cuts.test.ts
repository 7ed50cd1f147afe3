import { afterEach, expect, it } from "vitest";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";
import type { Fault } from "../support/away/scripted-store.js";
import { SeededRandom } from "../support/base/seeded-random.js";

const CUTS = Number(process.env.NVRD_TEST_AWAY_CUTS ?? 6);
const SEED = Number(process.env.NVRD_TEST_SEED ?? Math.floor(Date.now() / 1000));
const SEGMENTS_A_CUT = 3;
const FAULTS: readonly Fault[] = [
  { cutAfter: 1 },
  { cutAfter: 8000 },
  "cut-answer",
  { status: 500 },
  { status: 503, code: "SlowDown" },
  { status: 400, code: "BadDigest" },
  { status: 403, code: "RequestTimeTooSkewed" },
  { status: 403, code: "QuotaExceeded" },
  { status: 400, code: "ExpiredToken" },
];

let box: AwayBox | undefined;

afterEach(() => box?.stop());

const TIMEOUT_MS = 120_000 + CUTS * 2000;

it(`${CUTS} cuts of link, process and power leave nothing missing, doubled or half (seed ${SEED})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = new SeededRandom(SEED);
  const running = await AwayBox.start();
  box = running;
  let share = 0;
  running.store.fault = () => {
    // Whoever reads the bucket now finds it whole.
    running.checkWhole();
    return random.next() < share ? FAULTS[random.below(FAULTS.length)] : undefined;
  };
  let number = 0;
  for (let cut = 0; cut < CUTS; cut++) {
    for (let count = 0; count < SEGMENTS_A_CUT; count++) {
      // Now and then a day is passed over.
      number += random.next() < 0.1 ? 1440 : 1;
      running.record({ fromUs: START_US + number * MINUTE_US });
    }
    share = random.next() * 0.5;
    running.run();
    await new Promise((resolve) => setTimeout(resolve, random.below(250)));
    if (random.next() < 0.1) await running.loseState();
    else if (random.next() < 0.7) await running.cut(random.below(200));
    else await running.halt();
  }
  share = 0;
  running.run();
  await running.sentAll();
  expect(running.named().size).toBe(CUTS * SEGMENTS_A_CUT);
  const manifests = [...running.store.objects.keys()].filter((key) => key.startsWith("box/manifests/"));
  const days = new Set(manifests.map((key) => key.split("/").at(-2)));
  expect(running.store.uploads.size).toBe(0);
  expect(manifests.length).toBeGreaterThanOrEqual(days.size);
});
