import type { GapReason } from "../../messages/index.js";

/** What the reasons mean, for the description of the API. */
export const GAP_REASON_TEXTS: Readonly<Record<GapReason, string>> = {
  "camera-lost": "the camera did not answer, or sent nothing",
  interrupted: "the camera's stream was interrupted for some seconds, too short to be an event",
  "not-recordable":
    "the camera sent what could not be recorded: no key frame, or a form that is not known; the event `framesLost` there says which",
  "by-schedule": "the schedule leaves this time out",
  "no-motion": "recorded on motion, and there was none",
  "not-started": "recorded by hand, and nobody had switched it on",
  "switched-off": "the channel, or its recording, was switched off",
  "service-stopped": "the service was stopped in order: by somebody, for an update, with the machine",
  "service-crashed": "the service crashed or was killed",
  "power-cut": "the machine lost power, or crashed",
  disk: "nothing could be written, or a disk with recordings is not there",
  "deleted-age": "recorded, and deleted because of its age",
  "deleted-space": "recorded, and deleted because its space was needed",
  "recorder-busy": "other work of the recorder left it no time to receive what the camera sent",
  "clock-unknown": "the clock was moved ahead over this time",
  "not-recorded-yet": "before the channel was added, or recorded for the first time",
  "not-known-yet":
    "known in some seconds: the recording is that young, or the index of recordings is being opened",
  unknown: "nothing that the recorder knows explains it",
};
