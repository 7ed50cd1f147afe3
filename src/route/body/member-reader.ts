import {
  defaultsOf,
  isKept,
  isPartly,
  type Kind,
  type Member,
  type Members,
  type StoredOf,
  type StoredValueOf,
  storedName,
} from "../../contract/index.js";
import type { BodyReader } from "./body-reader.js";

/* Members of a contract, read from a body whose members may have several names, or leave a former value as it is. */

/** The member's value as it is kept; undefined where it is absent, null, or at fault. */
export function readMember<M extends Members, const N extends string & keyof M>(
  reader: BodyReader,
  members: M,
  name: N,
): NonNullable<StoredValueOf<M[N]>> | undefined {
  return readKind(reader, name, members[name] as Kind) as NonNullable<StoredValueOf<M[N]>> | undefined;
}

function readKind(reader: BodyReader, name: string, kind: Kind): unknown {
  switch (kind.kind) {
    case "flag":
      return reader.boolean(name);
    case "whole":
      return reader.integer(name, kind.min, kind.max);
    case "decimal":
      return reader.number(name, kind.min, kind.max);
    case "line":
      return kind.isLong ? reader.lines(name, kind.max) : reader.text(name, kind.max);
    case "choice":
      return reader.oneOf(name, kind.of);
    case "json":
      return reader.json(name, kind.max);
    case "list":
      if (kind.item.kind === "choice") return reader.listOf(name, kind.item.of);
      if (kind.item.kind === "group") return readGroups(reader, name, kind.item.members, kind.max);
      break;
    default:
  }
  throw new Error(`${name}: a member of the kind ${kind.kind} is read by itself`);
}

/** The objects of a list, each with the defaults of what it leaves out; undefined: there is no list. */
function readGroups(reader: BodyReader, name: string, members: Members, max: number): unknown {
  if (reader.value(name) === undefined) return undefined;
  return reader.children(name, max).map((item) => {
    for (const [member, { isRequired }] of Object.entries(members))
      if (isRequired === true && item.value(member) === undefined) item.fault(member, "is required");
    return readMembers(item, members, defaultsOf(members) as StoredOf<Members>);
  });
}

/**
 * What is kept after a body: what it gives, else what there was. Null takes away what may be taken away; what is kept only
 * where it is not the default is left out otherwise.
 */
export function readMembers<M extends Members>(
  reader: BodyReader,
  members: M,
  before: StoredOf<M>,
): StoredOf<M> {
  const former = before as Readonly<Record<string, unknown>>;
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member)) return [];
    const stored = storedName(name, member);
    const value = valueAfter(reader, name, member, former[stored]);
    const isLeftOut =
      value === undefined ||
      (isPartly(member) && value === null) ||
      (member.isSparse === true && value === member.default);
    return isLeftOut ? [] : [[stored, value] as const];
  });
  return Object.fromEntries(values) as StoredOf<M>;
}

function valueAfter(reader: BodyReader, name: string, member: Member, before: unknown): unknown {
  if (member.isOwn === true) return before;
  if (member.isClearable === true && reader.isNull(name)) return null;
  if (member.kind !== "group") return readKind(reader, name, member) ?? before;
  const inner = reader.child(name);
  if (reader.value(name) === undefined) return before;
  return readMembers(inner, member.members, (before ?? defaultsOf(member.members)) as StoredOf<Members>);
}
