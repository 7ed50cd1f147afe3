import type { SeededRandom } from "../../base/seeded-random.js";
import type { ClipName } from "./clips.js";
import type { Habit, ZooPacket } from "./habit.js";
import type { SoundName } from "./sounds.js";

const TICKS_PER_MS = 90;
const HOUR_MS = 3_600_000;
/** Longer bursts and stalls are the link's: what came so late was taken earlier, and either time is right. */
const LINK_MS_MIN = 500;

/** What a clock that is wrong says at a time, both in milliseconds. */
type ClockFace = (ms: number) => number;

interface Part<T> {
  readonly name: string;
  readonly is: T;
}

interface Stamping {
  readonly face: ClockFace;
  /** Added to the time of packet `at` of a picture, in ticks. */
  readonly apart?: number;
}

interface Delivery {
  readonly sentMs?: (atMs: number) => number;
  readonly isOfLink?: boolean;
}

type Changes = (packets: ZooPacket[], index: number) => ZooPacket[];

const CLIPS: readonly ClipName[] = ["h264", "h264B", "h264Slices", "h265", "h265B", "mjpeg", "mpeg4"];
const SOUNDS: readonly SoundName[] = ["pcma", "aac"];
const PICTURES_A_SECOND = [4, 10, 10, 10, 25] as const;

/** A camera whose clock, delivery and numbers are drawn: its name says all of them. */
export function drawnCamera(random: SeededRandom, seconds: number): Habit {
  const clip = random.pick(CLIPS);
  const sound = random.chance(0.4) ? random.pick(SOUNDS) : undefined;
  const perSecond = random.pick(PICTURES_A_SECOND);
  const taken = drawnTaken(random, perSecond);
  const stamping = drawnStamping(random, taken.is.isUncounted);
  const delivery = drawnDelivery(random, seconds);
  const numbers = drawnNumbers(
    random,
    stamping.is.apart === undefined && !stamping.name.includes("standing"),
  );
  const soundFace = random.chance(0.3) ? stamping.is.face : (ms: number) => ms;
  const names = [clip, sound ?? "no sound", taken.name, stamping.name, delivery.name, numbers.name];
  if (sound !== undefined && soundFace === stamping.is.face) names.push("its sound likewise");
  const takenMs = (index: number): number => taken.is.takenMs(index);
  return {
    ...{ name: names.join(", "), kind: "clock", report: "none", clip, sound, seconds, takenMs },
    ...{ sentMs: delivery.is.sentMs, isHeldUp: delivery.is.isOfLink },
    stamp: (ticks, { index, shownLater }) => {
      const shownMs = takenMs(index + shownLater);
      const countedMs = taken.is.countedMs(index + shownLater);
      return ticks + Math.round(TICKS_PER_MS * (stamping.is.face(countedMs) - shownMs));
    },
    stampSound: (ticks, { atMs }) => ticks + Math.round(8 * (soundFace(atMs) - atMs)),
    packets: (packets, { index }) => {
      const { apart } = stamping.is;
      if (apart !== undefined) for (const [at, packet] of packets.entries()) packet.timestamp += at * apart;
      return numbers.is(packets, index);
    },
    soundPackets: (packets, { index }) => (numbers.isOfSound ? numbers.is(packets, index) : packets),
  };
}

interface Taken {
  takenMs(index: number): number;
  /** What the camera's clock counts for it. */
  countedMs(index: number): number;
  readonly isUncounted: boolean;
}

/** When pictures are taken: evenly, with a pause, or fewer by night. */
function drawnTaken(random: SeededRandom, perSecond: number): Part<Taken> {
  const evenMs = (index: number): number => (index * 1000) / perSecond;
  const even = {
    name: `${perSecond} a second`,
    is: { takenMs: evenMs, countedMs: evenMs, isUncounted: false },
  };
  const kind = random.below(8);
  const from = random.between(3, 12) * perSecond;
  if (kind === 0) {
    const pauseMs = random.between(700, 6000);
    const takenMs = (index: number): number => evenMs(index) + (index >= from ? pauseMs : 0);
    return {
      name: `${even.name} and an uncounted pause of ${pauseMs} ms`,
      is: { takenMs, countedMs: evenMs, isUncounted: true },
    };
  }
  if (kind === 1) {
    const night = random.pick([1, 2, 3, 5]);
    const takenMs = (index: number): number =>
      index < from ? evenMs(index) : evenMs(from) + ((index - from) * 1000) / night;
    return {
      name: `${even.name}, then ${night}, by number`,
      is: { takenMs, countedMs: evenMs, isUncounted: true },
    };
  }
  return even;
}

function drawnStamping(random: SeededRandom, isUncounted: boolean): Part<Stamping> {
  if (isUncounted) return { name: "its clock", is: { face: (ms) => ms } };
  const one = drawnFace(random);
  if (!random.chance(0.3)) return one;
  const other = drawnFace(random);
  const apart = one.is.apart ?? other.is.apart;
  return {
    name: `${one.name} and ${other.name}`,
    is: { face: (ms) => other.is.face(one.is.face(ms)), ...(apart === undefined ? {} : { apart }) },
  };
}

function drawnFace(random: SeededRandom): Part<Stamping> {
  const seed = random.below(1_000_000);
  const by = (choice: number): Part<Stamping> => {
    switch (choice) {
      case 0:
        return { name: "sane", is: { face: (ms) => ms } };
      case 1: {
        const rate = Number((0.05 * 400 ** random.next()).toPrecision(3));
        return { name: `at ${rate} of its rate`, is: { face: (ms) => ms * rate } };
      }
      case 2: {
        const everyMs = random.between(800, 12_000);
        const stepMs = random.pick([500, 2000, 7000, HOUR_MS]) * random.pick([-1, 1]);
        return {
          name: `stepping ${stepMs} ms each ${everyMs} ms`,
          is: { face: (ms) => ms + stepMs * Math.floor(ms / everyMs) },
        };
      }
      case 3: {
        const each = random.between(2, 30);
        const mostMs = random.pick([300, 1000, 5000, HOUR_MS]);
        return {
          name: `one of ${each} up to ${mostMs} ms off`,
          is: {
            face: (ms) => (chance(ms, seed) * each < 1 ? ms + (2 * chance(ms, seed + 1) - 1) * mostMs : ms),
          },
        };
      }
      case 4: {
        const mostMs = random.between(50, 2000);
        const periodMs = random.between(4000, 60_000);
        return {
          name: `wandering by ${mostMs} ms in ${periodMs} ms`,
          is: { face: (ms) => ms + mostMs * Math.sin((2 * Math.PI * ms) / periodMs) },
        };
      }
      case 5: {
        const fromMs = random.between(0, 12_000);
        const forMs = random.between(1000, 30_000);
        return {
          name: `standing still at ${fromMs} ms for ${forMs} ms`,
          is: { face: (ms) => ms - Math.min(Math.max(0, ms - fromMs), forMs) },
        };
      }
      case 6: {
        const apart = random.pick([1, 10, 100, 450]);
        return { name: `each packet ${apart} ticks later`, is: { face: (ms) => ms, apart } };
      }
      case 7: {
        const atMs = random.between(1000, 12_000);
        return { name: `wrapping, as ${atMs}`, is: { face: (ms) => ms + (2 ** 32 / TICKS_PER_MS - atMs) } };
      }
      case 8: {
        const everyMs = random.between(1000, 10_000);
        const rates = [0, 1, 2, 3].map(() => random.pick([0, 0.5, 0.9, 1, 1, 1.1, 2]));
        return {
          name: `at ${rates.join(", ")} of its rate for ${everyMs} ms each`,
          is: { face: ratesFace(rates, everyMs) },
        };
      }
      case 9: {
        const mostMs = random.between(20, 600);
        return {
          name: `off by up to ${mostMs} ms by chance`,
          is: { face: (ms) => ms + (2 * chance(ms, seed) - 1) * mostMs },
        };
      }
      default:
        return { name: "standing at 0", is: { face: () => 0 } };
    }
  };
  return by(random.below(11));
}

function ratesFace(rates: readonly number[], everyMs: number): ClockFace {
  const starts = [0];
  for (let at = 0; at < 200; at += 1)
    starts.push((starts[at] ?? 0) + (rates[at % rates.length] ?? 1) * everyMs);
  return (ms) => {
    const at = Math.max(0, Math.min(starts.length - 2, Math.floor(ms / everyMs)));
    const [begin = 0, end = 0] = starts.slice(at, at + 2);
    return begin + (end - begin) * (ms / everyMs - at);
  };
}

/** A number from 0 to 1 that is the same for the same time. */
function chance(ms: number, seed: number): number {
  let mixed = Math.imul(Math.round(ms) ^ Math.imul(seed, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

function drawnDelivery(random: SeededRandom, seconds: number): Part<Delivery> {
  const kind = random.below(6);
  if (kind === 0) {
    const burstMs = random.pick([100, 200, 300, 400, 500, 500, 700, 1000, 2000, 3000]);
    const sentMs = (atMs: number): number => Math.ceil((atMs + 1) / burstMs) * burstMs;
    return { name: `bursts of ${burstMs} ms`, is: { sentMs, isOfLink: burstMs > LINK_MS_MIN } };
  }
  if (kind === 1) {
    const mostMs = random.between(20, 300);
    const seed = random.below(1_000_000);
    return {
      name: `up to ${mostMs} ms late by chance`,
      is: { sentMs: (atMs) => atMs + mostMs * chance(atMs, seed) },
    };
  }
  if (kind === 2) {
    const fromMs = 1000 * random.between(2, seconds - 8);
    const stallMs = random.between(600, 5000);
    const sentMs = (atMs: number): number =>
      atMs >= fromMs && atMs < fromMs + stallMs ? fromMs + stallMs : atMs;
    return { name: `a stall of ${stallMs} ms at ${fromMs} ms`, is: { sentMs, isOfLink: true } };
  }
  return { name: "even", is: {} };
}

interface Numbers extends Part<Changes> {
  readonly isOfSound: boolean;
}

/** SSRC, sequence and marker: hints, on pictures and on sound. */
function drawnNumbers(random: SeededRandom, isOfOneTime: boolean): Numbers {
  const isOfSound = random.chance(0.5);
  const every = random.between(5, 60);
  const choices: Part<Changes>[] = [
    { name: "sane numbers", is: (packets) => packets },
    { name: "sane numbers", is: (packets) => packets },
    {
      name: `another source each ${every}`,
      is: (packets, index) =>
        packets.map((packet) => ({
          ...packet,
          ssrc: (packet.ssrc + Math.floor(index / every) * 7919) >>> 0,
        })),
    },
    {
      name: `another sequence each ${every}`,
      is: (packets, index) =>
        packets.map((packet) => ({
          ...packet,
          sequence: packet.sequence + Math.floor(index / every) * 9973,
        })),
    },
    {
      name: `another source and sequence each ${every}`,
      is: (packets, index) =>
        packets.map((packet) => ({
          ...packet,
          ssrc: (packet.ssrc + Math.floor(index / every) * 7919) >>> 0,
          sequence: packet.sequence + Math.floor(index / every) * 9973,
        })),
    },
  ];
  if (isOfOneTime)
    choices.push({
      name: `no markers for ${every} of ${2 * every}`,
      is: (packets, index) =>
        Math.floor(index / every) % 2 === 1
          ? packets.map((packet) => ({ ...packet, marker: false }))
          : packets,
    });
  return { ...random.pick(choices), isOfSound };
}
