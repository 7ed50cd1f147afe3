import type { Habit, ZooPacket, ZooPicture } from "../habit.js";

const kind = "clock";
const SECOND = 90_000;

/** What a timestamp would be at another number of ticks a second. */
function atRate(rate: number): (ticks: number, picture: ZooPicture) => number {
  return (ticks, picture) => ticks + Math.round(shownMs(picture) * (rate / 1000 - 90));
}

/** When a picture is shown that is sent at its own time, or later for others: what a camera stamps. */
function shownMs({ atMs, shownLater }: ZooPicture): number {
  return atMs + 100 * shownLater;
}

/** Timestamps that do not say when. */
export const CLOCK: readonly Habit[] = [
  {
    name: "stamps a picture ten hours ahead every two seconds",
    ...{ kind, report: "mediamtx PR 6255", clip: "h264Gop5", seconds: 30 },
    stamp: (ticks, { index }) => ticks + (index % 20 === 13 ? 37_600 * SECOND : 0),
  },
  {
    name: "stamps a picture three hours back every two seconds",
    ...{ kind, report: "mediamtx PR 6255", clip: "h264Gop5", seconds: 30 },
    stamp: (ticks, { index }) => ticks - (index % 20 === 13 ? 9800 * SECOND : 0),
  },
  {
    name: "stamps each second picture at random",
    ...{ kind, report: "mediamtx PR 6255" },
    stamp: (ticks, { index }) => (index % 2 === 1 ? ticks + ((index * 2_654_435_761) % 2 ** 32) : ticks),
  },
  {
    name: "stamps 25 pictures a second and delivers 21",
    ...{ kind, report: "open-nvr #229", seconds: 60 },
    takenMs: (index) => (index * 100 * 25) / 21,
    stamp: (ticks, { index, atMs }) => ticks + Math.round(90 * (index * 100 - atMs)),
  },
  {
    name: "stamps 20 pictures a second and delivers 25",
    ...{ kind, report: "frigate #8881", seconds: 60 },
    takenMs: (index) => index * 80,
    stamp: (ticks, { index, atMs }) => ticks + Math.round(90 * (index * 100 - atMs)),
  },
  {
    name: "leaves its timestamps at 0",
    ...{ kind, report: "docker-wyze-bridge #183" },
    stamp: () => 0,
  },
  {
    name: "lets its timestamps stand still for ten seconds",
    ...{ kind, report: "docker-wyze-bridge #183", seconds: 30 },
    stamp: (ticks, { atMs }) => ticks - 90 * Math.min(Math.max(0, atMs - 8000), 10_000),
  },
  {
    name: "stamps in milliseconds",
    ...{ kind, report: "PHZ76/RtspServer #53", seconds: 40 },
    stamp: atRate(1000),
  },
  {
    name: "counts milliseconds, and by another clock how much later its B pictures are shown",
    ...{ kind, report: "PHZ76/RtspServer #53", clip: "h264B", seconds: 40 },
    stamp: (ticks, { atMs }) => ticks - 89 * atMs,
    expect: { offMs: 800, makes: "records everything; such times do not say which picture is shown when" },
  },
  {
    name: "stamps in microseconds",
    ...{ kind, report: "smolrtsp PR 39", seconds: 40 },
    stamp: atRate(1_000_000),
  },
  {
    name: "stamps at half the rate that it announces",
    ...{ kind, report: "mediamtx #5550", seconds: 40 },
    stamp: atRate(45_000),
  },
  {
    name: "steps back four seconds every seven",
    ...{ kind, report: "raptor #43", seconds: 30 },
    stamp: (ticks, { atMs }) => ticks - 4 * SECOND * Math.floor(atMs / 7000),
  },
  {
    name: "sets its timestamps to 0 every eight seconds",
    ...{ kind, report: "Savant #182", seconds: 30 },
    stamp: (_ticks, { atMs }) => Math.round((atMs % 8000) * 90),
  },
  {
    name: "sets its clock an hour ahead",
    ...{ kind, report: "retina #64" },
    stamp: (ticks, { atMs }) => ticks + (atMs > 7000 ? 3600 * SECOND : 0),
  },
  {
    name: "sets its clock an hour back",
    ...{ kind, report: "ex_nvr #404" },
    stamp: (ticks, { atMs }) => ticks - (atMs > 7000 ? 3600 * SECOND : 0),
  },
  {
    name: "sets its clock three seconds ahead",
    ...{ kind, report: "retina #64" },
    stamp: (ticks, { atMs }) => ticks + (atMs > 7000 ? 3 * SECOND : 0),
  },
  {
    name: "gives two pictures in turn the same timestamp",
    ...{ kind, report: "go2rtc #1713" },
    stamp: (ticks, { index }) => ticks - (index % 2 === 1 ? 9000 : 0),
  },
  {
    name: "stamps each packet of a picture anew",
    // Copies would have other times.
    claims: ["copies"],
    ...{ kind, report: "go2rtc #1713" },
    packets: (packets: ZooPacket[]) => {
      for (const [at, packet] of packets.entries()) packet.timestamp += at * 10;
      return packets;
    },
  },
  {
    name: "has timestamps that wrap",
    ...{ kind, report: "RFC 3550, 5.1" },
    stamp: (_ticks, { atMs, shownLater }) =>
      2 ** 32 - 5 * SECOND + Math.round(90 * (atMs + 100 * shownLater)),
  },
  {
    name: "stamps 60 ms too early and too late in turn",
    ...{ kind, report: "go2rtc #1713" },
    stamp: (ticks, { index }) => ticks + (index % 2 === 0 ? 5400 : -5400),
  },
  {
    name: "has a clock that is slow by one in a hundred",
    ...{ kind, report: "frigate #8881", seconds: 60 },
    stamp: atRate(89_100),
  },
  {
    name: "reports the year 1970",
    ...{ kind, report: "retina #64", sound: "pcma" },
    senderReport: ({ ticks, ntpMs }) => ({ ticks, ntpMs: ntpMs % 1000 }),
  },
  {
    name: "reports times that jump by hours",
    ...{ kind, report: "retina #64", sound: "pcmu", seconds: 30 },
    senderReport: ({ ticks, ntpMs }) => ({
      ticks,
      ntpMs: ntpMs + (Math.floor(ntpMs / 5000) % 2) * 7_200_000,
    }),
  },
  {
    name: "reports RTP timestamps that have nothing to do with its packets",
    ...{ kind, report: "pjproject #740", sound: "pcmu" },
    senderReport: ({ ntpMs }) => ({ ticks: 0, ntpMs }),
  },
  {
    name: "reports a time thirty years ahead",
    ...{ kind, report: "mediamtx #5355", sound: "pcma" },
    senderReport: ({ ticks, ntpMs }) => ({ ticks, ntpMs: ntpMs + 946_728_000_000 }),
  },
  {
    name: "reports a time that goes back by a minute each time",
    ...{ kind, report: "mediamtx #5593", sound: "pcmu", seconds: 30 },
    senderReport: ({ ticks, ntpMs }) => ({ ticks, ntpMs: ntpMs - 60_000 * Math.floor(ntpMs / 5000) }),
  },
  {
    name: "reports a time that stands still",
    ...{ kind, report: "werift-webrtc #701", sound: "pcma", seconds: 30 },
    senderReport: ({ ticks }) => ({ ticks, ntpMs: 1_700_000_000_000 }),
  },
  {
    name: "reports RTP timestamps of two minutes ago",
    ...{ kind, report: "uvgRTP #136", sound: "pcmu", seconds: 30 },
    senderReport: ({ ticks, ntpMs }) => ({ ticks: ticks - 120 * SECOND, ntpMs }),
  },
  {
    name: "stamps each slice of a picture anew",
    ...{ kind, report: "retina #13", clip: "h264Slices" },
    packets: (packets: ZooPacket[]) => {
      for (const [at, packet] of packets.entries()) packet.timestamp += at * 450;
      return packets;
    },
  },
  {
    name: "stamps each slice of a picture of H.265 anew, and marks it",
    ...{ kind, report: "mediamtx #6257", clip: "h265Slices" },
    packets: (packets: ZooPacket[]) => {
      for (const [at, packet] of packets.entries()) {
        packet.timestamp += at * 450;
        packet.marker = true;
      }
      return packets;
    },
  },
  {
    name: "gives three pictures in turn the same timestamp, and no marker",
    ...{ kind, report: "homebridge-camera-ffmpeg #471" },
    stamp: (ticks, { index }) => ticks - 9000 * (index % 3),
    packets: (packets: ZooPacket[]) => packets.map((packet) => ({ ...packet, marker: false })),
  },
  {
    name: "gives two pictures of H.265 in turn the same timestamp",
    ...{ kind, report: "homebridge-camera-ffmpeg #471", clip: "h265" },
    stamp: (ticks, { index }) => ticks - (index % 2 === 1 ? 9000 : 0),
  },
  {
    name: "counts its timestamps downwards",
    ...{ kind, report: "mediamtx #1002" },
    stamp: (ticks, picture) => ticks - 180 * shownMs(picture),
  },
  {
    name: "stamps its first picture 0, and the others by its clock",
    ...{ kind, report: "docker-wyze-bridge #183" },
    stamp: (ticks, { index }) => (index === 0 ? 0 : ticks),
  },
  {
    name: "stamps its first second 0, and then by its clock",
    ...{ kind, report: "docker-wyze-bridge #183" },
    stamp: (ticks, { index }) => (index < 10 ? 0 : ticks),
  },
  {
    name: "stamps each key frame a second too early",
    ...{ kind, report: "mediamtx PR 6255" },
    stamp: (ticks, { key }) => (key ? ticks - SECOND : ticks),
  },
  {
    name: "stamps each key frame a second too late",
    ...{ kind, report: "mediamtx PR 6255" },
    stamp: (ticks, { key }) => (key ? ticks + SECOND : ticks),
  },
  {
    name: "has a clock that is fast by three in a hundred, and is set every ten seconds",
    ...{ kind, report: "frigate #8881", seconds: 50 },
    stamp: (ticks, { atMs }) => ticks + Math.round(2.7 * (atMs % 10_000)),
  },
  {
    name: "stamps by the number of the picture",
    ...{ kind, report: "mediamtx #1002" },
    stamp: (_ticks, { index }) => index,
  },
  {
    name: "stamps 30 pictures a second by day, and 15 by night, and sends 10",
    ...{ kind, report: "docker-wyze-bridge #749", seconds: 60 },
    stamp: (ticks, { index, shownLater }) => {
      const shown = index + shownLater;
      return ticks - 9000 * shown + (shown < 250 ? 3000 * shown : 750_000 + 6000 * (shown - 250));
    },
  },
  {
    name: "sends no sender reports",
    ...{ kind, report: "smolrtsp PR 39", sound: "aac" },
    senderReport: () => undefined,
  },
  {
    name: "sends what it has once a second",
    ...{ kind, report: "AndroidStreamingClient #12" },
    sentMs: (atMs) => Math.ceil((atMs + 1) / 1000) * 1000,
    expect: { offMs: 1300, makes: "records everything, at the times that the camera stamps" },
  },
  {
    name: "stalls for four seconds and sends the backlog at once",
    ...{ kind, report: "go2rtc #1118", seconds: 30 },
    sentMs: (atMs) => (atMs > 10_000 && atMs < 14_000 ? 14_000 : atMs),
    expect: { offMs: 4200, makes: "records everything, at the times that the camera stamps" },
  },
  {
    name: "sends one picture in twelve seconds",
    claims: ["pace"],
    ...{ kind, report: "time-lapse cameras", seconds: 100 },
    takenMs: (index) => index * 12_000,
  },
  {
    name: "sends two pictures a second in the dark",
    ...{ kind, report: "Motion #1104", seconds: 40 },
    takenMs: (index) => index * 100 + 400 * Math.max(0, Math.min(index - 50, 40)),
  },
];
