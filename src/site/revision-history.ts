import { changeWords } from "./change-words.js";
import type { Site } from "./model.js";
import type { RevisionFiles } from "./revision-files.js";
import type { ChangeAuthor } from "./site-change.js";

/** One line of the configuration's history. */
export interface HistoryEntry {
  readonly revision: number;
  /** When it was applied, Unix microseconds; null when its file cannot be read. */
  readonly appliedAtUs: number | null;
  /** Null: the service itself, or not known. */
  readonly by: ChangeAuthor | null;
  readonly summary: string;
}

/** The kept revisions, newest first. One that was written before summaries were kept is compared with the one before. */
export async function readHistory(files: RevisionFiles): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let previous: Site | undefined;
  for (const revision of await files.numbers()) {
    const decoded = await files.read(revision);
    if (decoded.kind === "whole") {
      const { site, change } = decoded;
      const summary = change?.summary ?? (previous === undefined ? "not known" : changeWords(site, previous));
      entries.push({ revision, appliedAtUs: site.appliedAtUs, by: change?.by ?? null, summary });
      previous = site;
    } else {
      const summary = decoded.kind === "newer" ? "written by a newer version" : "its file is damaged";
      entries.push({ revision, appliedAtUs: null, by: null, summary });
      previous = undefined;
    }
  }
  return entries.reverse();
}
