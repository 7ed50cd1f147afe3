import type { Habit, ZooReply } from "../habit.js";
import { answering, dropHeader, headerOf, nameSession, setHeader } from "./replies.js";

const kind = "transport";
const claims = ["transport"] as const;

/** The Transport header of the answers to SETUP, otherwise. */
function transport(change: (value: string, reply: ZooReply) => string): Pick<Habit, "reply"> {
  return answering("SETUP", (reply) =>
    setHeader(reply, "Transport", change(headerOf(reply, "Transport"), reply)),
  );
}

/** How tracks are set up, and where their packets come from. */
export const TRANSPORT: readonly Habit[] = [
  {
    name: "answers SETUP without a Transport header",
    ...{ kind, claims, report: "gortsplib #456" },
    ...answering("SETUP", (reply) => dropHeader(reply, "Transport")),
  },
  {
    name: "answers SETUP over TCP as if it were UDP",
    ...{ kind, claims, report: "gortsplib #142", over: "tcp" },
    ...transport(() => "RTP/AVP;unicast;source=192.0.2.1"),
  },
  {
    name: "separates port and source by a comma",
    ...{ kind, claims, report: "mediamtx #762", over: "udp" },
    ...transport((value) => `${value},ssrc=FFFFCCCC`),
  },
  {
    name: "writes blanks, capitals and quotes into its Transport header",
    ...{ kind, claims, report: "janus-gateway PR 1922" },
    ...transport((value) => `${value.replaceAll(";", " ; ").replace("unicast", "UNICAST")} ; mode="PLAY" ;`),
  },
  {
    name: "answers with the ports 0 and 1",
    ...{ kind, claims, report: "mediamtx #407", over: "udp" },
    ...transport((value) => value.replace(/server_port=\d+-\d+/, "server_port=0-1")),
  },
  {
    name: "answers with the ports 0 and 0",
    ...{ kind, claims, report: "mediamtx #407", over: "udp" },
    ...transport((value) => value.replace(/server_port=\d+-\d+/, "server_port=0-0")),
  },
  {
    name: "names its port as that of a group",
    ...{ kind, claims, report: "moonfire-nvr #192", over: "udp" },
    ...transport((value) => value.replace("server_port", "destination=192.0.2.2;port")),
  },
  {
    name: "answers with other ports of the recorder than it was asked for",
    ...{ kind, claims, report: "RTSP-Server #69", over: "udp" },
    ...transport((value) => value.replace(/client_port=\d+-\d+/, "client_port=8000-8001")),
  },
  {
    name: "sends from other ports than it names",
    ...{ kind, claims, report: "mediamtx #691", over: "udp" },
    sendsFrom: (_track, isRtcp) => [2, isRtcp],
  },
  {
    name: "sends packets and reports from one port",
    ...{ kind, claims, report: "janus-gateway PR 841", over: "udp" },
    sendsFrom: (track) => [track, false],
  },
  {
    name: "names a source and a destination of a network behind it",
    ...{ kind, claims, report: "zoneminder #911" },
    ...transport((value) => `${value};destination=10.0.0.9;source=127.0.0.9`),
  },
  {
    name: "sends its reports where its packets go",
    ...{ kind, report: "RFC 5761, 4", sound: "pcma" },
    mixesReports: true,
  },
  {
    name: "sends its reports where its packets go, three pictures a second",
    claims: ["pace"],
    ...{ kind, report: "RFC 5761, 4", seconds: 30 },
    takenMs: (index) => index * 333,
    mixesReports: true,
  },
  {
    name: "names another session for each track, and plays the pictures by the first",
    claims: ["session id"],
    ...{ kind, report: "retina PR 85", sound: "pcma" },
    reply: (reply, { method, uri, headers }) => {
      if (method === "SETUP") nameSession(reply, uri.endsWith("track2") ? "4712" : "4711");
      else if (headers.get("session") === "4712") reply.status = 454;
    },
  },
  {
    name: "names another session for each track, and plays each by its own",
    claims: ["session id"],
    ...{ kind, report: "go2rtc #2462", sound: "pcmu" },
    reply: (reply, { method, uri, headers, index }, session) => {
      if (method === "SETUP") nameSession(reply, uri.endsWith("track2") ? "4712" : "4711");
      if (method !== "PLAY" || index < 0) return;
      const isFirst = session.playedMs === undefined;
      const played = headers.get("session") === "4712" ? 1 : 0;
      if (isFirst) session.setSending(1 - played, false);
      session.setSending(played, true);
    },
  },
  {
    name: "names its session in the answer to DESCRIBE alone",
    claims: ["session id", "time limit"],
    ...{ kind, report: "mediamtx #840" },
    reply: (reply, { method, headers }) => {
      dropHeader(reply, "Session");
      if (method === "DESCRIBE") setHeader(reply, "Session", "4711;timeout=60");
      if (method === "PLAY" && headers.get("session") !== "4711") reply.status = 454;
    },
  },
  {
    name: "names no session at all",
    // Nor a limit of it.
    claims: ["session id", "time limit"],
    ...{ kind, report: "mediamtx #840" },
    reply: (reply) => dropHeader(reply, "Session"),
  },
  {
    name: "writes blanks around its session's name and limit",
    claims: ["session id", "time limit"],
    ...{ kind, report: "turboladen/rtsp #10", seconds: 40 },
    ...answering("SETUP", (reply) => setHeader(reply, "Session", " 4711 ; Timeout = 15 ")),
    tick: (session) => {
      if (session.camera.nowMs() - session.lastRequestMs > 15_000) session.hangUp();
    },
  },
  {
    name: "sends nothing of its pictures until its sound is set up too",
    ...{ kind, report: "retina PR 85", sound: "pcma" },
    reply: (_reply, { method }, session) => {
      if (method === "PLAY")
        session.setSending(
          0,
          session.requests.some(({ uri }) => uri.endsWith("track2")),
        );
    },
  },
];
