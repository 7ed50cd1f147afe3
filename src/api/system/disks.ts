import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  TEXT,
} from "../route/index.js";
import { DISK, describeDisk, describeVolume, describeWork, VOLUME, WORK } from "./disk-object.js";
import type { SystemNeeds } from "./needs.js";

const DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Lists the disks of the machine, the volumes on them, and the work on a disk",
  text: [
    "The routes under `/api/disks` are additions of nvrd's. No disk is asked for the list. What to do with disks, step by step: [disks](../guide/disks.md).",
  ],
  answer: jsonAnswer(
    objectOf({
      Disks: listOf(DISK),
      OtherVolumes: meaning("Volumes on no disk that can be seen: away, or elsewhere.", listOf(VOLUME)),
      Work: {
        oneOf: [WORK, { type: "null" }],
        description: "The disk that is being worked on, or was last.",
      },
      Problem: meaning("Why the state of the disks is not known.", orNull(TEXT)),
    }),
    "The disks, as last looked at.",
  ),
  example: ['curl -fu "$AUTH" "$NVR/api/disks"'],
};

export const DISKS_ROUTE: Route<SystemNeeds> = {
  method: "GET",
  path: "/api/disks",
  login: "administrator",
  endpoint: getDisks,
  describe: DESCRIPTION,
};

/** GET /api/disks: the disks of the machine, what lies on them, and what is being done to one. */
async function getDisks({ needs }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { disks, otherVolumes, work, problem } = await needs.storage.list();
  return answerJson({
    Disks: disks.map(describeDisk),
    OtherVolumes: otherVolumes.map(describeVolume),
    Work: work === undefined ? null : describeWork(work),
    Problem: problem ?? null,
  });
}
