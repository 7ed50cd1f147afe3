import { counted } from "../../language.js";

export const words = {
  title: "System",
  state: {
    ok: "The recorder is well.",
    warning: "The recorder works, and something needs attention.",
    error: "Recordings are lost, or will be soon.",
  },
  recorded: (recording: number, toRecord: number) =>
    toRecord === 0
      ? "No camera is to be recorded now."
      : `${recording} of ${counted(toRecord, { one: "camera is", other: "cameras are" })} recorded now.`,
  depth: (days: string) => `There are recordings of ${days}.`,
  problems: "What needs attention",
  severity: { error: "Error", warning: "Warning" },
  about: "The box",
  version: "Version",
  time: "Time",
  timeFrom: "Its time comes from",
  witness: {
    "time-server": "a time server",
    "battery-clock": "the clock of the box, which has a battery",
    host: "the machine that the recorder runs in",
    set: "somebody who set it",
    operator: "an administrator, who confirmed it",
    settings: "the recorder's settings, which say that it is right",
    nobody: "nobody: it may be wrong",
  },
  timeIsRight: "This time is right",
  timeConfirmed: "The time is taken as right.",
  boxUp: "Switched on for",
  recorderUp: "Recording for",
  starts: "Former starts of the recorder",
  started: (from: string, to: string) => `${from} to ${to}`,
  since: (from: string) => `Since ${from}`,
  end: {
    stopped: "stopped in order",
    updated: "ended for an update",
    failed: "could not go on",
    crashed: "ended by an error",
    killed: "was ended from outside",
    "power-lost": "lost its power",
    running: "runs",
  },
  restart: "Restart",
  restartWhy: "Nothing is recorded meanwhile. The page goes on by itself.",
  restartButton: { Recorder: "Restart the recorder", Box: "Restart the box" },
  restartSure: {
    Recorder: "Recording stops for some seconds, and goes on by itself. Who is watching is interrupted.",
    Box: "Recording stops for about two minutes, and goes on by itself. Who is watching is interrupted.",
  },
  restartNow: "Restart now",
  restarting: { Recorder: "The recorder restarts…", Box: "The box restarts…" },
  isBack: { Recorder: "The recorder is back.", Box: "The box is back." },
};
