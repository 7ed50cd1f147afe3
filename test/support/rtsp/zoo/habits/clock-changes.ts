import type { Habit } from "../habit.js";

const kind = "clock";
const SECOND = 90_000;

/** What is taken in so many milliseconds is sent at once. */
function bursts(ms: number): NonNullable<Habit["sentMs"]> {
  return (atMs) => Math.ceil((atMs + 1) / ms) * ms;
}

/** A whole number below `end` that `seed` draws. */
function drawn(seed: number, end: number): number {
  return (Math.imul(seed + 1, 2_654_435_761) >>> 0) % end;
}

/** The same number with its bytes the other way round. */
function swapped(ticks: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((ticks % 2 ** 32) >>> 0);
  return bytes.readUInt32LE();
}

const LATE_BY_BURST = { offMs: 650, makes: "finds the clock out behind the bursts, and dates by arrival" };

/** Clocks that change what they are: by turns, by steps, within numbers that are too short; those of sound. */
export const CLOCK_CHANGES: readonly Habit[] = [
  {
    name: "stamps a second right, and another wrong by up to five seconds, by chance",
    ...{ kind, report: "mediamtx PR 6255", seconds: 60 },
    stamp: (ticks, { atMs }) => ticks + 90 * wrongMs(Math.floor(atMs / 1000)),
  },
  {
    name: "stamps 300 ms right, and others wrong by up to five seconds, by chance, beside its sound",
    ...{ kind, report: "mediamtx PR 6255", seconds: 60, sound: "pcma" },
    stamp: (ticks, { atMs }) => ticks + 90 * wrongMs(Math.floor(atMs / 300)),
  },
  {
    name: "stamps half of each second a second late, and the other half right",
    ...{ kind, report: "raptor #43", clip: "h265", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks - (atMs % 1000 < 500 ? 0 : SECOND),
  },
  {
    name: "runs twice as fast for three seconds of nine",
    ...{ kind, report: "frigate #8881", seconds: 60 },
    stamp: (ticks, { atMs }) => ticks + 90 * (3000 * Math.floor(atMs / 9000) + Math.min(3000, atMs % 9000)),
  },
  {
    name: "steps 350 ms ahead every two seconds",
    ...{ kind, report: "raptor #43", seconds: 60 },
    stamp: (ticks, { atMs }) => ticks + 0.35 * SECOND * Math.floor(atMs / 2000),
  },
  {
    name: "steps 350 ms back every two seconds",
    ...{ kind, report: "raptor #43", seconds: 60 },
    stamp: (ticks, { atMs }) => ticks - 0.35 * SECOND * Math.floor(atMs / 2000),
  },
  {
    name: "stamps up to 300 ms early and late by chance",
    ...{ kind, report: "go2rtc #1713", seconds: 40 },
    stamp: (ticks, { index }) => ticks + 90 * (drawn(index, 600) - 300),
  },
  {
    name: "gives all pictures of a group one timestamp",
    ...{ kind, report: "homebridge-camera-ffmpeg #471", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks - 90 * (atMs % 2000),
  },
  {
    name: "keeps 16 bits of its timestamps",
    ...{ kind, report: "RFC 3550, 5.1" },
    stamp: (ticks) => ticks & 0xffff,
  },
  {
    name: "has timestamps that wrap after 31 bits",
    ...{ kind, report: "RFC 3550, 5.1", sound: "pcma" },
    stamp: (_ticks, { atMs }) => (2 ** 31 - 5 * SECOND + Math.round(90 * atMs)) % 2 ** 31,
  },
  {
    name: "has timestamps that wrap with its fourth picture",
    ...{ kind, report: "RFC 3550, 5.1", clip: "h265" },
    stamp: (_ticks, { atMs }) => 2 ** 32 - 30_000 + Math.round(90 * atMs),
  },
  {
    name: "swaps the bytes of its timestamps",
    ...{ kind, report: "mediamtx #1002" },
    stamp: swapped,
  },
  {
    name: "stamps MPEG-4 at random",
    ...{ kind, report: "mediamtx PR 6255", clip: "mpeg4" },
    stamp: (_ticks, { index }) => drawn(index, 2 ** 32),
  },
  {
    name: "sends one picture in three seconds, and stamps by its number",
    claims: ["pace"],
    ...{ kind, report: "time-lapse cameras", seconds: 80 },
    takenMs: (index) => index * 3000,
    stamp: (_ticks, { index }) => index * 3600,
  },
  {
    name: "sends what it has every 400 ms, by a clock that is slow by three in a hundred",
    ...{ kind, report: "frigate #8881", seconds: 60, expect: LATE_BY_BURST },
    sentMs: bursts(400),
    stamp: (ticks, { atMs }) => ticks - 2.7 * atMs,
  },
  {
    name: "sends what it has every 400 ms, by a clock that is fast by a fifth",
    ...{ kind, report: "frigate #8881", seconds: 60, expect: LATE_BY_BURST },
    sentMs: bursts(400),
    stamp: (ticks, { atMs }) => ticks + 18 * atMs,
  },
  {
    name: "sends what it has every 300 ms, H.265 by a clock that is slow by a fifth",
    ...{ kind, report: "frigate #8881", seconds: 60, clip: "h265", expect: LATE_BY_BURST },
    sentMs: bursts(300),
    stamp: (ticks, { atMs }) => ticks - 18 * atMs,
  },
  {
    name: "sends what it has once a second, and stamps half as much time",
    ...{ kind, report: "mediamtx #5550", seconds: 60 },
    sentMs: bursts(1000),
    stamp: (ticks, { atMs }) => ticks - 45 * atMs,
    expect: {
      offMs: 600,
      makes: "finds the clock out after two of them, and dates the pictures by when they came",
    },
  },
  {
    name: "sets the clocks of pictures and sound seven seconds ahead every four, and reports so",
    ...{ kind, report: "moonfire-nvr #36", sound: "pcma", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks + 7 * SECOND * Math.floor(atMs / 4000),
    stampSound: (ticks, { atMs }) => ticks + 7 * 8000 * Math.floor(atMs / 4000),
  },
  {
    name: "has clocks of pictures and sound at half their rate",
    ...{ kind, report: "mediamtx #5550", sound: "aac", seconds: 60 },
    stamp: (ticks, { atMs }) => ticks - 45 * atMs,
    stampSound: (ticks, { atMs }) => ticks - 8 * atMs,
  },
  {
    name: "keeps 16 bits of the timestamps of its sound",
    ...{ kind, report: "RFC 3550, 5.1", sound: "pcma", seconds: 40 },
    stampSound: (ticks) => ticks & 0xffff,
  },
  {
    name: "stamps its sound right for a second, and three seconds ahead for another",
    ...{ kind, report: "mistserver #263", sound: "pcmu", seconds: 60 },
    stampSound: (ticks, { atMs }) => ticks + 8 * (Math.floor(atMs / 1000) % 2 === 0 ? 0 : 3000),
  },
  {
    name: "stamps its sound by 44.1 kHz, and announces 8",
    ...{ kind, report: "yi-hack-Allwinner-v2 #1153", sound: "pcma", seconds: 40 },
    stampSound: (ticks, { index }) => ticks + index * (1764 - 320),
  },
  {
    name: "reports ten times a second, with times by chance",
    ...{ kind, report: "uvgRTP #136", sound: "aac", seconds: 30 },
    tick: (session) => {
      if (!session.every(100)) return;
      const seed = session.camera.pictures.length;
      for (const track of [0, 1]) {
        const bytes = Buffer.alloc(28);
        bytes.set([0x80, 200, 0, 6]);
        bytes.writeUInt32BE(session.ssrcOf(track), 4);
        bytes.writeUInt32BE(drawn(seed, 2 ** 32), 8);
        bytes.writeUInt32BE(drawn(seed + 7 + track, 2 ** 32), 16);
        session.send(track, true, bytes);
      }
    },
  },
];

/** Milliseconds from -5000 to 5000, or 0 as often. */
function wrongMs(at: number): number {
  const number = drawn(at, 20_001);
  return number < 10_001 ? number - 5000 : 0;
}
