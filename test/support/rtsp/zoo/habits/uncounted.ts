import type { Habit } from "../habit.js";

const kind = "clock";
const SECOND = 90_000;

/** Pauses once, for so long, after so many pictures that are so far apart, and its clock does not count it. */
function uncounted(seconds: number, pictures: number, periodMs: number): Pick<Habit, "takenMs" | "stamp"> {
  return {
    takenMs: (index) => index * periodMs + (index >= pictures ? seconds * 1000 : 0),
    stamp: (ticks, { index }) => ticks - (index >= pictures ? seconds * SECOND : 0),
  };
}

/** So many pictures a second for ten seconds, then so many, all stamped as the first were. */
function counted(day: number, night: number): Pick<Habit, "takenMs" | "stamp"> {
  return {
    takenMs: (index) =>
      index < 10 * day ? (index * 1000) / day : 10_000 + ((index - 10 * day) * 1000) / night,
    stamp: (_ticks, { index }) => Math.round((index * SECOND) / day),
  };
}

/** Times that only what comes after them shows to be wrong. */
export const UNCOUNTED: readonly Habit[] = [
  {
    name: "pauses for 0.7 s that its clock does not count",
    ...{ kind, report: "mediamtx #4503", seconds: 30 },
    ...uncounted(0.7, 100, 100),
  },
  {
    name: "pauses for 1.5 s that its clock does not count",
    ...{ kind, report: "mediamtx #4503", seconds: 30 },
    ...uncounted(1.5, 100, 100),
  },
  {
    name: "pauses for five seconds that its clock does not count, beside its sound",
    ...{ kind, report: "mediamtx #4503", sound: "pcma", seconds: 30 },
    ...uncounted(5, 100, 100),
  },
  {
    name: "sends 25 pictures of H.265 a second, and pauses for nine seconds that its clock does not count",
    ...{ kind, report: "mediamtx #4503", clip: "h265", seconds: 30, claims: ["pace"] },
    ...uncounted(9, 250, 40),
  },
  {
    name: "pauses for three seconds of eight, and its clock does not count them",
    ...{ kind, report: "mediamtx #4503", seconds: 60 },
    takenMs: (index) => index * 100 + Math.floor(index / 50) * 3000,
    stamp: (ticks, { index }) => ticks - Math.floor(index / 50) * 3 * SECOND,
  },
  {
    name: "pauses its sound for three seconds that the clock of its sound does not count",
    ...{ kind, report: "mediamtx #4503", sound: "pcmu", seconds: 30 },
    soundPackets: (packets, { atMs }) => (atMs >= 10_000 && atMs < 13_000 ? [] : packets),
    stampSound: (ticks, { atMs }) => ticks - (atMs >= 13_000 ? 24_000 : 0),
    // A report of such a clock contradicts the one before it.
    senderReport: () => undefined,
  },
  {
    name: "takes 25 pictures a second by day and two by night, and stamps by their number",
    claims: ["pace"],
    ...{ kind, report: "docker-wyze-bridge #749", seconds: 40 },
    ...counted(25, 2),
  },
  {
    name: "takes 25 pictures a second by day and one by night, and stamps by their number",
    claims: ["pace"],
    ...{ kind, report: "docker-wyze-bridge #749", seconds: 40 },
    ...counted(25, 1),
  },
  {
    name: "sends a picture a second, stamped 0",
    claims: ["pace"],
    ...{ kind, report: "docker-wyze-bridge #183", seconds: 40 },
    takenMs: (index) => index * 1000,
    stamp: () => 0,
  },
  {
    name: "sends B pictures by a clock at half its rate",
    ...{ kind, report: "mediamtx #5550", clip: "h264B", seconds: 40 },
    stamp: (ticks, { atMs, shownLater }) => ticks - 45 * (atMs + 100 * shownLater),
  },
  {
    name: "sends B pictures by a clock at twice its rate",
    ...{ kind, report: "mediamtx #5550", clip: "h264B", seconds: 40 },
    stamp: (ticks, { atMs, shownLater }) => ticks + 90 * (atMs + 100 * shownLater),
  },
  {
    name: "stamps up to half a second early and late by chance",
    ...{ kind, report: "go2rtc #1713", seconds: 40 },
    stamp: (ticks, { index }) => ticks + 90 * (((Math.imul(index + 1, 2_654_435_761) >>> 0) % 1040) - 520),
  },
  {
    name: "sends what it has every 500 ms, and stamps half as much time",
    ...{ kind, report: "mediamtx #5550", seconds: 40 },
    sentMs: (atMs) => Math.ceil((atMs + 1) / 500) * 500,
    stamp: (ticks, { atMs }) => ticks - 45 * atMs,
    expect: { offMs: 600, makes: "finds the clock out behind the bursts, and dates by arrival" },
  },
  {
    name: "sends what it has every 700 ms, and stamps a quarter of the time",
    ...{ kind, report: "mediamtx #5550", seconds: 40 },
    sentMs: (atMs) => Math.ceil((atMs + 1) / 700) * 700,
    stamp: (ticks, { atMs }) => ticks - 67.5 * atMs,
    expect: { offMs: 800, makes: "finds the clock out behind the bursts, and dates by arrival" },
  },
];
