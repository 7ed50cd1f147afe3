import type { Habit, ZooReply, ZooRequest } from "../habit.js";
import { answering, dropHeader, headerOf, setBody, setHeader } from "./replies.js";

const kind = "session";

/** With the camera's first answer to a method alone. */
function atFirst(
  method: string,
  change: (reply: ZooReply, request: ZooRequest) => void,
): NonNullable<Habit["reply"]> {
  const asked = new WeakSet<object>();
  return (reply, request, { camera }) => {
    if (request.method !== method || asked.has(camera)) return;
    asked.add(camera);
    change(reply, request);
  };
}

/** Answers and descriptions whose intention is plain. */
export const ODD_DIALOGUES: readonly Habit[] = [
  {
    name: "answers each request twice",
    ...{ kind, report: "media-server #369" },
    written: (text) => text + text,
  },
  {
    name: "describes itself as nothing at first",
    claims: ["description"],
    ...{ kind, report: "go2rtc #7" },
    reply: atFirst("DESCRIBE", (reply) => setBody(reply, "")),
  },
  {
    name: "redirects its first DESCRIBE to where it is",
    claims: ["address"],
    ...{ kind, report: "go2rtc #1881" },
    reply: atFirst("DESCRIBE", (reply, { uri }) => {
      reply.status = 302;
      setHeader(reply, "Location", uri);
      setBody(reply, "");
    }),
  },
  {
    name: "names its time limit in milliseconds",
    claims: ["time limit"],
    ...{ kind, report: "mediamtx #2908" },
    ...answering("SETUP", (reply) => {
      const [id] = headerOf(reply, "Session").split(";");
      setHeader(reply, "Session", `${id};timeout=60000`);
    }),
  },
  {
    name: "names its time limit in a header of its own",
    claims: ["time limit"],
    ...{ kind, report: "RFC 2326, 12.37" },
    ...answering("SETUP", (reply) => {
      const [id = ""] = headerOf(reply, "Session").split(";");
      setHeader(reply, "Session", id);
      reply.headers.push(["Timeout", "60"]);
    }),
  },
  {
    name: "names the character set of its description",
    ...{ kind, report: "moonfire-nvr #300" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Type", "application/sdp; charset=utf-8")),
  },
  {
    name: "separates the methods that it knows by blanks, in small letters",
    claims: ["options"],
    ...{ kind, report: "media-stream-library-js #101" },
    ...answering("OPTIONS", (reply) =>
      setHeader(reply, "Public", headerOf(reply, "Public").toLowerCase().replaceAll(",", "")),
    ),
  },
  {
    name: "answers SETUP with 201",
    ...{ kind, report: "RFC 2326, 11" },
    written: (text, { method }) => (method === "SETUP" ? text.replace("200 OK", "201 Created") : text),
  },
  {
    name: "writes a line of its own before each answer",
    claims: ["line ends"],
    ...{ kind, report: "curl PR 10808" },
    written: (text) => `\r\n\r\n${text}`,
  },
  {
    name: "mixes a packet in between head and text of its description",
    ...{ kind, report: "curl PR 10808", over: "tcp" },
    written: (text, { method }) => {
      const end = text.indexOf("\r\n\r\n") + 4;
      const packet = "$\x00\x00\x0c\x80\x60\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01";
      return method === "GET_PARAMETER" ? `${text.slice(0, end)}${packet}${text.slice(end)}` : text;
    },
    ...answering("GET_PARAMETER", (reply) => setBody(reply, "position: 12.3\r\n")),
  },
  {
    name: "describes its video with a port that it sends from already",
    ...{ kind, report: "gortsplib #468" },
    sdp: (lines) => lines.map((line) => line.replace(/^m=video 0 /, "m=video 5004 ")),
  },
  {
    name: "writes its payload types with zeros in front",
    ...{ kind, report: "moonfire-nvr #213" },
    sdp: (lines) => lines.map((line) => line.replace(/^(a=(?:rtpmap|fmtp):)96/, "$1096")),
  },
  {
    name: "ends its description in the midst of its last line",
    ...{ kind, report: "thingino-firmware #1621" },
    ...answering("DESCRIBE", (reply) => setBody(reply, `${reply.body}a=x-vendor:mod`)),
  },
  {
    name: "answers PLAY without its session",
    claims: ["session id"],
    ...{ kind, report: "retina #17" },
    ...answering("PLAY", (reply) => dropHeader(reply, "Session")),
  },
  {
    name: "announces the profile of feedback",
    ...{ kind, report: "RFC 4585, 4" },
    sdp: (lines) => lines.map((line) => line.replace("RTP/AVP", "RTP/AVPF")),
  },
];
