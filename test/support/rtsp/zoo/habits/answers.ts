import type { Habit } from "../habit.js";
import { answering, limitSession } from "./replies.js";

const kind = "session";

/** Heads that end otherwise, bodies that do not come, and fields that nobody can use. */
export const ANSWERS: readonly Habit[] = [
  {
    name: "promises a text in its answer to GET_PARAMETER, and sends none",
    claims: ["options"],
    ...{ kind, report: "locomote-video-player PR 3", seconds: 80 },
    ...answering("GET_PARAMETER", (reply) => reply.headers.push(["Content-Length", "20"])),
  },
  {
    name: "promises a text in its answer to OPTIONS, and sends none",
    claims: ["options"],
    ...{ kind, report: "html5_rtsp_player #82" },
    ...answering("OPTIONS", (reply) => reply.headers.push(["Content-Length", "20"])),
  },
  {
    name: "promises a text in its answer to PLAY, and sends none",
    ...{ kind, report: "locomote-video-player PR 3", seconds: 30 },
    ...answering("PLAY", (reply) => reply.headers.push(["Content-Length", "500"])),
  },
  {
    name: "ends its lines with CR CR LF",
    claims: ["description"],
    ...{ kind, report: "janus-gateway PR 1922" },
    written: (text) => {
      const end = text.indexOf("\r\n\r\n") + 4;
      return text.slice(0, end).replaceAll("\r\n", "\r\r\n") + text.slice(end);
    },
  },
  {
    name: "continues its Transport header on another line",
    ...{ kind, report: "RFC 2326, 4.2" },
    written: (text) => text.replace(/^(Transport: [^;]*;)/m, "$1\r\n "),
  },
  {
    name: "answers with 100 first",
    ...{ kind, report: "RFC 2326, 11" },
    written: (text, { headers }) =>
      `RTSP/1.0 100 Continue\r\nCSeq: ${headers.get("cseq") ?? ""}\r\n\r\n${text}`,
  },
  {
    name: "speaks RTSP/2.0",
    ...{ kind, report: "RFC 7826, 3" },
    written: (text) => text.replace("RTSP/1.0", "RTSP/2.0"),
  },
  {
    name: "names a time limit that is no number",
    claims: ["time limit"],
    ...{ kind, report: "mediamtx #2908" },
    ...answering("SETUP", (reply) => limitSession(reply, ';timeout=never;x="y;z"')),
  },
  {
    name: "lists tracks of elsewhere, with numbers that are none, where it plays",
    ...{ kind, report: "SharpRTSP #43" },
    ...answering("PLAY", (reply) =>
      reply.headers.push(["RTP-Info", "url=rtsp://10.0.0.1/x;seq=77777;rtptime=-5,url=;seq=abc"]),
    ),
  },
  {
    name: "plays at the scale and speed 0",
    ...{ kind, report: "RFC 2326, 12.34" },
    ...answering("PLAY", (reply) => reply.headers.push(["Scale", "0"], ["Speed", "0"])),
  },
  {
    name: "plays by the address of a track alone",
    claims: ["address", "session id"],
    ...{ kind, report: "media-stream-library-js PR 306" },
    reply: (reply, { method, uri }) => {
      if (method === "PLAY" && !uri.includes("track")) reply.status = 404;
    },
  },
  {
    name: "writes its status lines in small letters, with blanks",
    ...{ kind, report: "RFC 2326, 7.1" },
    written: (text) => text.replace(/^RTSP\/1.0 (\d+) (\w+)/, "rtsp/1.0  $1   $2 "),
  },
  {
    name: "answers with 250 for 200",
    ...{ kind, report: "RFC 2326, 7.1.1" },
    written: (text) => text.replace("RTSP/1.0 200 OK", "RTSP/1.0 250 Low on Storage Space"),
  },
  {
    name: "names its session in two headers of each answer",
    claims: ["session id"],
    ...{ kind, report: "RFC 2326, 12.37" },
    reply: (reply) => {
      const own = reply.headers.find(([name]) => name.toLowerCase() === "session");
      if (own !== undefined) reply.headers.push(["Session", own[1]]);
    },
  },
  {
    name: "names another session in a second header of its answer to SETUP",
    claims: ["session id"],
    ...{ kind, report: "RFC 2326, 12.37" },
    reply: (reply, { method, headers }) => {
      if (method === "SETUP") reply.headers.push(["Session", "9911"]);
      else if (headers.has("session") && headers.get("session") !== "4711") reply.status = 454;
    },
  },
  {
    name: "ends the names of its tracks with a slash, and knows them so alone",
    claims: ["address"],
    ...{ kind, report: "RFC 2326, C.1.1" },
    sdp: (lines) => lines.map((line) => line.replace(/^(a=control:track\d)$/i, "$1/")),
    trackAt: (uri) => (/\/live\/track[129]\/$/.test(uri) ? Number(uri.at(-2)) - 1 : undefined),
  },
  {
    name: "ends the names of its tracks with a slash, and knows them without",
    claims: ["address"],
    ...{ kind, report: "RFC 2326, C.1.1" },
    sdp: (lines) => lines.map((line) => line.replace(/^(a=control:track\d)$/i, "$1/")),
  },
  {
    name: "is not ready at the first DESCRIBE",
    ...{ kind, report: "RFC 2326, 11.3" },
    reply: (() => {
      const asked = new WeakSet<object>();
      return (reply, { method }, { camera }) => {
        if (method !== "DESCRIBE" || asked.has(camera)) return;
        asked.add(camera);
        reply.status = 503;
        reply.body = "";
        reply.headers = reply.headers.filter(([name]) => name === "CSeq");
      };
    })(),
  },
];
