import type { Site } from "../model/model.js";
import type { ChangeAuthor } from "../model/site-change.js";
import { changeWords } from "./change-words.js";
import type { RevisionFiles } from "./revision-files.js";

/** One line of the configuration's history. */
export interface HistoryEntry {
  readonly revision: number;
  /** Unix microseconds; null if its file cannot be read. */
  readonly appliedAtUs: number | null;
  /** Null: the service itself, or unknown. */
  readonly by: ChangeAuthor | null;
  readonly summary: string;
}

/** The stored revisions, newest first. A revision without a stored summary is compared with its predecessor. */
export async function readHistory(files: RevisionFiles): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let previous: Site | undefined;
  for (const revision of await files.numbers()) {
    const opened = await files.open(revision);
    const { site, ...entry } =
      opened.kind === "whole" && opened.change !== null
        ? { revision, appliedAtUs: appliedAt(opened.site), ...opened.change, site: undefined }
        : await readWithoutChange(files, revision, previous);
    entries.push(entry);
    previous = site;
  }
  return entries.reverse();
}

/** The entry of a revision in an older format, by comparison, or of an unreadable one. */
async function readWithoutChange(
  files: RevisionFiles,
  revision: number,
  previous: Site | undefined,
): Promise<HistoryEntry & { readonly site: Site | undefined }> {
  const decoded = await files.read(revision);
  const by = null;
  if (decoded.kind !== "whole") {
    const summary = decoded.kind === "newer" ? "written by a newer version" : "its file is damaged";
    return { revision, appliedAtUs: null, by, summary, site: undefined };
  }
  const { site } = decoded;
  const summary = previous === undefined ? "not known" : changeWords(site, previous);
  return { revision, appliedAtUs: site.appliedAtUs, by, summary, site };
}

function appliedAt(site: unknown): number | null {
  if (typeof site !== "object" || site === null || !("appliedAtUs" in site)) return null;
  return Number.isSafeInteger(site.appliedAtUs) ? Number(site.appliedAtUs) : null;
}
