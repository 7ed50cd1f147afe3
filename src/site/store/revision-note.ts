import type { ChangeAuthor } from "../model/site-change.js";
import { changeWords } from "./change-words.js";
import { decodeRevision, openRevision } from "./revision-document.js";

/** What a revision's document says of its change. */
export interface RevisionNote {
  /** Unix microseconds; null if the document cannot be read. */
  readonly appliedAtUs: number | null;
  /** Null: the service itself, or unknown. */
  readonly by: ChangeAuthor | null;
  readonly summary: string;
}

export const DAMAGED_NOTE: RevisionNote = { appliedAtUs: null, by: null, summary: "its file is damaged" };

/** The note of a document; undefined for one in an older format, which says only by comparison what was changed. */
export function readNote(bytes: Uint8Array): RevisionNote | undefined {
  const opened = openRevision(textOf(bytes));
  if (opened.kind !== "whole" || opened.change === null)
    return opened.kind === "whole" ? undefined : noteOfUnread(opened.kind);
  return { appliedAtUs: appliedAt(opened.site), ...opened.change };
}

/** The note of a document in an older format, by comparison with the one before it, where that can be read. */
export function compareNote(bytes: Uint8Array, former: Uint8Array): RevisionNote {
  const decoded = decodeRevision(textOf(bytes));
  if (decoded.kind !== "whole") return noteOfUnread(decoded.kind);
  const before = decodeRevision(textOf(former));
  const summary = before.kind === "whole" ? changeWords(decoded.site, before.site) : "not known";
  return { appliedAtUs: decoded.site.appliedAtUs, by: null, summary };
}

function noteOfUnread(kind: "newer" | "damaged"): RevisionNote {
  return kind === "newer" ? { ...DAMAGED_NOTE, summary: "written by a newer version" } : DAMAGED_NOTE;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function appliedAt(site: unknown): number | null {
  if (typeof site !== "object" || site === null || !("appliedAtUs" in site)) return null;
  return Number.isSafeInteger(site.appliedAtUs) ? Number(site.appliedAtUs) : null;
}
