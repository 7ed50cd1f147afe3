import type { Kind, Members } from "../kinds/kinds.js";

/** What is said of a member in a description, besides its schema. */
export interface Note {
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: true;
}

/** The notes of all members by their paths, for the description of a resource. */
export function notesOf(
  resource: Members,
  texts: Readonly<Record<string, string | undefined>>,
): Record<string, Note> {
  const notes: Record<string, Note> = {};
  const visit = (members: Members, before: string): void => {
    for (const [member, kind] of Object.entries(members)) {
      const path = `${before}${member}`;
      const text = texts[path];
      const note: Note = {
        ...(text === undefined ? {} : { description: text }),
        ...(kind.default === undefined || kind.default === "" ? {} : { default: kind.default }),
        ...(kind.isWriteOnly === true ? { writeOnly: true } : {}),
      };
      if (Object.keys(note).length > 0) notes[path] = note;
      const within = membersWithin(kind);
      if (within !== undefined) visit(within, `${path}.`);
    }
  };
  visit(resource, "");
  return notes;
}

function membersWithin(kind: Kind): Members | undefined {
  if (kind.kind === "group") return kind.members;
  return kind.kind === "list" ? membersWithin(kind.item) : undefined;
}
