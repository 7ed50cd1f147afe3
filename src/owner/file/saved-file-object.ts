import type { Principal } from "../../access/index.js";
import { formatIsoTime, NvrdError, parseGuid, US_PER_DAY } from "../../base/index.js";
import { refusedExport } from "../../compat/index.js";
import type { SavedFileObject } from "../../contract/answer/index.js";
import type { RequestContext } from "../../route/index.js";
import { type FileNeeds, KEPT_DAYS, partsOf, type SavedFile } from "./saved-files.js";

/** Users see what they had made, administrators all; nobody what they may not export now. */
export function maySeeFile(principal: Principal, file: SavedFile): boolean {
  const { ownerId, sound } = file;
  if (!principal.group.seniorAdministrators && principal.user.id !== ownerId) return false;
  return partsOf(file).every(
    ({ channelId, streamTypes }) =>
      principal.maySee(channelId) &&
      refusedExport(principal, { of: { channelId, streamTypes }, sound }) === undefined,
  );
}

/** The file of the path. Throws NvrdError NOT_FOUND. */
export function fileOfPath({ needs, principal, pathValues }: RequestContext<FileNeeds>): SavedFile {
  const id = parseGuid(pathValues.get("id") ?? "");
  const file = id === undefined ? undefined : needs.files.list().find((one) => one.id === id);
  if (file !== undefined && maySeeFile(principal, file)) return file;
  throw new NvrdError("NOT_FOUND", "there is no such file", { hint: "see GET /api/files" });
}

export function savedFileObject(file: SavedFile): SavedFileObject {
  const { id, name, channelId, channelName, others, fromUs, toUs, speed, sound, ownerName, createdUs } = file;
  return {
    ...{ Id: id, Name: name, ChannelId: channelId, ChannelName: channelName },
    ...{ FromTime: formatIsoTime(fromUs), ToTime: formatIsoTime(toUs) },
    ...{ WithChannelIds: others.map((other) => other.channelId), Speed: speed, Sound: sound },
    ...{ Bytes: file.headBytes + file.mediaBytes, Url: `/api/files/${id}`, User: ownerName },
    CreatedTime: formatIsoTime(createdUs),
    KeptUntilTime: formatIsoTime(createdUs + KEPT_DAYS * US_PER_DAY),
  };
}
