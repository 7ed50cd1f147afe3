import { allMembersOf, type Facts, flag, group, type Kind, list, type Members } from "../kinds/kinds.js";

/** What is said of a member in a description, besides its schema. */
interface Note {
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: true;
}

/**
 * The notes of all members by their paths, for the description of a resource. `isOne`: there is one object of it, which is never
 * new, so that nobody asks for its defaults.
 */
export function notesOf(
  resource: Members,
  texts: Readonly<Record<string, string | undefined>>,
  { isOne = false }: { readonly isOne?: boolean } = {},
): Record<string, Note> {
  const notes: Record<string, Note> = {};
  const visit = (members: Members, before: string): void => {
    for (const [member, kind] of Object.entries(members)) {
      if (kind.isReadOnly === true) continue;
      const path = `${before}${member}`;
      const text = texts[path];
      const note: Note = {
        ...(text === undefined ? {} : { description: text }),
        ...(isOne || !isDefaultSaid(kind) ? {} : { default: kind.default }),
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

function isDefaultSaid({ default: usual, isDefaultUnsaid }: Facts): boolean {
  return usual !== undefined && usual !== "" && isDefaultUnsaid !== true;
}

function membersWithin(kind: Kind): Members | undefined {
  if (kind.kind === "group") return kind.members;
  // Those below are described once, with the first.
  if (kind.kind === "tree") return { ...kind.members, [kind.children]: list(group({}), kind.max, kind.noun) };
  if (kind.kind === "variant") return { [kind.tag]: flag, ...allMembersOf(kind) };
  return kind.kind === "list" ? membersWithin(kind.item) : undefined;
}
