import { formatIsoTime, NvrdError } from "../../base/index.js";
import { BUNDLE_BYTES_MAX, type UpdateState } from "../../box/update/index.js";
import { type UpdateProgress, update } from "../../contract/answer/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import type { SystemNeeds } from "./states.js";

const STATE = schemaOf(update);

const STATE_EXAMPLE: UpdateProgress = {
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

export const UPDATE_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/update",
    login: "administrator",
    isUpdate: true,

    describe: {
      topic: "system",
      summary: "Reports the progress of a system update, or the result of the last one",
      answer: jsonAnswer(STATE, "The state."),
      example: ['curl -fu "$AUTH" "$NVRD/api/update"'],
    },
    /** GET /api/update: the progress of an update, the running version and slot; an addition of nvrd. */
    endpoint({ needs }) {
      return answerJson(updateObject(needs.updates.state, needs.version));
    },
  },
  {
    method: "POST",
    path: "/api/update",
    login: "administrator",
    isUpdate: true,
    streamsBody: true,

    describe: {
      topic: "system",
      summary: "Updates the whole system of a recorder that was installed as an image",
      text: [
        "The update is installed into the other slot, tried once, and kept if the recorder works as before: see the [guide](../guide/update.md). The body is streamed to the disk. The connection is closed if the body is refused.",
      ],
      body: {
        required: true,
        mediaType: "application/octet-stream",
        text: "The signed bundle, at most 2 GB, with or without `Content-Length`.",
        schema: { type: "string", format: "binary", minLength: 1, maxLength: BUNDLE_BYTES_MAX },
      },
      answer: jsonAnswer(STATE, "The bundle is checked and waits for its installation.", STATE_EXAMPLE),
      errors: {
        400: "The bundle is not signed for this recorder, incomplete, or for other hardware.",
        409: "An update is running; it must first be kept, rolled back or have failed.",
        413: "The bundle is larger than 2 GB.",
        501: "There is no second slot.",
        503: "There is not enough space on the system disk.",
      },
      example: [
        "# Where the recorder has no slots: 501.",
        'curl -fu "$AUTH" "$NVRD/api/update" --data-binary @nvrd.raucb',
      ],
    },
    /** POST /api/update: the body is the bundle. Answers when it was checked and passed to the installer. */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const { bodyStream } = request;
      if (bodyStream === undefined) throw new NvrdError("INTERNAL", "the body was not received as a stream");
      const { bytes } = bodyStream;
      const upload = { chunks: bodyStream, ...(bytes === undefined ? {} : { bytes }) };
      const state = await needs.updates.receive(upload, `${principal.user.name} from ${request.address}`);
      return answerJson(updateObject(state, needs.version));
    },
  },
];

function updateObject(state: UpdateState, running: string): UpdateProgress {
  const { supported, phase, percent, message, version, fromVersion, slot, sinceUs } = state;
  return {
    Supported: supported,
    RunningVersion: running,
    Slot: slot,
    Phase: phase,
    Percent: percent,
    Message: message,
    Version: version,
    FromVersion: fromVersion,
    Since: sinceUs === null ? null : formatIsoTime(sinceUs),
  };
}
