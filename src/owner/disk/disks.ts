import type { StorageControl } from "../../box/storage/index.js";
import { type Disks, disks } from "../../contract/answer/index.js";
import type { DiskHistory, HealthFigures } from "../../health/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import { describeDisk, describeVolume, describeWork } from "./disk-object.js";

/** What the routes of this topic work with. */
export interface DiskNeeds {
  /** The disks of the machine and what can be done with them. */
  readonly storage: StorageControl;
  /** What the disks said of themselves, for years. */
  readonly diskHistory: Pick<DiskHistory, "of">;
  /** How fast the volumes fill. */
  readonly monitoring: { figures(): Promise<Pick<HealthFigures, "volumes">> };
}

export const DISKS_ROUTE: Route<DiskNeeds> = {
  method: "GET",
  path: "/api/disks",
  login: "administrator",

  describe: {
    topic: "system",
    summary: "Lists the disks of the machine, their volumes, and the operation on a disk",
    text: [
      "The routes under `/api/disks` are additions of nvrd's. The list is created without accessing the disks. What to do with disks, step by step: [disks](../guide/disks.md).",
    ],
    answer: jsonAnswer(schemaOf(disks), "The disks, as last checked."),
    example: ['curl -fu "$AUTH" "$NVRD/api/disks"'],
  },
  /** GET /api/disks: the disks of the machine, their contents, and the current operation. */
  async endpoint({ needs }) {
    const [{ disks: listed, otherVolumes, work, problem }, { volumes }] = await Promise.all([
      needs.storage.list(),
      needs.monitoring.figures(),
    ]);
    return answerJson<Disks>({
      Disks: listed.map((disk) => describeDisk(disk, volumes)),
      OtherVolumes: otherVolumes.map((volume) => describeVolume(volume, volumes)),
      Work: work === undefined ? null : describeWork(work),
      Problem: problem ?? null,
    });
  },
};
