import { afterEach, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/time/clock.js";
import { fillGap, type GapOutcome } from "../../../src/camera/filling/gap-fill.js";
import { GAP_US_MIN } from "../../../src/camera/filling/gap-plan.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import { CardCamera, FRAME_US, GOP_FRAMES } from "../../support/card/card-camera.js";
import { CardRecorder } from "../../support/card/card-recorder.js";
import { TEST_VIDEO_FORMAT } from "../../support/media/synthetic-frames.js";

const S = 1_000_000;
const PICTURES = 900;
/** The recording has the pictures before the first and from the second on. */
const GAP = { from: 230, to: 625 };

const recorders: CardRecorder[] = [];
afterEach(async () => {
  for (const recorder of recorders.splice(0)) await recorder.close();
});

async function recorderOf(
  camera: CardCamera,
  late: { readonly before?: (index: number) => number; readonly behind?: (index: number) => number } = {},
): Promise<CardRecorder> {
  const recorder = new CardRecorder(camera);
  recorders.push(recorder);
  await recorder.start();
  await recorder.record(0, GAP.from, late.before);
  await recorder.record(GAP.to, PICTURES, late.behind);
  return recorder;
}

const newCamera = (change: Partial<ConstructorParameters<typeof CardCamera>[0]> = {}) =>
  new CardCamera({ startUs: (Math.floor(Date.now() / 1000) - 3600) * S, pictures: PICTURES, ...change });

/** Fills the longest hole. */
async function fill(recorder: CardRecorder, signal: AbortSignal): Promise<GapOutcome> {
  const [gap] = recorder.holes().sort((a, b) => b.toUs - b.fromUs - (a.toUs - a.fromUs));
  if (gap === undefined) throw new Error("nothing is missing");
  const { camera, key, archive } = recorder;
  return await fillGap({
    ...{ gap: { channelId: key.channelId, ...gap }, key, cards: camera, archive, signal },
    ...{ bytesPerSecondMax: Number.POSITIVE_INFINITY, clock: new SystemClock(), log: SILENT_LOG },
    onProgress: () => undefined,
  });
}

/** Pictures from `from` to before `to`, in order. */
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
/** All but the rest of the group of pictures in which the recording was cut. */
const WHOLE = [...range(0, GAP.from), ...range(250, PICTURES)];

it.each(range(0, 45).map((chunk) => chunk * 10))(
  "filling that is stopped %d pictures into the playback goes on where it was: all is there once",
  async (stopAt) => {
    const camera = newCamera({ offsetUs: 7.4 * S });
    const recorder = await recorderOf(camera, { behind: () => 400_000 });
    const stopping = new AbortController();
    let first: number | undefined;
    camera.onPlay = (index) => {
      first ??= index;
      if (index - first >= stopAt) stopping.abort();
    };
    await fill(recorder, stopping.signal);
    camera.onPlay = () => undefined;
    await recorder.restart();
    if (recorder.holes().some(({ fromUs, toUs }) => toUs - fromUs > GAP_US_MIN))
      await fill(recorder, new AbortController().signal);
    expect(await recorder.numbers()).toEqual(WHOLE);
  },
);

it("a card that has its pictures later than they were recorded is met to the picture", async () => {
  const recorder = await recorderOf(newCamera({ jitterUs: () => 1_800_000 }));
  await fill(recorder, new AbortController().signal);
  expect(await recorder.numbers()).toEqual(WHOLE);
});

it("a short gap of which the camera has no picture that is not recorded is dealt with", async () => {
  const camera = newCamera();
  const recorder = new CardRecorder(camera);
  recorders.push(recorder);
  await recorder.start();
  await recorder.record(0, 250);
  await recorder.record(250, 500, () => 1_600_000);
  expect(await fill(recorder, new AbortController().signal)).toEqual({ filledUs: 0, missing: undefined });
  expect(await recorder.numbers()).toEqual(range(0, 500));
});

it("a longer gap of which the camera has nothing is not", async () => {
  const recorder = await recorderOf(newCamera());
  recorder.camera.frames = () => [];
  const { missing } = await fill(recorder, new AbortController().signal);
  expect(missing).toBe("the camera kept nothing of this time");
});

it("H.265 is filled as it is recorded", async () => {
  const format = { ...TEST_VIDEO_FORMAT, codec: Codec.H265 };
  const camera = newCamera({ format });
  const recorder = await recorderOf(camera);
  await fill(recorder, new AbortController().signal);
  expect(await recorder.numbers()).toEqual(WHOLE);
  expect(new Set((await recorder.pictures()).map(({ codec }) => codec))).toEqual(new Set([Codec.H265]));
});

/** The same numbers for a seed, from 0 to before 1. */
function randomOf(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

it.each(range(1, 41))(
  "however late pictures are recorded, and wherever it is stopped, all is there once (seed %d)",
  async (seed) => {
    const random = randomOf(seed);
    const camera = newCamera({ offsetUs: Math.round((random() - 0.5) * 10 * S) });
    const recorder = new CardRecorder(camera);
    recorders.push(recorder);
    await recorder.start();
    const from = 150 + Math.floor(random() * 150);
    const to = GOP_FRAMES * Math.ceil((from + 150 + random() * 250) / GOP_FRAMES);
    // As late as the camera's newest group of pictures was old; its times settle then, and jitter.
    const lateness = (leastUs = 0) => {
      const [lateUs, settledUs] = [Math.max(leastUs, random() * 1.5 * S), random() * 1200];
      return (at: number) =>
        Math.round(Math.max(lateUs - 300_000, lateUs - settledUs * at, 0)) + ((at * 40_503) % 9000);
    };
    const cut = from - Math.floor(random() * 150);
    const next = GOP_FRAMES * Math.ceil(cut / GOP_FRAMES);
    const before = lateness();
    await recorder.record(0, cut, before);
    // A stream's times do not go back.
    const again = lateness(before(cut) - (next - cut - 1) * FRAME_US);
    await recorder.record(next, from, (index) => again(index - next));
    const behind = lateness();
    await recorder.record(to, PICTURES, (index) => behind(index - to));
    const stopping = new AbortController();
    const stopAt = Math.floor(random() * 60) * 10;
    let first: number | undefined;
    camera.onPlay = (index) => {
      first ??= index;
      if (index - first >= stopAt) stopping.abort();
    };
    await fill(recorder, stopping.signal);
    camera.onPlay = () => undefined;
    await recorder.restart();
    if (recorder.holes().some(({ fromUs, toUs }) => toUs - fromUs > GAP_US_MIN))
      await fill(recorder, new AbortController().signal);
    const numbers = await recorder.numbers();
    const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
    expect(steps.filter((step) => step < 1)).toEqual([]);
    expect(Math.max(...steps)).toBeLessThanOrEqual(GOP_FRAMES);
  },
);
