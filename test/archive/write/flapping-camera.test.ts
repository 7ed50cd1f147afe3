import { afterEach, expect, it } from "vitest";
import { Interruptions } from "../../../src/archive/write/interruptions.js";
import { ArchiveSimulation } from "../../support/archive/archive-simulation.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const DAY_US = 24 * HOUR_US;
const FLAP_US = 5 * SECOND_US;
const SENDS_US = 2 * SECOND_US;
/** A step of time within a fragment is at most this long. */
const GAP_MAX_US = 10 * SECOND_US;
const HOURS = 2;
/** The first interruptions each end a fragment, and later one in ten minutes. */
const FRAGMENTS_MAX = 20 + HOURS * 6 + 1;
/** Segments of a minute beside these. */
const SEGMENTS_MAX = FRAGMENTS_MAX + HOURS * 60;
const FRAGMENTS_A_DAY_MAX = 20 + 24 * 6 + 1;

let simulation: ArchiveSimulation | undefined;

afterEach(() => simulation?.remove());

/** Each camera sends for some seconds and is gone for the rest of `flapUs`, over and over. */
async function flap(flapUs: number, durationUs: number): Promise<ArchiveSimulation> {
  const made = new ArchiveSimulation({
    ...{ seed: 3, volumes: 1, quotaBytes: 2 ** 40, segmentSeconds: 60 },
    disk: {},
  });
  simulation = made;
  await made.start();
  const { archive, clock, threads } = made.boot;
  for (let atUs = 0; atUs < durationUs; atUs += flapUs) {
    for (const camera of made.cameras) camera.connect(clock.nowUs());
    clock.advance(SENDS_US);
    for (const camera of made.cameras) camera.send(archive.writer(camera.key), clock.nowUs());
    clock.advance(SECOND_US);
    await threads.settle();
    for (const camera of made.cameras) void archive.writer(camera.key).interrupt();
    for (let leftUs = flapUs - SENDS_US - SECOND_US; leftUs > 0; leftUs -= SECOND_US) {
      clock.advance(SECOND_US);
      await threads.settle();
    }
  }
  await made.stop();
  await made.start();
  await made.recover();
  return made;
}

function segmentsOf(made: ArchiveSimulation, channelId: string): number {
  return made.boot.index.durableSummaries.filter(({ key }) => key.channelId === channelId).length;
}

it(`a camera that comes and goes each 5 s makes at most ${SEGMENTS_MAX} segments in ${HOURS} hours, and loses nothing`, async () => {
  const made = await flap(FLAP_US, HOURS * HOUR_US);
  for (const { key } of made.cameras) {
    expect(segmentsOf(made, key.channelId)).toBeLessThanOrEqual(SEGMENTS_MAX);
    expect(made.boot.archive.fragments(key, 0, 2 ** 52).length).toBeLessThanOrEqual(FRAGMENTS_MAX);
  }
  expect(await made.problems()).toEqual([]);
});

it("a camera that is away for more than 10 s each time leaves a fragment each time", async () => {
  const flaps = 40;
  const flapUs = GAP_MAX_US + SENDS_US + 2 * SECOND_US;
  const made = await flap(flapUs, flaps * flapUs);
  for (const { key } of made.cameras)
    expect(made.boot.archive.fragments(key, 0, 2 ** 52)).toHaveLength(flaps);
  expect(await made.problems()).toEqual([]);
});

it(`interruptions of a day end at most ${FRAGMENTS_A_DAY_MAX} fragments, however many there are`, () => {
  const clock = new SimulatedClock();
  const interruptions = new Interruptions(clock);
  let ended = 0;
  for (let atUs = 0; atUs < DAY_US; atUs += FLAP_US) {
    if (interruptions.endsFragment()) ended += 1;
    clock.advance(FLAP_US);
  }
  expect(ended).toBeLessThanOrEqual(FRAGMENTS_A_DAY_MAX);
});

it("a camera that is lost now and then leaves a fragment each time", () => {
  const clock = new SimulatedClock();
  const interruptions = new Interruptions(clock);
  for (let at = 0; at < 100; at++) {
    expect(interruptions.endsFragment()).toBe(true);
    clock.advance(HOUR_US / 6);
  }
});
