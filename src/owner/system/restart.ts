import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import type { UpdateState } from "../../box/update/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  choice,
  FLAG,
  jsonAnswer,
  meaning,
  members,
  objectOf,
  type Route,
  readBody,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { RESTARTED, type SystemNeeds } from "./states.js";

const ACCEPTED = 202;

const restartBody = members({
  What: v.picklist(RESTARTED, `accepted: one of ${RESTARTED.join(", ")}`),
});

const STATE = objectOf({
  Recorder: meaning("Whether the service can be restarted.", FLAG),
  Box: meaning("Whether the machine can be restarted: on the image only.", FLAG),
});

/** Phases without an update that is under way. */
const RESTING: readonly UpdateState["phase"][] = ["none", "kept", "rolledBack", "failed"];

export const RESTART_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/restart",
    login: "administrator",
    endpoint: ({ needs }) => answerJson({ Recorder: true, Box: needs.restarts.canRestartBox }),
    describe: {
      topic: "system",
      summary: "Returns what can be restarted",
      answer: jsonAnswer(STATE, "What can be restarted."),
      example: ['curl -fu "$AUTH" "$NVRD/api/system/restart"'],
    },
  },
  {
    method: "POST",
    path: "/api/system/restart",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Restarts the recorder, or the box",
      text: [
        "Recording stops in order, and goes on when the recorder is back: after some seconds, the box after about a minute. The answer comes before; it is over when `Service.UptimeSeconds` of [`/api/health`](#get-apihealth) has begun anew. Sessions and tasks of the configuration are kept, viewers are disconnected.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(restartBody), {
          What: "`Recorder`: the service. `Box`: the machine.",
        }),
      },
      answer: {
        ...jsonAnswer(objectOf({ What: choice(RESTARTED) }), "It begins in a moment."),
        status: ACCEPTED,
      },
      errors: {
        409: "An update is under way: a restart would end its trial.",
        501: "This machine is not restarted by the recorder.",
      },
      example: [
        'BEFORE=$(curl -fsSu "$AUTH" "$NVRD/api/health" | grep -o \'"Service":.*\' | member UptimeSeconds)',
        `curl -fu "$AUTH" "$NVRD/api/system/restart" --data '{ "What": "Recorder" }'`,
        'until [ "$(curl -fsu "$AUTH" "$NVRD/api/health" | grep -o \'"Service":.*\' | member UptimeSeconds)" -lt "$BEFORE" ] 2>/dev/null; do sleep 1; done',
      ],
    },
    /** POST /api/system/restart: the recorder stops in order, and comes back. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { What: what } = readBody(restartBody, request.body);
      const { id, name } = principal.user;
      if (!RESTING.includes(needs.updates.state.phase))
        throw new NvrdError("CONFLICT", "an update is under way, and a restart would end it", {
          hint: "see GET /api/update",
        });
      await needs.restarts.ask(what, name);
      log.info({ user: name, what }, "a restart is requested");
      needs.events.raise({
        typeId: EVENT_TYPES[what === "Box" ? "boxRestartRequested" : "restartRequested"].id,
        initiator: { type: 1, id, name },
      });
      return { ...answerJson({ What: what }), status: ACCEPTED };
    },
  },
];
