import { signal } from "@preact/signals";
import type { FileLinkList } from "../../../contract/answer/index.js";
import { request, requestJson } from "../../state/request.js";
import { session } from "../../state/session.js";

/** The links to files for people without a login; undefined until they are known. */
export const fileLinks = signal<FileLinkList | undefined>(undefined);

/** Who may not export has none. */
export async function readFileLinks(): Promise<void> {
  if (session.value?.Rights.CanUseArchiveExport !== true) return;
  fileLinks.value = await requestJson<FileLinkList>("/api/links");
}

export async function takeLinkBack(id: string): Promise<void> {
  await request(`/api/links/${id}`, { method: "DELETE" });
  await readFileLinks();
}
