import { mkdir, writeFile } from "node:fs/promises";
import { GATE_ID } from "./api-fakes.js";

export const SAVED_FILE_ID = "88888888-0000-4000-8000-0000000000f1";

/** A file of recordings that an earlier run of the service kept: two bytes. */
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
}
