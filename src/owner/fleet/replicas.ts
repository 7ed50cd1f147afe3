import { BYTES_PER_GB, NvrdError, parseGuid } from "../../base/index.js";
import { type FleetReplicas, fleetReplicas } from "../../contract/answer/index.js";
import { replicaShare, replicaShareTexts } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  jsonAnswer,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { FleetNeeds } from "./fleet-control.js";

/* Replicas of other recorders' recordings on a disk of this one; not in the reference. Where this one's go: ReplicationServerId of a camera. */

const shareBody = readerOfValue(replicaShare);
const STATE = jsonAnswer(schemaOf(fleetReplicas), "Who has a share, and how much of it is used.");
const PATH_VALUES = { id: "The other recorder's id." };
const EXAMPLE_ID = "22222222-0000-4000-8000-00000000000c";

export const REPLICAS_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: "/api/fleet/replicas",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Reports what this recorder keeps of other recorders",
      text: [
        "An addition of nvrd's. What this recorder sends to others is in [`/api/away`](#get-apiaway), by the other recorder's name.",
      ],
      answer: STATE,
      example: ['curl -fu "$AUTH" "$NVRD/api/fleet/replicas"'],
    },
    /** GET /api/fleet/replicas: each share, and how much of it is used. */
    endpoint: ({ needs }) => answerState(needs),
  },
  {
    method: "PUT",
    path: "/api/fleet/replicas/{id}",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Gives a partner a share of a disk for replicas of its recordings",
      text: [
        "An addition of nvrd's. The partner sends what its cameras' `ReplicationServerId` says; it is played here like recordings of former cameras. The port of the setting [`replicaPort`](settings.md#replicaport) is open while somebody has a share. It is an [event](events.md) `replicaShareGiven`.",
      ],
      pathValues: PATH_VALUES,
      body: {
        required: true,
        schema: withNotes(schemaOfBody(shareBody), notesOf(replicaShare.members, replicaShareTexts)),
      },
      answer: STATE,
      errors: {
        404: "There is no such partner.",
        409: "Replicas of others lie on another volume.",
        503: "The disk is not there.",
      },
      example: [
        "# Where there is no such partner: 404.",
        `curl -fu "$AUTH" -X PUT "$NVRD/api/fleet/replicas/${EXAMPLE_ID}" --data '{ "GigabytesMax": 500 }'`,
      ],
    },
    /** PUT /api/fleet/replicas/{id}: how much of a disk a partner may use. */
    async endpoint(context) {
      const { GigabytesMax, VolumeId } = readBody(shareBody, context.request.body);
      const id = idOf(context);
      await context.needs.replicas.give(id, GigabytesMax * BYTES_PER_GB, VolumeId ?? undefined);
      raise(context, "replicaShareGiven", `${nameOf(context, id)}: ${GigabytesMax} GB`);
      return answerState(context.needs);
    },
  },
  {
    method: "DELETE",
    path: "/api/fleet/replicas/{id}",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Deletes all that is kept of another recorder, and takes its share back",
      text: ["An addition of nvrd's. It is an [event](events.md) `replicasDeleted`."],
      pathValues: PATH_VALUES,
      answer: STATE,
      errors: { 404: "It has no share here.", 503: "Not all could be deleted, or the disk is not there." },
      example: [
        "# Where it has no share: 404.",
        `curl -fu "$AUTH" -X DELETE "$NVRD/api/fleet/replicas/${EXAMPLE_ID}"`,
      ],
    },
    /** DELETE /api/fleet/replicas/{id}: nothing of it is kept any more. */
    async endpoint(context) {
      const id = idOf(context);
      const name = nameOf(context, id);
      await context.needs.replicas.remove(id);
      raise(context, "replicasDeleted", name);
      return answerState(context.needs);
    },
  },
];

function idOf({ pathValues }: RequestContext<FleetNeeds>): string {
  const id = parseGuid(pathValues.get("id") ?? "");
  if (id !== undefined) return id;
  throw new NvrdError("NOT_FOUND", "there is no such recorder", { hint: "see GET /api/fleet/partners" });
}

function nameOf({ needs }: RequestContext<FleetNeeds>, id: string): string {
  return needs.replicas.shares().find((share) => share.id === id)?.name ?? id;
}

function raise(
  { needs, principal, log }: RequestContext<FleetNeeds>,
  what: "replicaShareGiven" | "replicasDeleted",
  comment: string,
): void {
  const { id, name } = principal.user;
  log.info({ user: name }, EVENT_TYPES[what].name);
  needs.events.raise({ typeId: EVENT_TYPES[what].id, comment, initiator: { type: 1, id, name } });
}

function answerState({ replicas }: FleetNeeds) {
  const { port, volumeId, problem } = replicas;
  return answerJson<FleetReplicas>({
    Port: port === 0 ? null : port,
    VolumeId: volumeId ?? null,
    Problem: problem ?? null,
    Shares: replicas.shares().map(({ id, name, bytesMax, usedBytes, isPartner }) => ({
      ...{ Id: id, Name: name, GigabytesMax: bytesMax / BYTES_PER_GB },
      ...{ UsedBytes: usedBytes, IsPartner: isPartner },
    })),
  });
}
