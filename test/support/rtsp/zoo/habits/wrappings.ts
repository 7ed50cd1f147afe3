import { slices } from "../cutting.js";
import type { Habit, ZooPacket } from "../habit.js";

const kind = "sound";

/** Each packet of sound in three, of which some are marked. */
function inThree(isMarked: (at: number) => boolean): NonNullable<Habit["soundPackets"]> {
  return (packets: ZooPacket[]) =>
    packets.flatMap((packet) =>
      slices(packet.payload, Math.ceil(packet.payload.length / 3)).map((payload, at) => ({
        ...{ ...packet, payload, marker: isMarked(at) },
        sequence: 3 * packet.sequence + at,
      })),
    );
}

/** Sound that is wrapped, named or described otherwise than it should be. */
export const WRAPPINGS: readonly Habit[] = [
  {
    name: "sends AAC as LATM, its configuration within",
    ...{ kind, report: "mediamtx #1694", sound: "latmIn" },
  },
  {
    name: "sends AAC as LATM, its configuration with each tenth unit",
    ...{ kind, report: "mediamtx #1694", sound: "latmInTenth" },
  },
  {
    name: "sends AAC as LATM, its configuration within and in the description",
    ...{ kind, report: "RFC 6416, 7.3", sound: "latmBoth" },
  },
  {
    name: "sends AAC as LATM, its configuration within where it says that it is not",
    ...{ kind, report: "RFC 6416, 7.3", sound: "latmSaysOut" },
  },
  {
    name: "sends AAC as LATM, its configuration in the description where it says that it is within",
    ...{ kind, report: "RFC 6416, 7.3", sound: "latmSaysIn" },
  },
  {
    name: "sends AAC as LATM with syncwords",
    ...{ kind, report: "ISO/IEC 14496-3, 1.7.2", sound: "latmLoas" },
  },
  { name: "calls its ADTS LATM", ...{ kind, report: "mpv #5669", sound: "latmAdts" } },
  { name: "calls its LATM MPEG4-GENERIC", ...{ kind, report: "mediamtx #1694", sound: "latmAsGeneric" } },
  {
    name: "leaves the timestamps of its LATM at 0, and marks nothing",
    ...{ kind, report: "omxplayer #591", sound: "latm", seconds: 30 },
    stampSound: () => 0,
  },
  {
    name: "sends LATM in three packets, each marked",
    ...{ kind, report: "RFC 6416, 6.3", sound: "latm" },
    soundPackets: inThree(() => true),
  },
  {
    name: "sends LATM in three packets, the last marked",
    ...{ kind, report: "RFC 6416, 6.3", sound: "latmIn" },
    soundPackets: inThree((at) => at === 2),
  },
  { name: "sends ADTS with checksums", ...{ kind, report: "ISO/IEC 14496-3, 1.A.2.2", sound: "adtsCrc" } },
  { name: "calls its AAC MPEG4-GENERIC-ADTS", ...{ kind, report: "mpv #5669", sound: "adtsNamed" } },
  { name: "sends units of AAC without any header", ...{ kind, report: "RFC 3640, 3.2.1", sound: "aacBare" } },
  {
    name: "sends packets without bytes between those of its AAC",
    ...{ kind, report: "pjproject #388", sound: "aac", over: "tcp" },
    soundPackets: (packets) => packets.flatMap((packet) => [packet, { ...packet, payload: Buffer.alloc(0) }]),
  },
  { name: "sends L16 by its number alone", ...{ kind, report: "RFC 3551, 6", sound: "l16Mono" } },
  { name: "announces Opus with 16 kHz", ...{ kind, report: "RFC 7587, 4.1", sound: "opusLow" } },
  { name: "sends G.726 by its number alone", ...{ kind, report: "RFC 3551, 6", sound: "g726Static" } },
  { name: "sends G.726 at 40 kbit/s", ...{ kind, report: "RFC 3551, 4.5.4", sound: "g726High" } },
  {
    name: "offers sound of a kind that nobody knows before its own",
    ...{ kind, report: "rtsp-client-android PR 90", sound: "pcma" },
    sdp: (lines) => {
      const at = lines.findIndex((line) => line.startsWith("m=audio"));
      const other = ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 SPEEX/16000", "a=control:track8"];
      return at < 0 ? lines : [...lines.slice(0, at), ...other, ...lines.slice(at)];
    },
  },
  {
    name: "calls its sound inactive",
    ...{ kind, report: "gortsplib #479", sound: "pcma" },
    sdp: (lines) => [...lines, "a=inactive"],
    expect: { sound: "none", makes: "records the pictures; sound that is switched off is not missing" },
  },
];
