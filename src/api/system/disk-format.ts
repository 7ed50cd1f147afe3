import * as v from "valibot";
import type { FormatRequest, StorageWork } from "../../storage/index.js";
import {
  answerJson,
  type EndpointResult,
  FLAG,
  jsonAnswer,
  meaning,
  members,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readBody,
  textUpTo,
} from "../route/index.js";
import { flag, PATH, pathText, shortText, TEXT_LENGTH_MAX, userOf, WRONG_CONFIRM } from "./disk-input.js";
import { describeWork, WORK } from "./disk-object.js";
import type { SystemNeeds } from "./needs.js";

const ACCEPTED = 202;

const formatMembers = {
  Device: shortText,
  Serial: shortText,
  Confirm: shortText,
  EraseFound: v.nullish(flag),
};
const formatBody = members(formatMembers);
const replaceBody = members({ Path: pathText, ...formatMembers });

const FORMAT_MEMBERS = {
  Device: meaning("A whole disk: `/dev/sdb`.", textUpTo(TEXT_LENGTH_MAX)),
  Serial: textUpTo(TEXT_LENGTH_MAX),
  Confirm: meaning(
    "The serial number once more; the device name of a disk that has none.",
    textUpTo(TEXT_LENGTH_MAX),
  ),
  EraseFound: { ...orNull(FLAG), default: false, description: "Erase what is found on the disk." },
};
const FORMAT_REQUIRED = ["Device", "Serial", "Confirm"];
const WORK_ANSWER = {
  ...jsonAnswer(objectOf({ Work: WORK }), "The work has begun. `GET /api/disks` says how far it is."),
  status: ACCEPTED,
};
const FORMAT_ERRORS = {
  400: WRONG_CONFIRM,
  404: "There is no such disk, or no such volume.",
  409: "Another disk is being worked on, the disk has another serial number, or it holds something and `EraseFound` is not true. A disk that is mounted, swap, part of a RAID, or that the machine runs from is always refused.",
  501: "The setting `volumesDirectory` is not given.",
};

const FORMAT_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Formats a disk for recordings: all data on it is lost",
  text: [
    "The whole disk becomes one ext4 file system, labelled `nvrd-` and eight digits. It is recorded onto as soon as it is mounted below `volumesDirectory`. One disk is formatted at a time.",
    "",
    "The work needs the disk keeper (setting `diskKeeper`), a process with root's rights that the Debian package brings. Without it the work fails and says so.",
  ],
  body: { required: true, schema: objectOf(FORMAT_MEMBERS, FORMAT_REQUIRED) },
  answer: WORK_ANSWER,
  errors: FORMAT_ERRORS,
  example: [
    'curl -fu "$AUTH" -X POST "$NVR/api/disks/format" --data \'{',
    '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567" }\'',
  ],
};

const REPLACE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Formats a disk, and then retires the volume whose place it takes",
  text: [
    "It works as [formatting](#post-apidisksformat). When the new disk is recorded onto, the volume at `Path` is retired. Where that volume is away or holds nothing, it is forgotten as well. Otherwise its recordings stay on it and are played. If the formatting fails, the old volume stays as it was.",
  ],
  body: { required: true, schema: objectOf({ Path: PATH, ...FORMAT_MEMBERS }, ["Path", ...FORMAT_REQUIRED]) },
  answer: WORK_ANSWER,
  errors: FORMAT_ERRORS,
  example: [
    'curl -fu "$AUTH" -X POST "$NVR/api/disks/replace" --data \'{ "Path": "/srv/nvrd-0a1b2c3d",',
    '  "Device": "/dev/sdb", "Serial": "WD-WCC4E1234567", "Confirm": "WD-WCC4E1234567", "EraseFound": true }\'',
  ],
};

export const DISK_FORMAT_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "POST",
    path: "/api/disks/format",
    login: "administrator",
    endpoint: postFormat,
    describe: FORMAT_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/disks/replace",
    login: "administrator",
    endpoint: postReplace,
    describe: REPLACE_DESCRIPTION,
  },
];

/** POST /api/disks/format: makes a disk a new volume. */
async function postFormat(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const body = readBody(formatBody, context.request.body);
  return accepted(await context.needs.storage.format(formatRequest(body), userOf(context)));
}

/** POST /api/disks/replace: makes a disk the volume that takes the place of another one. */
async function postReplace(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const body = readBody(replaceBody, context.request.body);
  const { storage } = context.needs;
  return accepted(await storage.replace(body.Path, formatRequest(body), userOf(context)));
}

function formatRequest(body: v.InferOutput<typeof formatBody>): FormatRequest {
  const { Device, Serial, Confirm, EraseFound } = body;
  return { device: Device, serial: Serial, confirm: Confirm, eraseFound: EraseFound ?? false };
}

function accepted(work: StorageWork): EndpointResult {
  return { ...answerJson({ Work: describeWork(work) }), status: ACCEPTED };
}
