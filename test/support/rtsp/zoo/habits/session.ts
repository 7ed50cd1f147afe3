import type { Habit } from "../habit.js";
import { answering, dropHeader, headerOf, limitSession, setHeader } from "./replies.js";

const kind = "session";

/** Addresses, lengths and fields of the dialogue that contradict themselves. */
export const SESSION: readonly Habit[] = [
  {
    name: "writes rtsp:// twice in its Content-Base",
    ...{ kind, report: "go2rtc #208" },
    reply: (reply, { method }) => {
      if (method === "DESCRIBE")
        setHeader(reply, "Content-Base", `rtsp://${headerOf(reply, "Content-Base")}`);
    },
  },
  {
    name: "names an address behind another router",
    ...{ kind, report: "retina #18" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Base", "rtsp://10.99.0.7:554/live/")),
  },
  {
    name: "names no base for its tracks",
    ...{ kind, report: "retina #18" },
    ...answering("DESCRIBE", (reply) => dropHeader(reply, "Content-Base")),
  },
  {
    name: "gives whole addresses of its tracks",
    claims: ["address"],
    ...{ kind, report: "go2rtc #1663" },
    sdp: (lines) =>
      lines.map((line) => line.replace(/a=control:track/, "a=control:rtsp://192.0.2.1/live/track")),
  },
  {
    name: "describes its video in three lines",
    claims: ["parameter sets", "description", "address"],
    ...{ kind, report: "go2rtc #679", codecs: ["h264"] },
    sdp: () => ["m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000", "a=control:track1"],
  },
  {
    name: "gives its video a negative port and garbage for an address",
    ...{ kind, report: "go2rtc #2316" },
    sdp: (lines) =>
      lines.flatMap((line) =>
        line.startsWith("m=video")
          ? [line.replace("video 0", "video -1353744643"), "c=IN IP4 '&\xff\xfe"]
          : [line],
      ),
  },
  {
    name: "lists a medium of its own making",
    ...{ kind, report: "go2rtc #708" },
    sdp: (lines) => [...lines, "m=application/MERCURY 0 RTP/AVP smart/1/90000", "a=rtpmap:95 MERCURY/90000"],
  },
  {
    name: "lists ONVIF metadata",
    ...{ kind, report: "gortsplib #479" },
    sdp: (lines) => [...lines, "m=application 0 RTP/AVP 107", "a=rtpmap:107 vnd.onvif.metadata/90000"],
  },
  {
    name: "puts the parameters of its video into the section of its sound",
    claims: ["parameter sets"],
    ...{ kind, report: "WebRTC #417", sound: "pcma", codecs: ["h264"] },
    sdp: (lines) => {
      const fmtp = lines.filter((line) => line.startsWith("a=fmtp:96"));
      return [...lines.filter((line) => !line.startsWith("a=fmtp:96")), ...fmtp];
    },
    units: (units) => units.filter((unit) => ![7, 8].includes((unit[0] ?? 0) & 31)),
  },
  {
    name: "gives the parameters of its video another payload type",
    claims: ["parameter sets"],
    ...{ kind, report: "gortsplib #658", codecs: ["h264"] },
    sdp: (lines) => lines.map((line) => line.replace("a=fmtp:96", "a=fmtp:97")),
    units: (units) => units.filter((unit) => ![7, 8].includes((unit[0] ?? 0) & 31)),
  },
  {
    name: "ends the lines of its description with LF, the last with none",
    claims: ["line ends"],
    ...{ kind, report: "thingino-firmware #1621" },
    ...answering("DESCRIBE", (reply) => {
      reply.body = reply.body.replace(/\r/g, "").trimEnd();
      setHeader(reply, "Content-Length", String(Buffer.byteLength(reply.body, "latin1")));
    }),
  },
  {
    name: "promises more of its description than it sends",
    ...{ kind, report: "mediamtx #136" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Length", String(reply.body.length + 2))),
  },
  {
    name: "promises less of its description than it sends",
    ...{ kind, report: "mediamtx #136" },
    ...answering("DESCRIBE", (reply) => setHeader(reply, "Content-Length", String(reply.body.length - 2))),
  },
  {
    name: "sets up its tracks on other channels than it was asked for",
    ...{ kind, report: "gortsplib #72", over: "tcp", sound: "pcma" },
    ...answering("SETUP", (reply) => {
      const transport = headerOf(reply, "Transport");
      const channels = transport.includes("interleaved=0") ? "interleaved=4-5" : "interleaved=6-7";
      setHeader(reply, "Transport", transport.replace(/interleaved=\d-\d/, channels));
    }),
  },
  {
    name: "answers SETUP without channels",
    ...{ kind, report: "gortsplib #142", over: "tcp" },
    ...answering("SETUP", (reply) => setHeader(reply, "Transport", "RTP/AVP/TCP;unicast")),
  },
  {
    name: "swaps the channels of RTP and RTCP in its answer",
    ...{ kind, report: "gortsplib #72", over: "tcp" },
    ...answering("SETUP", (reply) => setHeader(reply, "Transport", "RTP/AVP/TCP;unicast;interleaved=1-0")),
  },
  {
    name: "answers SETUP without its ports",
    ...{ kind, report: "smolrtsp #31", over: "udp" },
    ...answering("SETUP", (reply) =>
      setHeader(reply, "Transport", headerOf(reply, "Transport").replace(/;server_port=.*/, "")),
    ),
  },
  {
    name: "closes after five seconds without a receiver report",
    ...{ kind, report: "rtsp-client-android #2", seconds: 40 },
    tick: (session) => {
      if (session.camera.nowMs() - session.lastReportMs > 5000) session.hangUp();
    },
  },
  {
    name: "offers GET_PARAMETER and never answers it",
    claims: ["options"],
    ...{ kind, report: "ZLMediaKit #642", seconds: 100 },
    ...answering("GET_PARAMETER", (reply) => {
      reply.isSilent = true;
    }),
  },
  {
    name: "closes at GET_PARAMETER, which it does not offer",
    claims: ["options"],
    ...{ kind, report: "SharpRTSP #63", seconds: 100 },
    reply: (reply, { method }) => {
      if (method === "OPTIONS") setHeader(reply, "Public", "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN");
    },
    tick: (session) => {
      if (session.requests.some(({ method }) => method === "GET_PARAMETER")) session.hangUp();
    },
  },
  {
    name: "ends a session after ten seconds without a request",
    claims: ["time limit", "options"],
    ...{ kind, report: "mediamtx #1066", seconds: 60 },
    ...answering("SETUP", (reply) => limitSession(reply, ";timeout=10")),
    tick: (session) => {
      if (session.camera.nowMs() - session.lastRequestMs > 10_000) session.hangUp();
    },
  },
  {
    name: "names no time limit and ends a session after a minute",
    claims: ["time limit"],
    ...{ kind, report: "mediamtx #2908", seconds: 130 },
    ...answering("SETUP", (reply) => limitSession(reply, "")),
    tick: (session) => {
      if (session.camera.nowMs() - session.lastRequestMs > 60_000) session.hangUp();
    },
  },
  {
    name: "names a time limit of 0",
    claims: ["time limit"],
    ...{ kind, report: "mediamtx #1066" },
    ...answering("SETUP", (reply) => limitSession(reply, ";timeout=0")),
  },
  {
    name: "writes its headers in lower case",
    ...{ kind, report: "retina #10" },
    reply: (reply) => {
      reply.headers = reply.headers.map(([name, value]) => [name.toLowerCase(), value]);
    },
  },
  {
    name: "answers without CSeq",
    claims: ["options"],
    ...{ kind, report: "retina #10" },
    reply: (reply) => dropHeader(reply, "CSeq"),
  },
  {
    name: "ignores OPTIONS",
    claims: ["options"],
    ...{ kind, report: "html5_rtsp_player #73" },
    ...answering("OPTIONS", (reply) => {
      reply.isSilent = true;
    }),
  },
  {
    name: "offers UDP alone",
    ...{ kind, report: "retina #103", over: "udp" },
    reply: (reply, { method, headers }) => {
      if (method === "SETUP" && /TCP/.test(headers.get("transport") ?? "")) reply.status = 461;
    },
  },
  {
    name: "asks the recorder for OPTIONS now and then",
    ...{ kind, report: "RFC 2326, 10.1" },
    tick: (session) => {
      if (session.every(4000)) session.write("OPTIONS * RTSP/1.0\r\nCSeq: 900\r\n\r\n");
    },
  },
  {
    name: "sends packets of a session that is over",
    ...{ kind, report: "retina #17", over: "tcp" },
    tick: (session) => {
      if (session.every(700))
        session.send(5, false, Buffer.from([0x80, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 65]));
    },
  },
  {
    name: "refuses a range",
    ...{ kind, report: "retina #10" },
    reply: (reply, { method, headers }) => {
      if (method === "PLAY" && headers.has("range")) reply.status = 457;
    },
  },
  {
    name: "describes its video twice",
    claims: ["payload types"],
    ...{ kind, report: "SharpRTSP PR 94" },
    sdp: (lines) => [...lines, "m=video 0 RTP/AVP 98", "a=rtpmap:98 H264/90000", "a=control:track8"],
  },
];
