import { signal } from "@preact/signals";
import type { FormerCamera } from "../../contract/answer/index.js";
import { addressOf } from "./address.js";
import { request, requestJson } from "./request.js";

/** What a former camera is called: by its last name; without one `nameless` says it with the beginning of its id. */
export function formerName(
  { Id, Name }: Pick<FormerCamera, "Id" | "Name">,
  nameless: (id: string) => string,
): string {
  return Name === Id ? nameless(Id.slice(0, 8)) : Name;
}

/** Those whose recordings this user may watch; none until they are known. */
export const formerCameras = signal<readonly FormerCamera[]>([]);

/** Whether the recorder has said which there are, or could not say. */
export const areFormerAsked = signal(false);

/** Reads them anew; those that stayed the same change nothing on the screen. */
export async function readFormerCameras(): Promise<void> {
  try {
    const read = await requestJson<readonly FormerCamera[]>("/api/archive/former");
    if (JSON.stringify(formerCameras.value) !== JSON.stringify(read)) formerCameras.value = read;
  } finally {
    areFormerAsked.value = true;
  }
}

/** Gives a former camera's recordings to a camera; null: takes them back. */
export async function giveRecordings(id: string, GivenTo: string | null): Promise<void> {
  try {
    await request(`/api/archive/former/${id}`, { method: "PUT", body: { GivenTo } });
  } finally {
    await readFormerCameras();
  }
}

/** Deletes all recordings of a former camera, in the background. */
export async function deleteFormerCamera(id: string): Promise<void> {
  await request(addressOf("/configure/channels/{id}", { archive: "delete" }, id), { method: "DELETE" });
  await readFormerCameras();
}
