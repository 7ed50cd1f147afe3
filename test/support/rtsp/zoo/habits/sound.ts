import type { Habit } from "../habit.js";

const kind = "sound";
const SECOND = 8000;

/** The lines of the SDP from `m=audio` on, otherwise. */
function audio(change: (lines: string[]) => string[]): (lines: string[]) => string[] {
  return (lines) => {
    const at = lines.findIndex((line) => line.startsWith("m=audio"));
    return at < 0 ? lines : [...lines.slice(0, at), ...change(lines.slice(at))];
  };
}

const BACK_CHANNEL = ["m=audio 0 RTP/AVP 0", "a=rtpmap:0 PCMU/8000", "a=sendonly", "a=control:track9"];

/** What microphones send, and how it is announced. */
export const SOUND: readonly Habit[] = [
  { name: "sends G.711 µ-law", ...{ kind, report: "ExoPlayer #9210", sound: "pcmu" } },
  {
    name: "announces A-law by its number alone",
    ...{ kind, report: "gortsplib #125", sound: "pcma" },
    sdp: (lines) => lines.filter((line) => !line.startsWith("a=rtpmap:8 ")),
  },
  {
    name: "calls A-law G711A",
    ...{ kind, report: "scrypted #2028", sound: "pcma" },
    sdp: (lines) => lines.map((line) => line.replace("PCMA/8000", "G711A/8000")),
  },
  { name: "sends A-law at 16 kHz", ...{ kind, report: "deepch/vdk PR 22", sound: "pcma16" } },
  { name: "sends AAC", ...{ kind, report: "mediamtx #855", sound: "aac" } },
  {
    name: "announces the configuration of its AAC under another payload type",
    ...{ kind, report: "gortsplib #658", sound: "aac" },
    sdp: (lines) => lines.map((line) => line.replace("a=fmtp:97", "a=fmtp:98")),
  },
  {
    name: "announces AAC without the lengths of its fields",
    ...{ kind, report: "mediacommon #144", sound: "aacNoSizes" },
  },
  { name: "sends ADTS headers behind AU headers", ...{ kind, report: "mpv #5669", sound: "aacAdts" } },
  { name: "sends ADTS frames without AU headers", ...{ kind, report: "mpv #5669", sound: "aacBareAdts" } },
  {
    name: "sends AU headers of 13 bits",
    ...{ kind, report: "gortsplib PR 118", sound: "aacShort" },
  },
  { name: "sends three AAC units a packet", ...{ kind, report: "SharpRTSP #81", sound: "aacThree" } },
  { name: "sends AAC as LATM", ...{ kind, report: "mediamtx #1694", sound: "latm" } },
  { name: "sends L16", ...{ kind, report: "yi-hack-Allwinner-v2 #1083", sound: "l16" } },
  { name: "sends L16 in stereo", ...{ kind, report: "atomcam_tools #67", sound: "l16Stereo" } },
  { name: "sends Opus", ...{ kind, report: "ExoPlayer #9210", sound: "opus" } },
  { name: "sends G.726", ...{ kind, report: "RFC 3551, 4.5.4", sound: "g726" } },
  { name: "sends G.726 packed as AAL2 does", ...{ kind, report: "RFC 3551, 4.5.4", sound: "g726Aal2" } },
  { name: "sends G.726 at 16 kbit/s", ...{ kind, report: "RFC 3551, 4.5.4", sound: "g726Low" } },
  {
    name: "lists a back channel before its microphone",
    ...{ kind, report: "gortsplib #479", sound: "pcma" },
    sdp: audio((lines) => [...BACK_CHANNEL, ...lines]),
  },
  {
    name: "announces sound and never sends it",
    ...{ kind, report: "mediamtx #2790", sound: "pcmu" },
    soundPackets: () => [],
    expect: { sound: "none", status: /sound/i, makes: "records the pictures, and says that no sound comes" },
  },
  {
    name: "announces sound that nobody knows",
    ...{ kind, report: "rtsp-client-android PR 90", sound: "unknown" },
    expect: {
      sound: "none",
      status: /sound/i,
      makes: "records the pictures, and names the sound that it cannot record",
    },
  },
  {
    name: "announces sound without a payload type",
    ...{ kind, report: "rtsp-client-android PR 90" },
    sdp: (lines) => [...lines, "m=audio 0 RTP/AVP (null)", "a=rtpmap", "a=control:track2"],
  },
  {
    name: "sends sound for two seconds before the first picture",
    ...{ kind, report: "mediamtx #2790", sound: "pcmu" },
    takenMs: (index) => 2000 + index * 100,
  },
  {
    name: "stamps its sound at random distances",
    ...{ kind, report: "thingino-firmware #1082", sound: "aac" },
    stampSound: (ticks, { index }) => ticks + ((index * 7919) % 1500) - 750,
  },
  {
    name: "has a sound clock that is slow by one in a hundred",
    ...{ kind, report: "go2rtc PR 2308", sound: "pcma", seconds: 40 },
    stampSound: (ticks, { atMs }) => ticks - Math.round(atMs * 0.08),
  },
  {
    name: "stamps its sound with the clock of its pictures",
    ...{ kind, report: "medooze/media-server PR 133", sound: "pcmu" },
    stampSound: (ticks, { atMs }) => ticks + Math.round(atMs * (90 - SECOND / 1000)),
    expect: {
      offMs: 600,
      makes: "records pictures and sound, in the first seconds within 0.6 s of their time",
    },
  },
  {
    name: "stamps its sound by the number of the packet",
    ...{ kind, report: "thingino-firmware #1082", sound: "pcma", seconds: 30 },
    stampSound: (_ticks, { index }) => index,
  },
  {
    name: "stamps its sound with half the clock that it announces",
    ...{ kind, report: "yi-hack-Allwinner-v2 #1153", sound: "aac", seconds: 40 },
    stampSound: (ticks, { index }) => ticks - 512 * index,
  },
  {
    name: "sets the clock of its sound back by a minute every five seconds",
    ...{ kind, report: "mistserver #263", sound: "pcmu", seconds: 30 },
    stampSound: (ticks, { atMs }) => ticks - 60 * SECOND * Math.floor(atMs / 5000),
  },
  {
    name: "pauses its sound for six seconds",
    ...{ kind, report: "ZLMediaKit PR 2123", sound: "pcmu", seconds: 30 },
    soundPackets: (packets, { atMs }) => (atMs > 8000 && atMs < 14_000 ? [] : packets),
  },
  {
    name: "writes the name of its AAC in capitals, with two channels that it does not have",
    ...{ kind, report: "ZLMediaKit #789", sound: "aac" },
    sdp: (lines) => lines.map((line) => line.replace("mpeg4-generic/16000", "MPEG4-GENERIC/16000/2")),
  },
  {
    name: "announces its AAC with a clock of 90 kHz, and stamps so",
    ...{ kind, report: "medooze/media-server PR 133", sound: "aac" },
    sdp: (lines) => lines.map((line) => line.replace("mpeg4-generic/16000", "mpeg4-generic/90000")),
    stampSound: (ticks, { index }) => ticks + index * (5760 - 1024),
  },
  {
    name: "describes its sound before its pictures",
    ...{ kind, report: "html5_rtsp_player #47", sound: "pcma" },
    sdp: (lines) => {
      const video = lines.findIndex((line) => line.startsWith("m=video"));
      const sound = lines.findIndex((line) => line.startsWith("m=audio"));
      return [...lines.slice(0, video), ...lines.slice(sound), ...lines.slice(video, sound)];
    },
  },
  {
    name: "refuses to set up the sound that it announces",
    ...{ kind, report: "gortsplib PR 161", sound: "pcma" },
    reply: (reply, { method, uri }) => {
      if (method === "SETUP" && /track2\/?$/.test(uri)) reply.status = 415;
    },
    expect: {
      sound: "none",
      status: /sound/i,
      makes: "records the pictures, and says that it refuses the sound",
    },
  },
  {
    name: "leaves the timestamps of its sound at 0",
    ...{ kind, report: "omxplayer #591", sound: "pcma" },
    stampSound: () => 0,
  },
  {
    name: "stamps a packet of sound hours ahead now and then",
    ...{ kind, report: "mistserver #263", sound: "pcmu" },
    stampSound: (ticks, { index }) => ticks + (index % 40 === 7 ? 9800 * SECOND : 0),
  },
  {
    name: "sends its sound on the channel of the pictures",
    ...{ kind, report: "rtsp-client-android PR 143", sound: "pcma", over: "tcp" },
    soundPackets: (packets) => packets.map((packet) => ({ ...packet, track: 0 })),
  },
  {
    name: "sends AAC units in two fragments",
    ...{ kind, report: "mediamtx #6134", sound: "aac" },
    soundPackets: (packets) =>
      packets.flatMap((packet) => {
        const head = packet.payload.subarray(0, 4);
        const middle = 4 + ((packet.payload.length - 4) >> 1);
        const first = Buffer.from(packet.payload.subarray(0, middle));
        const second = Buffer.concat([head, packet.payload.subarray(middle)]);
        const sequence = 2 * packet.sequence;
        return [
          { ...packet, sequence, payload: first, marker: false },
          { ...packet, sequence: sequence + 1, payload: second, marker: true },
        ];
      }),
  },
];
