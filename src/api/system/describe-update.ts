import { BUNDLE_BYTES_MAX, UPDATE_PHASES } from "../../update/index.js";
import {
  choice,
  FLAG,
  ISO_TIME,
  jsonAnswer,
  objectOf,
  orNull,
  type RouteDescription,
  range,
  TEXT,
} from "../route/index.js";

/** Updates, as /openapi.json describes them. */

const STATE = objectOf({
  Supported: { ...FLAG, description: "Whether this recorder has a second slot to install an update into." },
  RunningVersion: TEXT,
  Slot: orNull(TEXT),
  Phase: choice(UPDATE_PHASES),
  Percent: orNull(range(0, 100)),
  Message: TEXT,
  Version: orNull(TEXT),
  FromVersion: orNull(TEXT),
  Since: orNull(ISO_TIME),
});

export const UPDATE_STATE_DESCRIPTION: RouteDescription = {
  summary: "How far an update of the whole system is, or how the last one came out",
  answer: jsonAnswer(STATE, "The state."),
};

export const UPDATE_DESCRIPTION: RouteDescription = {
  summary: "Updates the whole system: the body is a signed bundle",
  text: "It is installed into the other slot, tried once, and kept when the recorder works as before.",
  body: {
    required: true,
    mediaType: "application/octet-stream",
    schema: { type: "string", format: "binary", maxLength: BUNDLE_BYTES_MAX },
  },
  answer: jsonAnswer(STATE, "The bundle is checked and waits for its installation."),
  errors: [409, 501, 503],
};
