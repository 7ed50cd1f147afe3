import { BUNDLE_BYTES_MAX, UPDATE_PHASES } from "../../update/index.js";
import {
  choice,
  FLAG,
  ISO_TIME,
  jsonAnswer,
  meaning,
  named,
  objectOf,
  orNull,
  type RouteDescription,
  range,
  TEXT,
} from "../route/index.js";

/** Updates of the whole system. */

const STATE = named(
  "UpdateState",
  objectOf({
    Supported: meaning("The recorder has a second slot to install an update into.", FLAG),
    RunningVersion: TEXT,
    Slot: meaning("The slot that runs, `a` or `b`; null without slots.", orNull(TEXT)),
    Phase: choice(UPDATE_PHASES),
    Percent: meaning("Of the phase; null where it is not known.", orNull(range(0, 100))),
    Message: meaning("What happens, or why it came out so.", TEXT),
    Version: meaning("The version that is or was installed.", orNull(TEXT)),
    FromVersion: meaning("The version before it.", orNull(TEXT)),
    Since: meaning("When the phase began.", orNull(ISO_TIME)),
  }),
);

const EXAMPLE = {
  Supported: true,
  RunningVersion: "0.1.0",
  Slot: "a",
  Phase: "waiting",
  Percent: null,
  Message: "",
  Version: "0.2.0",
  FromVersion: "0.1.0",
  Since: "2026-11-21T09:00:00.0000000Z",
};

export const UPDATE_STATE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Reports how far an update of the whole system is, or how the last one came out",
  answer: jsonAnswer(STATE, "The state."),
  example: ['curl -u "$AUTH" "$NVR/api/update"'],
};

export const UPDATE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Updates the whole system of a recorder that was installed as an image",
  text: [
    "The update is installed into the other slot, tried once, and kept when the recorder works as before: see the [guide](../guide/update.md). The body is written to the disk as it comes. A connection on which a body is refused is closed.",
  ],
  body: {
    required: true,
    mediaType: "application/octet-stream",
    text: "The signed bundle as it is, at most 2 GB, with or without `Content-Length`.",
    schema: { type: "string", format: "binary", maxLength: BUNDLE_BYTES_MAX },
  },
  answer: jsonAnswer(STATE, "The bundle is checked and waits for its installation.", EXAMPLE),
  errors: {
    400: "The bundle is not signed for this recorder, not whole, or for other boxes.",
    409: "An update is under way, until it is kept, rolled back or failed.",
    413: "The bundle is larger than 2 GB.",
    501: "There is no second slot.",
    503: "There is no room on the system disk.",
  },
  example: ['curl -u "$AUTH" "$NVR/api/update" --data-binary @nvrd.raucb'],
};
