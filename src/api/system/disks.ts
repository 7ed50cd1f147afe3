import * as v from "valibot";
import { formatIsoTime } from "../../base/index.js";
import type {
  FormatRequest,
  StorageDisk,
  StorageUser,
  StorageWork,
  StoredVolume,
} from "../../storage/index.js";
import {
  answerJson,
  type EndpointResult,
  members,
  type RequestContext,
  type Route,
  readBody,
} from "../route/index.js";
import {
  ADOPT_DESCRIPTION,
  DISKS_DESCRIPTION,
  FORGET_DESCRIPTION,
  FORMAT_DESCRIPTION,
  REPLACE_DESCRIPTION,
  RETIRE_DESCRIPTION,
} from "./describe-disks.js";
import type { SystemNeeds } from "./needs.js";

/* The disks in the hands of their owner; not in the reference. */

const PATH_LENGTH_MAX = 4096;
const TEXT_LENGTH_MAX = 256;
const ACCEPTED = 202;

const pathText = v.pipe(
  v.string("accepted: a path"),
  v.startsWith("/", "accepted: a path from the root on"),
  v.maxLength(PATH_LENGTH_MAX, `accepted: at most ${PATH_LENGTH_MAX} characters`),
  v.excludes("\0", "accepted: a path"),
);
const shortText = v.pipe(
  v.string("accepted: a text"),
  v.maxLength(TEXT_LENGTH_MAX, `accepted: at most ${TEXT_LENGTH_MAX} characters`),
);
const flag = v.boolean("accepted: true or false");
const formatMembers = {
  Device: shortText,
  Serial: shortText,
  Confirm: shortText,
  EraseFound: v.nullish(flag),
};
export const formatBody = members(formatMembers);
export const replaceBody = members({ Path: pathText, ...formatMembers });
export const adoptBody = members({ Path: pathText, Confirm: v.nullish(shortText) });
export const retireBody = members({ Path: pathText, Retired: flag });
export const forgetBody = members({
  Path: pathText,
  Confirm: v.pipe(v.string("accepted: a text"), v.maxLength(PATH_LENGTH_MAX)),
});

/** GET /api/disks: the disks of the machine, what lies on them, and what is being done to one. */
export async function getDisks({ needs }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { disks, otherVolumes, work, problem } = await needs.storage.list();
  return answerJson({
    Disks: disks.map(describeDisk),
    OtherVolumes: otherVolumes.map(describeVolume),
    Work: work === undefined ? null : describeWork(work),
    Problem: problem ?? null,
  });
}

/** POST /api/disks/format: makes a disk a new volume. */
export async function postFormat(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const body = readBody(formatBody, context.request.body);
  return accepted(await context.needs.storage.format(formatRequest(body), userOf(context)));
}

/** POST /api/disks/replace: makes a disk the volume that takes the place of another one. */
export async function postReplace(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const body = readBody(replaceBody, context.request.body);
  const { storage } = context.needs;
  return accepted(await storage.replace(body.Path, formatRequest(body), userOf(context)));
}

/** POST /api/disks/adopt: takes the volume that lies at a path, whichever it is. */
export async function postAdopt(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { Path, Confirm } = readBody(adoptBody, context.request.body);
  const id = await context.needs.storage.adopt(Path, Confirm ?? undefined, userOf(context));
  return answerJson({ VolumeId: id });
}

/** POST /api/disks/retire: records nothing new onto a volume, or again. */
export async function postRetire(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { Path, Retired } = readBody(retireBody, context.request.body);
  await context.needs.storage.retire(Path, Retired, userOf(context));
  return answerJson({ IsRetired: Retired });
}

/** POST /api/disks/forget: gives a volume up for good. */
export async function postForget(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { Path, Confirm } = readBody(forgetBody, context.request.body);
  await context.needs.storage.forget(Path, Confirm, userOf(context));
  return answerJson({ IsForgotten: true });
}

function formatRequest(body: v.InferOutput<typeof formatBody>): FormatRequest {
  const { Device, Serial, Confirm, EraseFound } = body;
  return { device: Device, serial: Serial, confirm: Confirm, eraseFound: EraseFound ?? false };
}

function userOf({ principal }: RequestContext<SystemNeeds>): StorageUser {
  return { id: principal.user.id, name: principal.user.name };
}

function accepted(work: StorageWork): EndpointResult {
  return { ...answerJson({ Work: describeWork(work) }), status: ACCEPTED };
}

function describeDisk(disk: StorageDisk): Record<string, unknown> {
  const { health } = disk;
  return {
    Device: disk.device,
    Model: disk.model,
    Serial: disk.serial,
    SizeBytes: disk.bytes,
    IsRotational: disk.isRotational,
    IsSystemDisk: disk.isSystemDisk,
    Verdict: health?.verdict ?? "unknown",
    Summary: health?.summary ?? null,
    IsAsleep: health?.isAsleep ?? false,
    TemperatureCelsius: health?.smart?.temperatureCelsius ?? null,
    PowerOnHours: health?.smart?.powerOnHours ?? null,
    Contents: disk.contents.map(({ name, type, label, mountPoint }) => ({
      Name: name,
      Type: type,
      Label: label,
      MountPoint: mountPoint ?? null,
    })),
    Volumes: disk.volumes.map(describeVolume),
  };
}

const STATES = { "in use": "InUse", retired: "Retired", "left out": "LeftOut" } as const;
const WORK_STATES = { running: "Running", done: "Done", failed: "Failed" } as const;

function describeVolume(volume: StoredVolume): Record<string, unknown> {
  return {
    Path: volume.directory,
    VolumeId: volume.volumeId ?? null,
    State: STATES[volume.state],
    Reason: volume.reason === "" ? null : volume.reason,
    SizeBytes: volume.totalBytes ?? null,
    FreeBytes: volume.freeBytes ?? null,
    RecordedBytes: volume.usedBytes ?? null,
    DaysLeft: volume.daysLeft === undefined ? null : Math.floor(volume.daysLeft),
  };
}

function describeWork(work: StorageWork): Record<string, unknown> {
  return {
    Action: work.action,
    Device: work.device,
    State: WORK_STATES[work.state],
    Step: work.step,
    StartTime: formatIsoTime(work.startedUs),
    EndTime: work.endedUs === undefined ? null : formatIsoTime(work.endedUs),
    Path: work.directory ?? null,
    Problem: work.problem ?? null,
  };
}

const disks = (path: string) => `/api/disks${path}`;
const login = "administrator" as const;

export const DISK_ROUTES: readonly Route<SystemNeeds>[] = [
  { method: "GET", path: disks(""), login, endpoint: getDisks, describe: DISKS_DESCRIPTION },
  { method: "POST", path: disks("/format"), login, endpoint: postFormat, describe: FORMAT_DESCRIPTION },
  { method: "POST", path: disks("/replace"), login, endpoint: postReplace, describe: REPLACE_DESCRIPTION },
  { method: "POST", path: disks("/adopt"), login, endpoint: postAdopt, describe: ADOPT_DESCRIPTION },
  { method: "POST", path: disks("/retire"), login, endpoint: postRetire, describe: RETIRE_DESCRIPTION },
  { method: "POST", path: disks("/forget"), login, endpoint: postForget, describe: FORGET_DESCRIPTION },
];
