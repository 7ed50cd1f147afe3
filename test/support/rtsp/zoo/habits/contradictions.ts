import type { Habit } from "../habit.js";

const kind = "session";

/** The control of the pictures, otherwise. */
function control(written: string): NonNullable<Habit["sdp"]> {
  return (lines) => lines.map((line) => (line === "a=control:track1" ? `a=control:${written}` : line));
}

/** Dialogues that contradict themselves where the intention is plain. */
export const CONTRADICTIONS: readonly Habit[] = [
  {
    name: "begins the names of its tracks with a slash, and means those below its address",
    claims: ["address"],
    ...{ kind, report: "gortsplib #121", sdp: control("/track1") },
  },
  {
    name: "writes the names of its tracks in quotes",
    claims: ["address"],
    ...{ kind, report: "gortsplib #121", sdp: control(' "track1"') },
  },
  {
    name: "gives addresses of its tracks that begin with http://",
    claims: ["address"],
    ...{ kind, report: "go2rtc #830", sdp: control("http://192.0.2.1/live/track1") },
  },
  {
    name: "plays, and never answers PLAY",
    // It answers no challenge either.
    claims: ["login"],
    ...{ kind, report: "media-server #369" },
    reply: (reply, { method }) => {
      if (method === "PLAY") reply.isSilent = true;
    },
  },
  {
    name: "hangs up at OPTIONS",
    claims: ["options"],
    ...{ kind, report: "html5_rtsp_player #73" },
    reply: (reply, { method }, session) => {
      if (method !== "OPTIONS") return;
      reply.isSilent = true;
      session.hangUp();
    },
  },
];
