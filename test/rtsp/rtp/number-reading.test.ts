import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberReading, SessionNumbers } from "../../../src/rtsp/rtp/number-reading.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SEQUENCES = 0x10000;
const SECOND_US = 1_000_000;
const PICTURE_PACKETS = 3;

/** A packet with this number; what it is the how-manieth of stands behind its header. */
function packet(sequence: number, index: number, source = 7): Buffer {
  const bytes = Buffer.alloc(16);
  bytes[0] = 0x80;
  bytes[1] = 96;
  bytes.writeUInt16BE(((sequence % SEQUENCES) + SEQUENCES) % SEQUENCES, 2);
  bytes.writeUInt32BE(3000 * Math.floor(index / PICTURE_PACKETS), 4);
  bytes.writeUInt32BE(source, 8);
  bytes.writeUInt32BE(index, 12);
  return bytes;
}

class Track {
  readonly numbers: number[] = [];
  readonly indices: number[] = [];
  readonly #reading: NumberReading;

  constructor(clock: SimulatedClock, session?: SessionNumbers) {
    this.#reading = new NumberReading({
      ...{ clock, session },
      deliver: (bytes) => {
        this.numbers.push(bytes.readUInt16BE(2));
        this.indices.push(bytes.readUInt32BE(12));
      },
    });
  }

  push(bytes: Buffer): void {
    this.#reading.push(bytes);
  }

  /** Numbers that do not follow the one before. */
  get breaks(): number {
    return this.numbers.filter(
      (number, at) => at > 0 && number !== ((this.numbers[at - 1] ?? 0) + 1) % SEQUENCES,
    ).length;
  }
}

const swap = (number: number): number => ((number & 0xff) << 8) | ((number >> 8) & 0xff);

const COUNTINGS: readonly (readonly [string, (index: number) => number])[] = [
  ["by one", (index) => 65_000 + index],
  ["by two", (index) => 65_001 + 2 * index],
  ["by three", (index) => 60_000 + 3 * index],
  ["by 64", (index) => 64 * index],
  ["downwards", (index) => 400 - index],
  ["downwards by two", (index) => 401 - 2 * index],
  ["with their bytes swapped", (index) => swap((65_200 + index) % SEQUENCES)],
];

describe("numbers of a camera that counts", () => {
  it.each(COUNTINGS)("%s follow each other, and all packets pass", (_name, count) => {
    const clock = new SimulatedClock();
    const track = new Track(clock);
    for (let index = 0; index < 2000; index += 1) track.push(packet(count(index), index));
    clock.advance(SECOND_US);
    expect(track.indices).toEqual(Array.from({ length: 2000 }, (_, index) => index));
    expect(track.breaks).toBe(0);
  });

  it.each(COUNTINGS)("%s show what is missing, once it is known how", (_name, count) => {
    const clock = new SimulatedClock();
    const track = new Track(clock);
    for (let index = 0; index < 2000; index += 1) if (index !== 1000) track.push(packet(count(index), index));
    clock.advance(SECOND_US);
    expect(track.indices).toHaveLength(1999);
    expect(track.breaks).toBe(1);
  });

  it.each(COUNTINGS)(
    "%s, and by one from the thousandth on, break there and nowhere else",
    (_name, count) => {
      const clock = new SimulatedClock();
      const track = new Track(clock);
      for (let index = 0; index < 2000; index += 1)
        track.push(packet(index < 1000 ? count(index) : 30_000 + index, index));
      clock.advance(SECOND_US);
      expect(track.indices).toEqual(Array.from({ length: 2000 }, (_, index) => index));
      expect(track.breaks).toBeLessThanOrEqual(3);
    },
  );
});

it("numbers of a camera that counts by one pass as they are, in the order in which they come, whatever is lost and overtaken", () => {
  const network = fc.record({
    seed: fc.nat(),
    lost: fc.integer({ min: 0, max: 35 }),
    overtaken: fc.integer({ min: 0, max: 50 }),
    repeated: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(network, ({ seed, lost, overtaken, repeated }) => {
      const random = new SeededRandom(seed);
      const clock = new SimulatedClock();
      const track = new Track(clock);
      // The first ones come in order: how a camera counts is seen there.
      const sent: Buffer[] = [];
      for (let index = 0; index < 500; index += 1) {
        if (index > 4 && random.below(100) < lost) continue;
        const bytes = packet(65_300 + index, index);
        if (index > 5 && random.below(100) < overtaken) sent.splice(-1, 0, bytes);
        else sent.push(bytes);
        if (random.below(100) < repeated) sent.push(Buffer.from(bytes));
      }
      const expected = sent.map((bytes) => bytes.readUInt16BE(2));
      for (const bytes of sent) {
        if (random.below(10) === 0) clock.advance(random.below(60_000));
        track.push(bytes);
      }
      clock.advance(SECOND_US);
      expect(track.numbers).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

describe("a picture that was turned round on the way", () => {
  it("is put in order where it is the session's first, and does not show how the camera counts", () => {
    const track = new Track(new SimulatedClock());
    for (const index of [5, 4, 3]) track.push(packet(10 + index, index));
    for (const index of [6, 7]) track.push(packet(10 + index, index));
    expect(track.numbers).toEqual([13, 14, 15, 16, 17]);
  });

  it("passes as it comes later on, at once", () => {
    const track = new Track(new SimulatedClock());
    for (const index of [0, 1, 2, 3, 6, 5, 4]) track.push(packet(10 + index, 3 * Math.floor(index / 4)));
    expect(track.numbers).toEqual([10, 11, 12, 13, 16, 15, 14]);
  });
});

it("packets wait no longer than 100 ms for those that show how their numbers count", () => {
  const clock = new SimulatedClock();
  const track = new Track(clock);
  track.push(packet(1, 0));
  track.push(packet(2, 1));
  expect(track.indices).toEqual([0, 1]);
  track.push(packet(4, 2));
  expect(track.indices).toEqual([0, 1]);
  clock.advance(100_000);
  expect(track.indices).toEqual([0, 1, 2]);
});

describe("pictures and sound", () => {
  /** Two to four packets of pictures for each of sound; returns both tracks after so many numbers. */
  function counted(numberOf: (index: number, isSound: boolean) => number): [Track, Track] {
    const clock = new SimulatedClock();
    const session = new SessionNumbers();
    const [pictures, sound] = [new Track(clock, session), new Track(clock, session)];
    const random = new SeededRandom(3);
    for (let index = 0, left = 0; index < 2000; index += 1) {
      const isSound = left === 0;
      left = isSound ? 2 + random.below(3) : left - 1;
      (isSound ? sound : pictures).push(packet(numberOf(index, isSound), index, isSound ? 8 : 7));
      clock.advance(1000);
    }
    clock.advance(SECOND_US);
    return [pictures, sound];
  }

  it("that are counted by one counter have numbers that follow each other, once that is known", () => {
    for (const track of counted((index) => 64_000 + index)) {
      expect(track.indices).toEqual([...track.indices].sort((a, b) => a - b));
      const late = track.numbers.slice(60);
      expect(late.filter((number, at) => at > 0 && number !== ((late[at - 1] ?? 0) + 1) % SEQUENCES)).toEqual(
        [],
      );
    }
  });

  it("whose own counters are near each other show what is missing", () => {
    const next = [1000, 1005];
    const [pictures] = counted((index, isSound) => {
      const at = isSound ? 1 : 0;
      const number = next[at] ?? 0;
      // One of three packets of pictures is lost.
      next[at] = number + (!isSound && index % 3 === 0 ? 2 : 1);
      return number;
    });
    expect(pictures.breaks).toBeGreaterThan(300);
  });
});
