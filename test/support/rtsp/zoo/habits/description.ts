import type { Habit } from "../habit.js";
import { answering, setBody, setHeader } from "./replies.js";

const kind = "session";

/** Lines of the description that begin so, otherwise. */
function lines(start: string, change: (line: string) => string | readonly string[]): Pick<Habit, "sdp"> {
  return { sdp: (all) => all.flatMap((line) => (line.startsWith(start) ? change(line) : [line])) };
}

/** The text of the description, otherwise. */
function text(change: (body: string) => string): Pick<Habit, "reply"> {
  return answering("DESCRIBE", (reply) => setBody(reply, change(reply.body)));
}

/** Track of an address that has a query in it. */
function trackBehindQuery(uri: string): number | undefined {
  const number = /^rtsp:\/\/[^/]+\/live\.sdp\?profile=P381b\/track([129])$/.exec(uri)?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}

/** Descriptions that are not as RFC 4566 has them. */
export const DESCRIPTION: readonly Habit[] = [
  {
    name: "has an origin without an address",
    ...{ kind, report: "gortsplib #468" },
    ...lines("o=", () => "o=- 1700166548 1700166549 IN IP4"),
  },
  {
    name: "has an origin before the year 1900",
    ...{ kind, report: "mediamtx #231" },
    ...lines("o=", () => "o=-2208991488 2208991488 IN IP4 10.255.1.119"),
  },
  {
    name: "has no origin",
    ...{ kind, report: "retina #52" },
    ...lines("o=", () => []),
  },
  {
    name: "has no time",
    ...{ kind, report: "retina #33" },
    ...lines("t=", () => []),
  },
  {
    name: "has an address without a family",
    ...{ kind, report: "gortsplib PR 1025" },
    ...lines("s=", (line) => [line, "c=IN 192.168.4.27"]),
  },
  {
    name: "has its lines in another order",
    ...{ kind, report: "retina #26" },
    sdp: (all) => {
      const media = all.findIndex((line) => line.startsWith("m="));
      return [...all.slice(0, media).reverse(), ...all.slice(media)];
    },
  },
  {
    name: "has control and parameters before the lines that they are of",
    ...{ kind, report: "retina #26" },
    sdp: (all) => {
      const media = all.findIndex((line) => line.startsWith("m=video"));
      const end = all.findIndex((line, at) => at > media && line.startsWith("m="));
      const last = end < 0 ? all.length : end;
      return [...all.slice(0, media + 1), ...all.slice(media + 1, last).reverse(), ...all.slice(last)];
    },
  },
  {
    name: "ends the name of its encoding with a blank, and its rate with a letter",
    ...{ kind, report: "moonfire-nvr #213" },
    ...lines("a=rtpmap:96", (line) => [`${line} `, "a=framerate:0S"]),
  },
  {
    name: "names a clock rate of 0",
    ...{ kind, report: "moonfire-nvr #213" },
    ...lines("a=rtpmap:96", (line) => line.replace("/90000", "/0")),
  },
  {
    name: "names no clock rate",
    ...{ kind, report: "moonfire-nvr #213" },
    ...lines("a=rtpmap:96", (line) => line.replace("/90000", "")),
  },
  {
    name: "has lines that are no lines of a description",
    ...{ kind, report: "go2rtc #1278" },
    ...lines("m=video", (line) => ["vana", "=", "a", "a=", line, "b=AS:", "Media Server", "a=:"]),
  },
  {
    name: "ends its parameters with a semicolon and a blank",
    ...{ kind, report: "retina #103" },
    ...lines("a=fmtp:96", (line) => `${line.replaceAll(";", " ; ")};; `),
  },
  {
    name: "begins its description with a mark of byte order and ends it with zeros",
    ...{ kind, report: "RFC 4566, 5" },
    ...text((body) => `\xef\xbb\xbf${body}\0\0\0`),
  },
  {
    name: "ends the lines of its description with CR alone",
    claims: ["line ends"],
    ...{ kind, report: "RFC 4566, 5" },
    ...text((body) => body.replaceAll("\n", "")),
  },
  {
    name: "writes blanks around the marks of its description",
    ...{ kind, report: "RFC 4566, 5" },
    ...text((body) => body.replace(/^([a-z])=/gm, "$1 = ").replace(/^a = (\w+):/gm, "a = $1 : ")),
  },
  {
    name: "names no control of the whole",
    ...{ kind, report: "retina #9", sound: "pcma" },
    ...lines("a=control:*", () => []),
  },
  {
    name: "gives no track a control",
    claims: ["description"],
    ...{ kind, report: "rtsp-client-android #48" },
    ...lines("a=control", () => []),
    trackAt: (uri) => (/\/live\/?$/.test(uri) ? 0 : undefined),
  },
  {
    name: "has a base without a slash at its end",
    ...{ kind, report: "OvenMediaEngine #1245", sound: "pcma" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Base", "rtsp://192.0.2.1/live")),
  },
  {
    name: "puts its tracks behind the query of its address",
    claims: ["address"],
    ...{ kind, report: "RtspClientSharp #110", address: "/live.sdp?profile=P381b", sound: "pcma" },
    trackAt: trackBehindQuery,
  },
  {
    name: "puts its tracks before the query of its address",
    claims: ["address"],
    ...{ kind, report: "gortsplib PR 62", address: "/live?profile=P381b", sound: "pcma" },
    trackAt: (uri) => {
      const number = /\/live\/track([129])\?profile=P381b$/.exec(uri)?.[1];
      return number === undefined ? undefined : Number(number) - 1;
    },
  },
  {
    name: "names a base with another query than it was asked for",
    claims: ["address"],
    ...{ kind, report: "gortsplib #121", address: "/live?token=69154&trackID=0" },
    ...answering("DESCRIBE", (reply) =>
      setHeader(reply, "Content-Base", "rtsp://192.0.2.1/live?token=69154&trackID=0"),
    ),
    trackAt: (uri) => {
      const number = /\/live\?token=69154&trackID=0\/track([129])$/.exec(uri)?.[1];
      return number === undefined ? undefined : Number(number) - 1;
    },
  },
  {
    name: "announces single units, and sends fragments",
    ...{ kind, report: "gortsplib PR 1092", codecs: ["h264"] },
    ...lines("a=fmtp:96", (line) => line.replace("packetization-mode=1", "packetization-mode=0")),
  },
  {
    name: "announces a profile that is none",
    ...{ kind, report: "retina #52", codecs: ["h264"] },
    ...lines("a=fmtp:96", (line) =>
      line.replace("packetization-mode", "profile-level-id=TeAo;packetization-mode"),
    ),
  },
  {
    name: "describes each track twice, word by word",
    ...{ kind, report: "SharpRTSP PR 94", sound: "pcma" },
    sdp: (all) => [...all, ...all.slice(all.findIndex((line) => line.startsWith("m=")))],
  },
  {
    name: "lists a video that it does not have before the one that it has",
    ...{ kind, report: "SharpRTSP PR 94" },
    ...lines("m=video", (line) => [
      "m=video 0 RTP/AVP 99",
      "a=rtpmap:99 H264/90000",
      "a=control:track7",
      line,
    ]),
  },
  {
    name: "splits the parameters of its video over two lines",
    ...{ kind, report: "WebRTC #417", codecs: ["h264"] },
    ...lines("a=fmtp:96", (line) =>
      line.split(";").map((part, at) => (at === 0 ? part : `a=fmtp:96 ${part}`)),
    ),
  },
  {
    name: "lists three formats of its video and sends the second",
    claims: ["payload types", "parameter sets"],
    ...{ kind, report: "streams of browsers", codecs: ["h264"] },
    ...lines("m=video", () => [
      "m=video 0 RTP/AVP 95 97 98",
      "a=rtpmap:95 VP8/90000",
      "a=rtpmap:97 H264/90000",
      "a=fmtp:97 packetization-mode=1",
      "a=rtpmap:98 rtx/90000",
      "a=fmtp:98 apt=97",
    ]),
    packets: (packets) => packets.map((packet) => ({ ...packet, payloadType: 97 })),
  },
  {
    name: "lists its format twice, and changes between both within a group",
    claims: ["payload types", "parameter sets"],
    ...{ kind, report: "RFC 3550, 5.1", codecs: ["h264"] },
    ...lines("m=video", () => [
      "m=video 0 RTP/AVP 96 97",
      "a=rtpmap:97 H264/90000",
      "a=fmtp:97 packetization-mode=1",
    ]),
    packets: (packets, { index }) =>
      packets.map((packet) => ({ ...packet, payloadType: index % 15 < 7 ? 96 : 97 })),
  },
  {
    name: "calls its video inactive",
    ...{ kind, report: "gortsplib #479" },
    ...lines("a=control:track1", (line) => ["a=inactive", line]),
  },
  {
    name: "calls its video and its sound sendonly",
    ...{ kind, report: "gortsplib #479", sound: "pcma" },
    ...lines("a=control:track", (line) => ["a=sendonly", line]),
  },
  {
    name: "names two controls of a track, the first of the whole",
    ...{ kind, report: "gortsplib #121" },
    ...lines("a=control:track1", (line) => ["a=control:*", line]),
  },
  {
    name: "writes its parameter sets without the ends of base64",
    claims: ["parameter sets"],
    ...{ kind, report: "retina #42", codecs: ["h264"] },
    ...lines("a=fmtp:96", (line) => line.replace(/=+(?=,|$)/g, "")),
    units: (units) => units.filter((unit) => ![7, 8].includes((unit[0] ?? 0) & 31)),
  },
  {
    name: "announces its video over TCP",
    ...{ kind, report: "RFC 4571, 2" },
    ...lines("m=video", (line) => line.replace("RTP/AVP", "TCP/RTP/AVP")),
  },
  {
    name: "announces feedback that it does not take",
    ...{ kind, report: "RFC 4585, 4" },
    ...lines("m=video", (line) => [line.replace("RTP/AVP", "RTP/AVPF"), "a=rtcp-fb:* nack pli"]),
  },
  {
    name: "puts its tracks beside its address, as RFC 3986 reads them",
    claims: ["address"],
    ...{ kind, report: "gpac #2971" },
    ...lines("a=control:track", (line) => line.replace("track", "live/track")),
  },
  {
    name: "begins the names of its tracks with ./",
    claims: ["address"],
    ...{ kind, report: "RFC 3986, 5.2" },
    ...lines("a=control:track", (line) => line.replace("track", "./track")),
  },
  {
    name: "names its place in brackets, as its base",
    claims: ["address"],
    ...{ kind, report: "RFC 3986, C" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Base", "<rtsp://192.0.2.1/live/>")),
  },
  {
    name: "names its place by Content-Location alone",
    claims: ["address"],
    ...{ kind, report: "RFC 2326, C.1.1" },
    ...answering("DESCRIBE", (reply) => {
      for (const header of reply.headers) if (header[0] === "Content-Base") header[0] = "Content-Location";
    }),
  },
  {
    name: "writes the names of its attributes in capitals",
    ...{ kind, report: "RFC 4566, 5" },
    ...lines("a=", (line) =>
      line.replace(/^a=(control|rtpmap|fmtp):/, (_all, name: string) => `a=${name.toUpperCase()}:`),
    ),
  },
  {
    name: "offers a video of a kind that nobody knows before its own",
    claims: ["description"],
    ...{ kind, report: "SharpRTSP PR 94" },
    ...lines("m=video", (line) => [
      "m=video 0 RTP/AVP 99",
      "a=rtpmap:99 VVC/90000",
      "a=control:track7",
      line,
    ]),
    expect: { status: /more than one video/, makes: "records the video that it can, and names the others" },
  },
];
