import { formatIsoTime, NvrdError } from "../../base/index.js";
import { BUNDLE_BYTES_MAX } from "../../box/update/index.js";
import { type HubRollout, hubRollout, ROLLOUT_PHASES, ROLLOUT_STEPS } from "../../contract/answer/index.js";
import { rolloutStart, rolloutStartTexts, shownWord } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  jsonAnswer,
  orNull,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { NO_HUB, requireHub, WHERE_NO_HUB } from "./boxes.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";
import { hubUserOf } from "./hub-user.js";

const PATH = "/api/boxes/rollout";
const startBody = readerOfValue(rolloutStart);
const STATE = jsonAnswer(orNull(schemaOf(hubRollout)), "The rollout; null: there is none.");
const BUSY = "An update is being rolled out, or its bundle received.";

export const ROLLOUT_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Shows the update that this hub rolls out",
      answer: STATE,
      errors: { 404: NO_HUB },
      example: [WHERE_NO_HUB, `curl -fu "$AUTH" "$NVRD${PATH}"`],
    },
    /** GET /api/boxes/rollout: how each recorder does. */
    endpoint: ({ needs }) => answerState(requireHub(needs)),
  },
  {
    method: "POST",
    path: `${PATH}/bundle`,
    login: "administrator",
    streamsBody: true,
    describe: {
      topic: "fleet",
      summary: "Sends the bundle that this hub rolls out next",
      text: [
        "It is kept by this hub alone until another one comes or it is deleted. Nothing is begun. Whether it is signed for it, each recorder checks.",
      ],
      body: {
        required: true,
        mediaType: "application/octet-stream",
        text: "The signed bundle, at most 2 GB, with or without `Content-Length`.",
        schema: { type: "string", format: "binary", minLength: 1, maxLength: BUNDLE_BYTES_MAX },
      },
      answer: STATE,
      errors: {
        404: NO_HUB,
        409: BUSY,
        413: "The bundle is larger than 2 GB.",
        503: "There is not enough space on the disk of the data directory.",
      },
      example: [WHERE_NO_HUB, `curl -fu "$AUTH" "$NVRD${PATH}/bundle" --data-binary @nvrd.raucb`],
    },
    /** POST /api/boxes/rollout/bundle: the body is the bundle. */
    async endpoint({ needs, request, principal, log }) {
      const boxes = requireHub(needs);
      const { bodyStream } = request;
      if (bodyStream === undefined) throw new NvrdError("INTERNAL", "the body was not received as a stream");
      const { bytes } = bodyStream;
      const bundle = await boxes.rollout.receive({
        chunks: bodyStream,
        ...(bytes === undefined ? {} : { bytes }),
      });
      log.info(
        { user: principal.user.name, ...bundle },
        "a bundle for the recorders of this hub was received",
      );
      return answerState(boxes);
    },
  },
  {
    method: "POST",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Rolls out an update to recorders of this hub, a group after the other",
      text: [
        "Each recorder gets the bundle in the name of who begins this. It installs it, tries it and keeps it or goes back by itself, as with [`POST /api/update`](#post-apiupdate); then it is looked at for a while. Where one fails, no other is begun. The owner of a recorder decides whether it may be updated through the hub (`MayUpdate` of [`/api/hub`](#put-apihub)). It is an [event](events.md) `rolloutBegun`, and `rolloutStopped` when somebody stops it.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(startBody), notesOf(rolloutStart.members, rolloutStartTexts)),
      },
      answer: STATE,
      errors: { 404: NO_HUB, 409: `${BUSY} Or no bundle is here.` },
      example: [
        WHERE_NO_HUB,
        `curl -fu "$AUTH" "$NVRD${PATH}" --data '{ "Groups": [{ "Recorders": ["22222222-0000-4000-8000-00000000000c"] }], "WatchMinutes": 10 }'`,
      ],
    },
    /** POST /api/boxes/rollout: begins. */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const boxes = requireHub(needs);
      const { Groups, WatchMinutes } = readBody(startBody, request.body);
      await boxes.rollout.begin({
        groups: Groups.map(({ Recorders }) => Recorders),
        watchMinutes: WatchMinutes ?? rolloutStart.members.WatchMinutes.default,
        by: hubUserOf(principal, request.address),
      });
      raise(context, "rolloutBegun");
      return answerState(boxes);
    },
  },
  {
    method: "DELETE",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Stops the rollout of an update, or forgets one that has ended",
      text: [
        "While it runs: no other recorder is begun; those that have the bundle go on by themselves. Afterwards: what became of it and the bundle are deleted.",
      ],
      answer: STATE,
      errors: {
        404: NO_HUB,
        409: "Recorders are still being looked after, or the bundle is being received.",
      },
      example: [WHERE_NO_HUB, `curl -fu "$AUTH" -X DELETE "$NVRD${PATH}"`],
    },
    /** DELETE /api/boxes/rollout: begins no other recorder. */
    async endpoint(context) {
      const { needs, principal } = context;
      const boxes = requireHub(needs);
      const wasRunning = boxes.rollout.state?.phase === "running";
      await boxes.rollout.end(principal.user.name);
      if (wasRunning) raise(context, "rolloutStopped");
      return answerState(boxes);
    },
  },
];

function raise(
  { needs, principal }: RequestContext<FleetNeeds>,
  what: "rolloutBegun" | "rolloutStopped",
): void {
  const { id, name } = principal.user;
  needs.events.raise({ typeId: EVENT_TYPES[what].id, comment: "", initiator: { type: 1, id, name } });
}

function answerState(boxes: BoxesControl) {
  const { state, bundle } = boxes.rollout;
  if (state === undefined)
    return answerJson<HubRollout | null>(
      bundle === undefined ? null : { ...NOTHING_BEGUN, ...shownBundle(bundle) },
    );
  const { phase, reason, version, watchMinutes, startedUs, by, groups } = state;
  return answerJson<HubRollout | null>({
    Phase: shownWord(ROLLOUT_PHASES, phase),
    Reason: reason === "" ? null : reason,
    ...shownBundle(state),
    ...{ Version: version, WatchMinutes: watchMinutes, StartedTime: formatIsoTime(startedUs), By: by.Name },
    Groups: groups.map((group) => ({
      Recorders: group.map(({ id, step, percent = null, reason: why, sinceUs }) => ({
        ...{
          Id: id,
          Name: boxes.box(id)?.name ?? id,
          Step: shownWord(ROLLOUT_STEPS, step),
          Percent: percent,
        },
        ...{ Reason: why === "" ? null : why, SinceTime: formatIsoTime(sinceUs) },
      })),
    })),
  });
}

const NOTHING_BEGUN: Omit<HubRollout, "Bytes" | "Sha256"> = {
  ...{ Phase: "Ready", Reason: null, Version: null, WatchMinutes: null, StartedTime: null, By: null },
  Groups: [],
};

function shownBundle({ bytes, sha256 }: { readonly bytes: number; readonly sha256: string }) {
  return { Bytes: bytes, Sha256: sha256 };
}
