import type { StorageWork } from "../../box/storage/index.js";
import {
  type DiskWorkBegun,
  diskWorkBegun,
  formatOrder,
  formatOrderTexts,
  replaceOrder,
  replaceOrderTexts,
} from "../../contract/answer/index.js";
import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  type Route,
  readBody,
  schemaOf,
} from "../../route/index.js";
import { bodyOfOrder, formatBody, formatRequest, replaceBody } from "../task/index.js";
import { userOf, WRONG_CONFIRM } from "./disk-input.js";
import { describeWork } from "./disk-object.js";
import type { DiskNeeds } from "./disks.js";

const ACCEPTED = 202;

const WORK_ANSWER = {
  ...jsonAnswer(
    schemaOf(diskWorkBegun),
    "The operation has started. `GET /api/disks` and [`GET /api/tasks`](#get-apitasks) show its progress.",
  ),
  status: ACCEPTED,
};
const FORMAT_ERRORS = {
  400: WRONG_CONFIRM,
  404: "There is no such disk, or no such volume.",
  409: "Another operation is running, the disk has a different serial number, or it contains data and `EraseFound` is not true. Mounted disks, swap, RAID members and the system disk are always refused.",
  501: "The setting `volumesDirectory` is not set.",
};

export const DISK_FORMAT_ROUTES: readonly Route<DiskNeeds>[] = [
  {
    method: "POST",
    path: "/api/disks/format",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Formats a disk for recordings: all data on it is lost",
      text: [
        "The whole disk becomes one ext4 file system, labelled `nvrd-` and eight digits. It is recorded onto as soon as it is mounted below `volumesDirectory`. One disk is formatted at a time.",
        "",
        "Formatting needs the disk keeper (setting `diskKeeper`), a process with root rights from the Debian package. Without it the operation fails.",
      ],
      body: { required: true, schema: bodyOfOrder(formatOrder, formatOrderTexts) },
      answer: WORK_ANSWER,
      errors: FORMAT_ERRORS,
      example: [
        "# Where nothing can format disks: 501.",
        'curl -fu "$AUTH" -X POST "$NVRD/api/disks/format" --data \'{',
        '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567" }\'',
      ],
    },
    /** POST /api/disks/format: makes a disk a new volume. */
    async endpoint(context) {
      const body = readBody(formatBody, context.request.body);
      return accepted(await context.needs.storage.format(formatRequest(body), userOf(context)));
    },
  },
  {
    method: "POST",
    path: "/api/disks/replace",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Formats a disk, and then retires the volume that it replaces",
      text: [
        "It works as [formatting](#post-apidisksformat). When the new disk is in use, the volume at `Path` is retired. If that volume is absent or empty, it is also forgotten. Otherwise its recordings stay and can be played. If formatting fails, the old volume is unchanged.",
      ],
      body: {
        required: true,
        schema: bodyOfOrder(replaceOrder, replaceOrderTexts),
      },
      answer: WORK_ANSWER,
      errors: FORMAT_ERRORS,
      example: [
        "# Where there is no such volume: 404.",
        'curl -fu "$AUTH" -X POST "$NVRD/api/disks/replace" --data \'{ "Path": "/srv/nvrd-0a1b2c3d",',
        '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567", "EraseFound": true }\'',
      ],
    },
    /** POST /api/disks/replace: makes a disk a new volume that replaces another one. */
    async endpoint(context) {
      const body = readBody(replaceBody, context.request.body);
      const { storage } = context.needs;
      return accepted(await storage.replace(body.Path, formatRequest(body), userOf(context)));
    },
  },
];

function accepted(work: StorageWork): EndpointResult {
  return { ...answerJson<DiskWorkBegun>({ Work: describeWork(work) }), status: ACCEPTED };
}
