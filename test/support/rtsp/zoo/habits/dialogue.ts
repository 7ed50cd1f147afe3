import type { Habit, ZooReply } from "../habit.js";
import { answering, dropHeader, headerOf, limitSession, setHeader } from "./replies.js";

const kind = "session";

/** The text of the answers to one method, otherwise. */
function writing(method: string, change: (text: string) => string): Pick<Habit, "written"> {
  return { written: (text, request) => (request.method === method ? change(text) : text) };
}

/** One of its own requests, every few seconds. */
function requests(ms: number, text: string): Pick<Habit, "tick"> {
  return {
    tick: (session) => {
      if (session.every(ms)) session.write(text);
    },
  };
}

function redirects(reply: ZooReply, location: string): void {
  reply.status = 302;
  reply.body = "";
  reply.headers = reply.headers.filter(([name]) => name === "CSeq");
  reply.headers.push(["Location", location]);
}

/** Answers, requests and bytes that no standard knows. */
export const DIALOGUE: readonly Habit[] = [
  {
    name: "ends its lines with LF",
    claims: ["line ends"],
    ...{ kind, report: "janus-gateway PR 1922" },
    written: (text) => text.replaceAll("\r", ""),
  },
  {
    name: "answers with a number and no words",
    ...{ kind, report: "gortsplib #807" },
    written: (text) => text.replace(/^(RTSP\/1\.0 \d+) \w+/, "$1"),
  },
  {
    name: "has headers without a value and lines without a colon",
    ...{ kind, report: "mediamtx #368" },
    written: (text) => text.replace("\r\n", "\r\nServer:\r\nx-nothing\r\n: 7\r\n"),
  },
  {
    name: "puts two empty lines before its description",
    claims: ["description"],
    ...{ kind, report: "minisatip #1164" },
    ...writing("DESCRIBE", (text) => text.replace("\r\n\r\n", "\r\n\r\n\r\n")),
  },
  {
    name: "describes itself without a type of content",
    ...{ kind, report: "moonfire-nvr #300" },
    ...answering("DESCRIBE", (reply) => {
      dropHeader(reply, "Content-Type");
      dropHeader(reply, "Content-Base");
    }),
  },
  {
    name: "describes itself without type, base and length",
    claims: ["description"],
    ...{ kind, report: "moonfire-nvr #300" },
    ...answering("DESCRIBE", (reply) => {
      reply.headers = reply.headers.filter(([name]) => !name.startsWith("Content-"));
    }),
  },
  {
    name: "tells the length of its description twice",
    claims: ["description"],
    ...{ kind, report: "mediamtx #136" },
    ...answering("DESCRIBE", (reply) => reply.headers.push(["Content-Length", "0"])),
  },
  {
    name: "writes its login into the base of its tracks",
    ...{ kind, report: "webrtc-streamer #138" },
    ...answering("DESCRIBE", (reply) =>
      setHeader(reply, "Content-Base", headerOf(reply, "Content-Base").replace("//", "//admin:admin000@")),
    ),
    trackAt: (uri) => (/\/live\/track[129]$/.test(uri) ? Number(uri.at(-1)) - 1 : undefined),
  },
  {
    name: "answers OPTIONS with 551",
    claims: ["options"],
    ...{ kind, report: "mediamtx #34" },
    ...answering("OPTIONS", (reply) => {
      reply.status = 551;
    }),
  },
  {
    name: "answers OPTIONS with 404",
    claims: ["options"],
    ...{ kind, report: "rtsp-simple-proxy #10" },
    ...answering("OPTIONS", (reply) => {
      reply.status = 404;
      dropHeader(reply, "Public");
    }),
  },
  {
    name: "answers OPTIONS as a web server does",
    claims: ["options"],
    ...{ kind, report: "turboladen/rtsp #17" },
    ...writing("OPTIONS", (text) => text.replace("RTSP/1.0 200 OK", "HTTP/1.0 501 Not Implemented")),
  },
  {
    name: "redirects DESCRIBE to another port of its own",
    claims: ["address"],
    ...{ kind, report: "go2rtc #1881" },
    reply: (reply, { method, uri }) => {
      if (method !== "DESCRIBE") return;
      if (uri.includes("moved")) setHeader(reply, "Content-Base", uri.replace(/\?.*/, "/"));
      else redirects(reply, `${uri}?moved=1`);
    },
  },
  {
    name: "redirects DESCRIBE to a path alone",
    claims: ["address"],
    ...{ kind, report: "go2rtc #1881" },
    reply: (reply, { method, uri }) => {
      if (method !== "DESCRIBE") return;
      if (uri.includes("moved")) setHeader(reply, "Content-Base", uri.replace(/\?.*/, "/"));
      else redirects(reply, "/live?moved=1");
    },
  },
  {
    name: "redirects OPTIONS and DESCRIBE",
    claims: ["address", "options"],
    ...{ kind, report: "gomedia #89" },
    reply: (reply, { method, uri }) => {
      if (method === "DESCRIBE" && uri.includes("moved"))
        setHeader(reply, "Content-Base", uri.replace(/\?.*/, "/"));
      else if ((method === "OPTIONS" || method === "DESCRIBE") && !uri.includes("moved"))
        redirects(reply, `${uri}?moved=1`);
    },
  },
  {
    name: "sends packets before it answers PLAY",
    ...{ kind, report: "membrane_rtsp PR 54", sound: "pcma" },
    reply: (reply, request, session) => {
      if (request.method !== "PLAY" || reply.status !== 200) return;
      reply.isSilent = true;
      answers.set(session, () => session.answer(reply, request));
    },
    tick: (session) => {
      const answer = answers.get(session);
      if (answer === undefined || session.camera.nowMs() - (session.playedMs ?? 0) < 700) return;
      answers.delete(session);
      answer();
    },
  },
  {
    name: "answers PLAY twice",
    ...{ kind, report: "media-server #369" },
    ...writing("PLAY", (text) => text + text),
  },
  {
    name: "answers PLAY without a list of its tracks, and with a range that nobody knows",
    ...{ kind, report: "SharpRTSP #43" },
    ...answering("PLAY", (reply) => {
      setHeader(reply, "Range", "npt=now-;time=19700101T000000Z");
      setHeader(reply, "RTP-Info", "url=;seq=;rtptime=,,;");
    }),
  },
  {
    name: "ends the session by TEARDOWN once",
    ...{ kind, report: "mediamtx #3434", seconds: 30 },
    tick: (session) => {
      if (session.camera.plays > 1 || session.camera.nowMs() < 8000) return;
      session.write("TEARDOWN rtsp://192.0.2.1/live RTSP/1.0\r\nCSeq: 5\r\nSession: 4711\r\n\r\n");
      session.playedMs = undefined;
    },
    expect: {
      sessions: 2,
      fragments: 2,
      status: /ended the session/,
      makes: "says that the camera ended the session, and begins another one",
    },
  },
  {
    name: "sets no marker, and closes the connection once",
    ...{ kind, report: "SharpRTSP #57", over: "tcp", seconds: 30 },
    packets: (packets) => packets.map((packet) => ({ ...packet, marker: false })),
    tick: (session) => {
      if (session.camera.plays > 1 || session.camera.nowMs() < 8000) return;
      session.hangUp();
    },
    expect: {
      sessions: 2,
      fragments: 2,
      status: /closed the connection/,
      makes: "records the last picture too, and begins another session",
    },
  },
  {
    name: "has a web server at the port",
    claims: ["options", "address"],
    ...{ kind, report: "turboladen/rtsp #17" },
    written: () =>
      "HTTP/1.1 400 Bad Request\r\nServer: httpd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    reply: (reply, request, session) => {
      reply.isSilent = true;
      session.answer(reply, request);
      session.hangUp();
    },
    expect: {
      isNothing: true,
      status: /web server.*port/,
      makes: "says that a web server answers, and to check the port",
    },
  },
  {
    name: "wants TLS at the port",
    claims: ["options", "address"],
    ...{ kind, report: "retina #65" },
    written: () => "\x15\x03\x01\x00\x02\x02\x46",
    reply: (reply, request, session) => {
      reply.isSilent = true;
      session.answer(reply, request);
      session.hangUp();
    },
    expect: {
      isNothing: true,
      status: /rtsps:\/\//,
      makes: "says that the port is one of TLS, and to use rtsps://",
    },
  },
  {
    name: "mixes bytes that mean nothing into its packets",
    ...{ kind, report: "curl PR 10808", over: "tcp" },
    ...requests(3000, "$a\x20\xeb garbage $\x09\xff and so on"),
  },
  {
    name: "mixes packets without bytes into its packets",
    ...{ kind, report: "curl PR 10808", over: "tcp" },
    ...requests(1000, "$\x00\x00\x00$\x01\x00\x00"),
  },
  {
    name: "announces its description anew now and then",
    ...{ kind, report: "RFC 2326, 10.3" },
    ...requests(
      4000,
      "ANNOUNCE rtsp://192.0.2.1/live RTSP/1.0\r\nCSeq: 31\r\nSession: 4711\r\nContent-Type: application/sdp\r\n" +
        "Content-Length: 24\r\n\r\nv=0\r\nm=video 0 RTP/AVP 26",
    ),
  },
  {
    name: "sets parameters of the recorder now and then",
    ...{ kind, report: "RFC 2326, 10.9" },
    ...requests(3000, "SET_PARAMETER * RTSP/1.0\r\nCSeq: 7\r\nContent-Length: 10\r\n\r\nbarparam: "),
  },
  {
    name: "tells the recorder to go elsewhere, and goes on",
    ...{ kind, report: "mediamtx #92" },
    ...requests(5000, "REDIRECT * RTSP/1.0\r\nCSeq: 732\r\nLocation: rtsp://192.0.2.77/\r\n\r\n"),
  },
  {
    name: "answers what it was not asked",
    ...{ kind, report: "media-server #369" },
    ...requests(2500, "RTSP/1.0 200 OK\r\nCSeq: 4000\r\nSession: 4711\r\n\r\n"),
  },
  {
    name: "refuses SET_PARAMETER, with the number of the request before",
    claims: ["options", "time limit"],
    ...{ kind, report: "retina #133", seconds: 60 },
    reply: (reply, { method, index }) => {
      if (method === "OPTIONS") setHeader(reply, "Public", "OPTIONS, DESCRIBE, SETUP, PLAY, SET_PARAMETER");
      if (method === "SETUP") limitSession(reply, ";timeout=15");
      if (method !== "SET_PARAMETER") return;
      reply.status = 400;
      setHeader(reply, "CSeq", String(index));
    },
  },
  {
    name: "answers GET_PARAMETER with 454, and goes on",
    claims: ["options", "time limit"],
    ...{ kind, report: "thingino-firmware #490", seconds: 80 },
    ...answering("GET_PARAMETER", (reply) => {
      reply.status = 454;
    }),
  },
  {
    name: "answers all requests for its life with 454, and goes on",
    claims: ["options", "time limit"],
    ...{ kind, report: "thingino-firmware #490", seconds: 80 },
    reply: (reply, { method, index }) => {
      if (method === "GET_PARAMETER" || (method === "OPTIONS" && index > 2)) reply.status = 454;
    },
  },
  {
    name: "answers GET_PARAMETER with 451, and knows OPTIONS alone for a sign of life",
    claims: ["options", "time limit"],
    ...{ kind, report: "media-stream-library-js #101", seconds: 80 },
    ...answering("GET_PARAMETER", (reply) => {
      reply.status = 451;
    }),
    tick: (session) => {
      const last = session.requests.findLast(({ method }) => method !== "GET_PARAMETER");
      if (last === session.requests[3] && session.camera.nowMs() > 60_000) session.hangUp();
    },
  },
  {
    name: "answers GET_PARAMETER with a text",
    claims: ["options"],
    ...{ kind, report: "RFC 2326, 10.8", seconds: 80 },
    ...answering("GET_PARAMETER", (reply) => {
      reply.body = "packets_received: 10\r\njitter: 0.3838\r\n";
      reply.headers.push(["Content-Type", "text/parameters"], ["Content-Length", String(reply.body.length)]);
    }),
  },
  {
    name: "names a time limit of many years",
    claims: ["time limit"],
    ...{ kind, report: "mediamtx #2908", seconds: 130 },
    ...answering("SETUP", (reply) => limitSession(reply, ";timeout=4294967295")),
    tick: (session) => {
      if (session.camera.nowMs() - session.lastRequestMs > 60_000) session.hangUp();
    },
  },
  {
    name: "names a time limit of two seconds",
    claims: ["time limit"],
    ...{ kind, report: "androidx/media #662", seconds: 30 },
    ...answering("SETUP", (reply) => limitSession(reply, ";timeout=2")),
    tick: (session) => {
      if (session.camera.nowMs() - session.lastRequestMs > 2000) session.hangUp();
    },
  },
];

/** Answers to PLAY that are written later. */
const answers = new WeakMap<object, () => void>();
