import type { Habit } from "../habit.js";
import { answering, headerOf, setBody, setHeader } from "./replies.js";

const kind = "session";

function lines(start: string, change: (line: string) => string | readonly string[]): Pick<Habit, "sdp"> {
  return { sdp: (all) => all.flatMap((line) => (line.startsWith(start) ? change(line) : [line])) };
}

/** The same said otherwise: numbers, names and lines. */
export const SPELLINGS: readonly Habit[] = [
  {
    name: "gives its time as now-",
    ...{ kind, report: "gortsplib #82" },
    ...lines("t=", () => "t=now-"),
  },
  {
    name: "gives its video two ports",
    ...{ kind, report: "RFC 4566, 5.14" },
    ...lines("m=video", (line) => line.replace("m=video 0", "m=video 0/2")),
  },
  {
    name: "describes its video with an address of a group",
    ...{ kind, report: "moonfire-nvr #192" },
    ...lines("m=video", (line) => [line, "c=IN IP4 239.255.12.42/127"]),
  },
  {
    name: "describes itself in hundreds of lines, some very long",
    ...{ kind, report: "go2rtc #264" },
    ...lines("s=", (line) => [
      line,
      ...Array.from({ length: 300 }, (_, at) => `a=x-feature-${at}:${"0".repeat(at % 7 === 0 ? 200 : 20)}`),
      `a=Media_header:MEDIAINFO=${"494D4B48".repeat(600)};`,
    ]),
  },
  {
    name: "has blanks before the colons of its headers",
    ...{ kind, report: "RFC 2326, 4.2" },
    written: (text) => {
      const end = text.indexOf("\r\n\r\n");
      return text.slice(0, end).replace(/^([A-Za-z-]+): /gm, "$1 : ") + text.slice(end);
    },
  },
  {
    name: "has no blank behind the colons of its headers",
    ...{ kind, report: "RFC 2326, 4.2" },
    written: (text) => {
      const end = text.indexOf("\r\n\r\n");
      return text.slice(0, end).replace(/^([A-Za-z-]+): /gm, "$1:") + text.slice(end);
    },
  },
  {
    name: "writes its numbers with zeros in front",
    claims: ["options"],
    ...{ kind, report: "RFC 2326, 12.17" },
    written: (text) => text.replace(/^CSeq: /m, "CSeq: 000"),
  },
  {
    name: "counts its answers by itself",
    claims: ["options"],
    ...{ kind, report: "retina #133" },
    reply: (reply, { index }) => setHeader(reply, "CSeq", String(500 + index)),
  },
  {
    name: "names its session with blanks, quotes and signs",
    claims: ["session id"],
    ...{ kind, report: "RFC 2326, 3.4" },
    reply: (reply) => {
      for (const header of reply.headers)
        if (header[0] === "Session") header[1] = header[1].replace("4711", "4711$_-.+a");
    },
  },
  {
    name: "writes a port into its base that it does not have",
    ...{ kind, report: "retina #18" },
    ...answering("DESCRIBE", (reply) =>
      setHeader(
        reply,
        "Content-Base",
        headerOf(reply, "Content-Base").replace("192.0.2.1", "192.0.2.1:8554"),
      ),
    ),
  },
  {
    name: "names a base of HTTP",
    ...{ kind, report: "go2rtc #830" },
    ...answering("DESCRIBE", (reply) =>
      setHeader(reply, "Content-Base", headerOf(reply, "Content-Base").replace("rtsp://", "http://")),
    ),
  },
  {
    name: "writes a base with two slashes at its end",
    ...{ kind, report: "go2rtc #830" },
    ...answering("DESCRIBE", (reply) =>
      setHeader(reply, "Content-Base", `${headerOf(reply, "Content-Base")}/`),
    ),
    trackAt: (uri) => {
      const number = /\/live\/+track([129])$/.exec(uri)?.[1];
      return number === undefined ? undefined : Number(number) - 1;
    },
  },
  {
    name: "describes itself as text of HTML",
    ...{ kind, report: "moonfire-nvr #300" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Type", "text/html; charset=utf-8")),
  },
  {
    name: "describes itself in lines that end with blanks",
    claims: ["line ends"],
    ...{ kind, report: "moonfire-nvr #213" },
    ...answering("DESCRIBE", (reply) => setBody(reply, reply.body.replaceAll("\r\n", "  \t\r\n"))),
  },
  {
    name: "answers SETUP and PLAY with a text that it does not announce",
    ...{ kind, report: "ZLMediaKit #1246" },
    written: (text, { method }) =>
      method === "SETUP" || method === "PLAY" ? text.replace(/\r\n\r\n$/, "\r\n\r\n\r\n") : text,
  },
  {
    name: "calls its payload type both a number of its own and a fixed one",
    claims: ["payload types"],
    ...{ kind, report: "gortsplib #479" },
    ...lines("m=video", (line) => line.replace("AVP 96", "AVP 96 97 98 99 100 101 26")),
  },
  {
    name: "gives the rate of its video with a fraction",
    ...{ kind, report: "moonfire-nvr #213" },
    ...lines("a=rtpmap:96", (line) => line.replace("/90000", "/90000.0")),
  },
  {
    name: "writes the name of its coding as avc1",
    ...{ kind, report: "RFC 6381, 3.3", codecs: ["h264"] },
    ...lines("a=rtpmap:96", (line) => line.replace("H264", "h264 ")),
  },
  {
    name: "announces no configuration of its AAC",
    ...{ kind: "sound", report: "gortsplib #479", sound: "aac" },
    ...lines("a=fmtp:97", (line) => line.replace(";config=1408", "")),
  },
  {
    name: "announces A-law, and sends µ-law by its number",
    ...{ kind: "sound", report: "frigate #7297", sound: "pcmu" },
    claims: ["payload types"],
    ...lines("m=audio", () => "m=audio 0 RTP/AVP 8 0"),
  },
  {
    name: "sends comfort noise and key tones between its sound",
    ...{ kind: "sound", report: "RFC 3389, 4", sound: "pcma" },
    soundPackets: (packets, { index }) =>
      packets.flatMap((packet) =>
        index % 10 === 5
          ? [packet, { ...packet, payloadType: 13, payload: Buffer.from([60]) }]
          : index % 10 === 7
            ? [packet, { ...packet, payloadType: 101, payload: Buffer.from([1, 10, 0, 160]) }]
            : [packet],
      ),
  },
  {
    name: "announces Opus with one channel",
    ...{ kind: "sound", report: "RFC 7587, 7", sound: "opus" },
    ...lines("a=rtpmap:98", (line) => line.replace("opus/48000/2", "OPUS/48000")),
  },
  {
    name: "counts the length of its AU headers in bytes",
    ...{ kind: "sound", report: "frigate #2185", sound: "aac" },
    soundPackets: (packets) =>
      packets.map((packet) => {
        const payload = Buffer.from(packet.payload);
        payload.writeUInt16BE(2, 0);
        return { ...packet, payload };
      }),
  },
  {
    name: "sends sound each other second alone",
    ...{ kind: "sound", report: "ZLMediaKit PR 2123", sound: "pcmu", seconds: 30 },
    soundPackets: (packets, { atMs }) => (Math.floor(atMs / 1000) % 2 === 0 ? packets : []),
  },
  {
    name: "lists a back channel of twenty codings behind its microphone",
    ...{ kind: "sound", report: "gortsplib #479", sound: "pcma" },
    sdp: (all) => [
      ...all,
      `m=audio 0 RTP/AVP ${Array.from({ length: 19 }, (_, at) => 98 + at).join(" ")} 8`,
      ...Array.from({ length: 19 }, (_, at) => `a=rtpmap:${98 + at} MPEG4-GENERIC/${8000 * (1 + (at % 6))}`),
      ...["a=rtpmap:8 PCMA/8000", "a=sendonly", "a=control:track9"],
    ],
  },
];
