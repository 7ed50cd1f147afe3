import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { GATE_ID } from "./api-fakes.js";

export const SAVED_FILE_ID = "88888888-0000-4000-8000-0000000000f1";

/** Of the link to it. */
export const SHARED_TOKEN = "0123456789abcdef0123456789abcdef";
const ROOT_ID = "66666666-0000-4000-8000-000000000001";

/** A file of recordings that an earlier run of the service kept: two bytes. And a link to it by root, where links are allowed. */
export async function keepSavedFile(dataDir: string): Promise<void> {
  const folder = `${dataDir}/files`;
  await mkdir(folder, { recursive: true });
  for (const part of ["head", "media"]) await writeFile(`${folder}/${SAVED_FILE_ID}.${part}`, "x");
  const file = {
    ...{ id: SAVED_FILE_ID, ownerId: GATE_ID, ownerName: "root", channelId: GATE_ID, channelName: "Gate" },
    ...{ streamTypes: ["Main"], sound: false, name: "Gate", fromUs: 1, toUs: 2 },
    ...{ createdUs: Date.now() * 1000, headBytes: 1, mediaBytes: 1 },
  };
  await writeFile(`${folder}/list.json`, JSON.stringify({ formatVersion: 1, files: [file] }));
  const link = {
    ...{ id: SAVED_FILE_ID, fileId: SAVED_FILE_ID, makerId: ROOT_ID, makerName: "root", secret: null },
    hash: createHash("sha256").update(SHARED_TOKEN).digest("hex"),
    ...{ createdUs: file.createdUs, untilUs: file.createdUs + 86_400_000_000, openings: 0, openedUs: null },
  };
  await writeFile(`${folder}/links.json`, JSON.stringify({ formatVersion: 1, links: [link] }));
}
