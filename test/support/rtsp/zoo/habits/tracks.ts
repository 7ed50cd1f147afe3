import type { Habit, ZooPacket } from "../habit.js";
import { answering, headerOf, setHeader } from "./replies.js";

const kind = "transport";

function each(fields: Partial<ZooPacket>): (packets: ZooPacket[]) => ZooPacket[] {
  return (packets) => packets.map((packet) => ({ ...packet, ...fields }));
}

/** Packets that are not where their track is, and tracks whose types of payload are not their own. */
export const TRACKS: readonly Habit[] = [
  {
    name: "sends its pictures where its sound should be, and the sound where they should be",
    claims: ["transport", "payload types"],
    ...{ kind, report: "gortsplib #72", sound: "aac" },
    packets: each({ track: 1 }),
    soundPackets: each({ track: 0 }),
  },
  {
    name: "sends its pictures on the channel of its sound",
    claims: ["transport", "payload types"],
    ...{ kind, report: "rtsp-client-android PR 143", over: "tcp", sound: "pcma" },
    packets: each({ track: 1 }),
  },
  {
    name: "sends its sound by the type of its pictures",
    claims: ["payload types", "transport"],
    ...{ kind, report: "RtspClientSharp PR 105", sound: "aac" },
    soundPackets: each({ payloadType: 96 }),
  },
  {
    name: "announces and sends pictures and sound by one type",
    claims: ["payload types", "transport", "description"],
    ...{ kind, report: "RtspClientSharp PR 105", sound: "aac" },
    sdp: (lines) => lines.map((line) => line.replaceAll(":97 ", ":96 ").replace("AVP 97", "AVP 96")),
    soundPackets: each({ payloadType: 96 }),
  },
  {
    name: "answers SETUP with one channel, not two",
    claims: ["transport"],
    ...{ kind, report: "gortsplib #142", over: "tcp" },
    ...answering("SETUP", (reply) =>
      setHeader(
        reply,
        "Transport",
        headerOf(reply, "Transport").replace(/interleaved=(\d)-\d/, "interleaved=$1"),
      ),
    ),
  },
  {
    name: "answers SETUP with two transports, the second over TCP",
    claims: ["transport"],
    ...{ kind, report: "mediamtx #762", over: "udp" },
    ...answering("SETUP", (reply) =>
      setHeader(reply, "Transport", `${headerOf(reply, "Transport")},RTP/AVP/TCP;unicast;interleaved=8-9`),
    ),
  },
  {
    name: "answers SETUP with all that a Transport header may have, and more",
    claims: ["transport"],
    ...{ kind, report: "RFC 2326, 12.39" },
    ...answering("SETUP", (reply) =>
      setHeader(
        reply,
        "Transport",
        `${headerOf(reply, "Transport")};mode="PLAY";ttl=127;layers=1;ssrc=zz;append;source=camera.local;destination=0.0.0.0`,
      ),
    ),
  },
];
