import { allMembersOf, type Kind, type Members } from "./kinds.js";

/** A setting that is checked, kept and given back, and does nothing. */
export interface KeptOnly {
  /** By the names on the wire, with a point between them. */
  readonly path: string;
  /** Why, or for whom; empty where nothing is said. */
  readonly why: string;
}

/** All of a resource, in its order; those of groups that are resources of their own are listed there. */
export function keptOnlyOf(
  members: Members,
  resources: ReadonlySet<Members> = new Set(),
  before = "",
): readonly KeptOnly[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const path = `${before}${name}`;
    if (member.keptOnly !== undefined) return [{ path, why: member.keptOnly }];
    const within = membersWithin(member);
    return within === undefined || resources.has(within) ? [] : keptOnlyOf(within, resources, `${path}.`);
  });
}

function membersWithin(kind: Kind): Members | undefined {
  if (kind.kind === "list") return membersWithin(kind.item);
  if (kind.kind === "variant") return allMembersOf(kind);
  return kind.kind === "group" ? kind.members : undefined;
}
