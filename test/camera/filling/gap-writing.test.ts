import { expect, it } from "vitest";
import { digestOf, GapEdges, type KnownPictures } from "../../../src/camera/filling/gap-edges.js";
import { GapWriting } from "../../../src/camera/filling/gap-writing.js";
import type { Frame } from "../../../src/live/frame.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { syntheticFrame } from "../../support/media/synthetic-frames.js";

const S = 1_000_000;
const FRAME_US = 40_000;
const GOP = 25;
/** The gap, by our clock. */
const GAP = { fromUs: 1_000_000 * S, toUs: 1_000_010 * S };

const bytesOf = (index: number) => Buffer.from(`picture ${index}`);
/** Our time of a picture; 0 is the first of the gap. */
const timeOf = (index: number) => GAP.fromUs + index * FRAME_US;

function pictures(from: number, to: number, offsetUs: number): Frame[] {
  return Array.from({ length: to - from }, (_, at) =>
    syntheticFrame({
      decodeTimeUs: timeOf(from + at) + offsetUs,
      key: (from + at) % GOP === 0,
      bytes: bytesOf(from + at),
    }),
  );
}

function knownOf(...indexes: number[]): KnownPictures {
  return new Map(indexes.map((index) => [digestOf([bytesOf(index)]), [timeOf(index)]]));
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

async function write(
  lists: readonly (readonly Frame[])[],
  {
    known,
    offsetUs,
    endsWith,
    onNext,
  }: {
    known: KnownPictures;
    offsetUs: number;
    endsWith?: Error;
    onNext?: (clock: SimulatedClock, sink: { framesLost: number }) => void;
  },
) {
  const left = [...lists];
  const clock = new SimulatedClock();
  const written: { timeUs: number; text: string }[] = [];
  const playback = {
    next: async () => {
      onNext?.(clock, sink);
      const frames = left.shift();
      if (frames === undefined && endsWith !== undefined) throw endsWith;
      return frames ?? [];
    },
    receivedBytes: 0,
    close: () => undefined,
  };
  const edges = new GapEdges({ gap: GAP, known, offsetUs });
  const sink = {
    isBusy: false,
    framesLost: 0,
    append: (frame: Frame) =>
      void written.push({ timeUs: frame.decodeTimeUs, text: frame.copyBytes().toString() }),
  };
  const writing = new GapWriting({
    ...{ gap: GAP, playback, edges, sink, clock },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const error = await writing.run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { written, error, result: writing.written };
}

const texts = (from: number, to: number) => range(from, to).map((index) => bytesOf(index).toString());

it.each([0, 3600 * S, -7 * S])(
  "meets what is recorded to the picture, although the camera's clock is %d µs off and told to a second",
  async (offsetUs) => {
    const known = knownOf(...range(-60, 0), ...range(250, 300));
    const lists = [pictures(-75, 100, offsetUs + 700_000), pictures(100, 300, offsetUs + 700_000)];
    const { written } = await write(lists, { known, offsetUs });
    expect(written.map(({ text }) => text)).toEqual(texts(0, 250));
    expect(written.map(({ timeUs }) => timeUs)).toEqual(range(0, 250).map(timeOf));
  },
);

// A card may have its pictures with the times at which they came to it: a recorder's has, and that may be later than we recorded them.
it.each([1_300_000, 1_800_000, 3_000_000, 4_500_000])(
  "meets what is recorded to the picture, although the card has its pictures %d µs later",
  async (laterUs) => {
    const known = knownOf(...range(-125, 0), ...range(250, 375));
    const { written } = await write([pictures(-250, 375, laterUs)], { known, offsetUs: 0 });
    expect(written.map(({ text }) => text)).toEqual(texts(0, 250));
    expect(written.map(({ timeUs }) => timeUs)).toEqual(range(0, 250).map(timeOf));
  },
);

/** Pictures of a still scene: their bytes come again every `period`. */
const stillBytes = (index: number, period: number) =>
  Buffer.from(`still ${((index % period) + period) % period}`);

function stillKnown(period: number, ...indexes: number[]): KnownPictures {
  const known = new Map<string, number[]>();
  for (const index of indexes) {
    const digest = digestOf([stillBytes(index, period)]);
    known.set(digest, [...(known.get(digest) ?? []), timeOf(index)]);
  }
  return known;
}

it.each([
  [25, 0],
  [25, 700_000],
  [75, 0],
  [75, 700_000],
  [100, 0],
  [100, 1_300_000],
])(
  "fills the whole gap of a still scene whose pictures come again after %d (the clock %d µs off)",
  async (period, offUs) => {
    const known = stillKnown(period, ...range(-125, 0), ...range(250, 375));
    const playback = range(-150, 375).map((index) =>
      syntheticFrame({
        decodeTimeUs: timeOf(index) + offUs,
        key: index % GOP === 0,
        bytes: stillBytes(index, period),
      }),
    );
    const { written } = await write([playback], { known, offsetUs: 0 });
    const seconds = written.map(({ timeUs }) => (timeUs - GAP.fromUs) / S);
    expect([seconds[0], seconds.at(-1), seconds.length]).toEqual([0, 9.96, 250]);
  },
);

it("of a scene whose pictures are all the same, no more than two at each end are left out", async () => {
  const known = stillKnown(1, ...range(-125, 0), ...range(250, 375));
  const playback = range(-150, 375).map((index) =>
    syntheticFrame({ decodeTimeUs: timeOf(index), key: true, bytes: stillBytes(index, 1) }),
  );
  const { written } = await write([playback], { known, offsetUs: 0 });
  const numbers = written.map(({ timeUs }) => (timeUs - GAP.fromUs) / FRAME_US);
  expect(numbers).toEqual(range(numbers[0] ?? 0, (numbers.at(-1) ?? 0) + 1));
  expect(numbers[0]).toBeLessThanOrEqual(2);
  expect(numbers.at(-1)).toBeGreaterThanOrEqual(247);
});

it("goes on where one picture within the gap has the bytes of one that is recorded behind it", async () => {
  const same = Buffer.from("nothing moves");
  const at = (index: number) => (index === 200 || index === 260 ? same : bytesOf(index));
  const known = new Map([
    ...knownOf(...range(-125, 0), ...range(250, 375)),
    [digestOf([same]), [timeOf(260)]] as const,
  ]);
  const playback = range(-150, 375).map((index) =>
    syntheticFrame({ decodeTimeUs: timeOf(index), key: index % GOP === 0, bytes: at(index) }),
  );
  const { written } = await write([playback], { known, offsetUs: 0 });
  expect(written).toHaveLength(250);
});

it("follows a recording whose clock was still slewed before the gap", async () => {
  const slewed = range(-60, 0).map(
    (index) => [digestOf([bytesOf(index)]), [timeOf(index) + index * 3000]] as const,
  );
  const { written } = await write([pictures(-75, 300, 0)], { known: new Map(slewed), offsetUs: 0 });
  expect(written[0]?.text).toBe("picture 0");
  expect(Math.abs((written[0]?.timeUs ?? 0) - GAP.fromUs)).toBeLessThan(5000);
});

it("ends where the camera, connected again, began with a group of pictures from before", async () => {
  const late = range(225, 300).map((index) => [digestOf([bytesOf(index)]), [timeOf(index) + S]] as const);
  const known = new Map([...knownOf(...range(-60, 0)), ...late]);
  const { written } = await write([pictures(-75, 300, 0)], { known, offsetUs: 0 });
  expect(written.map(({ text }) => text)).toEqual(texts(0, 225));
});

it("ends there also where that group's key frame is not known again, with this one picture doubled", async () => {
  const late = range(226, 300).map((index) => [digestOf([bytesOf(index)]), [timeOf(index) + S]] as const);
  const known = new Map([...knownOf(...range(-60, 0)), ...late]);
  const { written } = await write([pictures(-75, 300, 0)], { known, offsetUs: 0 });
  expect(written.map(({ text }) => text)).toEqual(texts(0, 226));
});

/** Pictures as they were recorded: each `lateUs` after it was made. */
const recorded = (from: number, to: number, lateUs: (index: number) => number) =>
  range(from, to).map((index) => [digestOf([bytesOf(index)]), [timeOf(index) + lateUs(index)]] as const);

it("doubles nothing where the camera was connected again shortly before the gap", async () => {
  // The first connection began with an old group of pictures; the times of the second one still settle.
  const known = new Map([
    ...recorded(-125, -60, () => 1_200_000),
    ...recorded(-60, 0, (index) => index * -1200),
  ]);
  const { written } = await write([pictures(-125, 300, 0)], { known, offsetUs: 0 });
  expect(written[0]?.text).toBe("picture 0");
});

it("doubles nothing where only some pictures are recorded since the camera was connected again", async () => {
  const known = new Map([...recorded(-125, -3, () => 1_200_000), ...recorded(-3, 3, () => 0)]);
  const { written } = await write([pictures(-125, 300, 0)], { known, offsetUs: 0 });
  expect(written[0]?.text).toBe("picture 25");
});

it("knows pictures again that were recorded seconds after they were made", async () => {
  const known = new Map([...recorded(-125, 0, () => 2_400_000)]);
  const { written } = await write([pictures(-125, 400, 0)], { known, offsetUs: 500_000 });
  expect(written[0]?.text).toBe("picture 0");
});

it.each([5, 7, 12])(
  "knows pictures behind the gap again that were recorded %d s after they were made, as on a machine with much other work",
  async (lateS) => {
    const late = (lateS * S) / FRAME_US;
    const behind = range(250 - late, 375 - late).map((index): [string, number[]] => [
      digestOf([bytesOf(index)]),
      [timeOf(index + late)],
    ]);
    const known = new Map([...knownOf(...range(-60, 0)), ...behind]);
    const { written } = await write([pictures(-75, 375, 700_000)], { known, offsetUs: 0 });
    expect(written.map(({ text }) => text)).toEqual(texts(0, Math.max(0, 250 - late)));
  },
);

it("writes nothing behind the gap, whatever the times of the card", async () => {
  const known = knownOf(...range(-60, 0), 1000);
  const next = pictures(0, 330, 0).filter((_, index) => index >= 260);
  const { written } = await write([pictures(-75, 0, 0), next], { known, offsetUs: 0 });
  expect(written.filter(({ timeUs }) => timeUs < GAP.fromUs || timeUs >= GAP.toUs)).toEqual([]);
});

it("leaves nothing out at the end where what is recorded before the gap has later times than what follows", async () => {
  const known = new Map([...recorded(-125, 0, () => S), ...recorded(250, 300, () => 0)]);
  const { written, result } = await write([pictures(-125, 300, 0)], { known, offsetUs: 0 });
  expect(written.map(({ text }) => text)).toEqual(texts(0, 250));
  const times = written.map(({ timeUs }) => timeUs);
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  expect(times.at(-1)).toBeLessThan(GAP.toUs);
  expect(result.toUs).toBeLessThanOrEqual(GAP.toUs);
});

it("begins with a key frame where the recording was cut within a group of pictures", async () => {
  const known = knownOf(...range(-60, 10));
  const { written } = await write([pictures(-75, 300, 0)], { known, offsetUs: 0 });
  expect(written[0]?.text).toBe("picture 25");
});

it("leaves both ends free where no picture is known, so that nothing is doubled", async () => {
  const { written } = await write([pictures(-75, 300, 0)], { known: new Map(), offsetUs: 0 });
  expect(written[0]?.timeUs).toBeGreaterThanOrEqual(GAP.fromUs + S);
  expect(written.at(-1)?.timeUs).toBeLessThanOrEqual(GAP.toUs - S);
});

it("a playback that fails leaves whole groups of pictures", async () => {
  const known = knownOf(...range(-60, 0));
  const endsWith = new Error("stalled");
  const { written, error } = await write([pictures(-75, 60, 0)], { known, offsetUs: 0, endsWith });
  expect(error).toBe(endsWith);
  expect(written.map(({ text }) => text)).toEqual(texts(0, 50));
});

it("a card that has only a part says how much of it is missing", async () => {
  const known = knownOf(...range(-60, 0));
  const lists = [[...pictures(-75, 50, 0), ...pictures(150, 300, 0)]];
  const { written, result } = await write(lists, { known, offsetUs: 0 });
  expect(written).toHaveLength(150);
  expect(result.missingUs).toBeGreaterThan(3 * S);
});

it("a recording whose times go back is not followed", async () => {
  const known = knownOf(...range(-60, 0));
  const lists = [pictures(-75, 100, 0), pictures(-75, 0, -100 * S)];
  const { error } = await write(lists, { known, offsetUs: 0 });
  expect(String(error)).toContain("go back");
});

it("a camera that plays another time is not listened to for ever", async () => {
  const early = range(0, 30).map((at) => pictures(-100_000 + at * 1000, -99_000 + at * 1000, 0));
  const { error, written } = await write(early, { known: new Map(), offsetUs: 0 });
  expect(String(error)).toContain("another time");
  expect(written).toEqual([]);
});

it("a camera whose times stand still is not followed for ever", async () => {
  const known = knownOf(...range(-60, 0));
  const still = () =>
    range(0, 500).map((index) =>
      syntheticFrame({ decodeTimeUs: timeOf(0), key: index === 0, bytes: Buffer.from(`still ${index}`) }),
    );
  const { error, written } = await write([pictures(-75, 0, 0), ...range(0, 100).map(still)], {
    known,
    offsetUs: 0,
  });
  expect(String(error)).toContain("more pictures than");
  expect(written.length).toBeLessThan(10_000);
});

it("a camera that sends its recording a picture a minute is not waited for", async () => {
  const known = knownOf(...range(-60, 0));
  const lists = range(0, 250).map((index) => pictures(index, index + 1, 0));
  const { error, written } = await write(lists, {
    known,
    offsetUs: 0,
    onNext: (clock) => clock.advance(60 * S),
  });
  expect(String(error)).toContain("far too slowly");
  expect(written.length).toBeLessThan(GOP);
});

it("a group of pictures of 40 MiB is written in pieces, without anything missing", async () => {
  const known = knownOf(...range(-60, 0));
  const huge = range(0, 40).map((index) => [
    syntheticFrame({
      decodeTimeUs: timeOf(index),
      key: index === 0,
      bytes: Buffer.alloc(1024 * 1024, index + 1),
    }),
  ]);
  const { written, error } = await write([pictures(-75, 0, 0), ...huge], { known, offsetUs: 0 });
  expect(error).toBeUndefined();
  expect(written).toHaveLength(40);
});

it("what the disk does not take ends the playback with the reason", async () => {
  const known = knownOf(...range(-60, 0));
  const { error } = await write([pictures(-75, 60, 0), pictures(60, 120, 0)], {
    known,
    offsetUs: 0,
    onNext: (_, sink) => {
      sink.framesLost += 1;
    },
  });
  expect(String(error)).toContain("the disk does not take it");
});

it("sound goes along within the gap, in its order, and not beside it", async () => {
  const known = knownOf(...range(-60, 0), ...range(250, 300));
  const sound = (index: number) =>
    syntheticFrame({ decodeTimeUs: timeOf(index), audio: true, bytes: Buffer.from(`sound ${index}`) });
  const lists = range(-75, 300).map((index) => [...pictures(index, index + 1, 0), sound(index)]);
  const { written } = await write([...lists, [sound(10)]], { known, offsetUs: 0 });
  const heard = written.filter(({ text }) => text.startsWith("sound"));
  expect(heard.map(({ text }) => text)).toEqual(range(0, 250).map((index) => `sound ${index}`));
});

// The device's recording may reach no further yet when its pictures are fetched at once after a reconnection.
it.each([1, 2])(
  "doubles nothing where the playback ends %d pictures behind a gap whose end was recorded late",
  async (behind) => {
    const late = range(241, 300).map((index) => [digestOf([bytesOf(index)]), [timeOf(index + 9)]] as const);
    const known = new Map([...knownOf(...range(-60, 0)), ...late]);
    const { written } = await write([pictures(-75, 241 + behind, 0)], { known, offsetUs: 0 });
    expect(written.map(({ text }) => text)).toEqual(texts(0, 241));
  },
);
