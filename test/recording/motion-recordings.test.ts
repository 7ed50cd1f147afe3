import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  makeFrame,
  patternBytes,
  readFrames,
  startArchive,
  type TestArchive,
  temporaryDirectory,
} from "../support/archive/archive-fixture.js";
import { archiveProblems } from "../support/archive/archive-invariants.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import {
  cameraWith,
  type RecorderHarness,
  SECOND_US,
  startRecorder,
} from "../support/recording/recorder-harness.js";

/** Compares what is recorded on motion and by hand with an independent model; on the real archive. */

const FRAME_US = 200_000;
const FRAME_BYTES = 400;
const UNEVEN_STEP_US = 7919;
const UNEVEN_US_MAX = 60_000;
const RUNS = Number(process.env.NVRD_TEST_RUNS ?? 60);

let directory: ReturnType<typeof temporaryDirectory>;
let test: TestArchive;

beforeAll(async () => {
  directory = temporaryDirectory();
  test = await startArchive(directory.path, { segmentSeconds: 5 });
});

afterAll(async () => {
  await test.archive.stop();
  const summaries = [...test.index.committed.values()];
  expect(archiveProblems({ volumePaths: [test.volumePath], summaries })).toEqual([]);
  directory.remove();
});

type Step = "frame" | "key" | "motion" | "still" | "on" | "off";

interface Play {
  readonly pre: number;
  readonly post: number;
  readonly steps: readonly Step[];
  /** How late motion is reported, microseconds. */
  readonly lateUs: number;
}

interface Sent {
  readonly timeUs: number;
  readonly key: boolean;
}

/** [from, until) of what is to be recorded, before the key frame rule. */
interface Span {
  fromUs: number;
  untilUs: number;
}

/** The rule in its plainest form: from the last key frame at or before the beginning, up to the end. */
function modelled(sent: readonly Sent[], spans: readonly Span[]): number[] {
  const recorded = new Set<number>();
  for (const { fromUs, untilUs } of spans) {
    const before = sent.filter(({ key, timeUs }) => key && timeUs <= fromUs).at(-1);
    const key = before ?? sent.find((frame) => frame.key);
    for (const { timeUs } of sent)
      if (key !== undefined && timeUs >= key.timeUs && timeUs < untilUs) recorded.add(timeUs);
  }
  return [...recorded].sort((one, other) => one - other);
}

async function play({ pre, post, steps, lateUs }: Play, startUs: number): Promise<void> {
  const clock = new SimulatedClock(startUs);
  const camera = cameraWith({ archivingMode: "MDandManual" }, { pre, post });
  const harness = startRecorder([camera], { archive: test.archive, clock });
  const stream = harness.stream(camera.id);
  stream.setState({ state: "active" });
  const sent: Sent[] = [];
  const motions: Span[] = [];
  const switches: Span[] = [];
  const forever = Number.POSITIVE_INFINITY;
  const openOf = (spans: readonly Span[]) => spans.find(({ untilUs }) => untilUs === forever);
  /** A recording that is on goes on, and nothing is put before one that was. */
  const beginning = (nowUs: number, fromUs: number): number => {
    const spans = [...motions, ...switches];
    if (spans.some(({ untilUs }) => untilUs > nowUs)) return nowUs;
    return Math.max(fromUs, ...spans.map((span) => span.fromUs));
  };
  for (const step of steps) {
    const nowUs = clock.nowUs();
    const saidUs = Math.max(nowUs - lateUs, startUs);
    if (step === "motion" && openOf(motions) === undefined) {
      const fromUs = beginning(nowUs, saidUs - pre * SECOND_US);
      motions.push({ fromUs, untilUs: forever });
      harness.report(camera.id, true, saidUs);
    } else if (step === "still") {
      const open = openOf(motions);
      // What was recorded before the end was told stays.
      if (open !== undefined) open.untilUs = Math.max(nowUs, saidUs + post * SECOND_US);
      harness.report(camera.id, false, saidUs);
    } else if (step === "on" || step === "off") {
      const open = openOf(switches);
      const fromUs = beginning(nowUs, nowUs - pre * SECOND_US);
      if (step === "on" && open === undefined) switches.push({ fromUs, untilUs: forever });
      if (step === "off" && open !== undefined) open.untilUs = nowUs;
      await switchTo(harness, camera.id, step === "on");
    } else if (step === "frame" || step === "key") {
      // Frames come between the steps, and not in step: no two cameras' frames do.
      const unevenUs = (sent.length * UNEVEN_STEP_US) % UNEVEN_US_MAX;
      clock.advance(FRAME_US / 2 - unevenUs);
      const key = step === "key";
      const timeUs = clock.nowUs();
      sent.push({ timeUs, key });
      stream.publish(makeFrame({ decodeTimeUs: timeUs, key, bytes: patternBytes(FRAME_BYTES, sent.length) }));
      clock.advance(FRAME_US / 2);
    }
  }
  await harness.recorder.stop();
  const key = { channelId: camera.id, streamType: "Main" } as const;
  const expected = modelled(sent, [...motions, ...switches]);
  await test.index.flush();
  // A reader waits for more: it is asked for what there is, and that is compared.
  const kept = [...test.index.committed.values()].filter((segment) => segment.key.channelId === camera.id);
  const frames = kept.reduce((sum, segment) => sum + segment.videoFrames, 0);
  const reader = test.archive.read(key, { fromUs: 0 });
  const read = frames === 0 ? [] : await readFrames(reader, frames);
  reader.close();
  expect(read.map((frame) => frame.decodeTimeUs)).toEqual(expected);
  const fragments = test.archive.fragments(key, 0, Number.MAX_SAFE_INTEGER);
  const indexes = expected.map((timeUs) => sent.findIndex((frame) => frame.timeUs === timeUs));
  const runs = indexes.filter((index, at) => index !== (indexes[at - 1] ?? -2) + 1).length;
  expect(fragments.length).toBeGreaterThanOrEqual(runs);
  expect(fragments.length).toBeLessThanOrEqual(motions.length + switches.length);
  expect(read.filter((frame) => frame.startsFragment)).toHaveLength(fragments.length);
  expect(read.every((frame) => !frame.startsFragment || frame.key)).toBe(true);
}

async function switchTo(harness: RecorderHarness, channelId: string, on: boolean): Promise<void> {
  const user = { userId: "00000000-0000-0000-0000-000000000001", userName: "root" };
  // Not awaited: what is saved of it is no part of this, and there is no directory for it.
  void harness.recorder.switchManually({ channelId, on, ...user });
}

const gop = (frames: number): readonly Step[] => ["key", ...Array<Step>(frames - 1).fill("frame")];

describe("on motion", () => {
  let startUs = Date.now() * 1000;

  it("motion reported late, from before a finished recording, adds nothing before it", async () => {
    startUs += 200 * SECOND_US;
    const steps: Step[] = [...gop(1), ...gop(7), "on", "key", "off", "key", "motion"];
    await play({ pre: 1, post: 1, lateUs: 2_000_000, steps }, startUs);
  });

  it("any pattern of motion, switches and key frames records what the model says, once and without a gap", async () => {
    const event = fc.constantFrom<Step>("motion", "still", "motion", "still", "on", "off");
    const stretch = fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.array(fc.tuple(event, fc.nat(39)), { maxLength: 4 }))
      .map(([frames, events]) => {
        const steps: Step[][] = gop(frames).map((step) => [step]);
        for (const [what, at] of events) steps[Math.min(at, frames - 1)]?.push(what);
        return steps.flat();
      });
    const plays = fc.record({
      pre: fc.integer({ min: 1, max: 6 }),
      post: fc.integer({ min: 1, max: 6 }),
      lateUs: fc.constantFrom(0, 0, 300_000, 2_000_000),
      steps: fc.array(stretch, { minLength: 1, maxLength: 12 }).map((parts) => parts.flat()),
    });
    await fc.assert(
      fc.asyncProperty(plays, async (one) => {
        startUs += 200 * SECOND_US;
        await play(one, startUs);
      }),
      { numRuns: RUNS },
    );
  });

  it("motion that begins again within the last recorded GOP repeats and omits nothing", async () => {
    startUs += 200 * SECOND_US;
    const steps: Step[] = [...gop(10), "motion", ...gop(10), "still", ...gop(50).slice(0, 40), "motion"];
    await play(
      { pre: 2, post: 1, lateUs: 0, steps: [...steps, ...gop(5).slice(1), "still", ...gop(10)] },
      startUs,
    );
  });

  it("a GOP of half a minute causes no gap", async () => {
    startUs += 200 * SECOND_US;
    const long = gop(150);
    const steps: Step[] = [...gop(5), "motion", ...long.slice(0, 10), "still", ...long.slice(10, 140)];
    await play(
      { pre: 3, post: 1, lateUs: 0, steps: [...steps, "motion", ...long.slice(140), "still"] },
      startUs,
    );
  });
});
