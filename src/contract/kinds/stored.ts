import type { InputOf, Kind, Member, Members, ObjectOf, ValueOf } from "./kinds.js";

/**
 * How a resource is kept: the members of the wire with a small first letter, `MinConfidence` as `minConfidence`, without those
 * that are commands. What is kept otherwise is written by hand beside it.
 */

export type StoredOf<M> = {
  readonly [N in keyof M as StoredNameOf<M, N>]: StoredValueOf<M[N]>;
};

export type StoredValueOf<K> = [Kind] extends [K] ? unknown : StoredValueOfOne<K>;

type StoredValueOfOne<K> = K extends { readonly kind: "group"; readonly members: infer M }
  ? StoredOf<M>
  : K extends { readonly kind: "list"; readonly item: infer I }
    ? readonly StoredValueOf<I>[]
    : ValueOf<K>;

export type StoredNameOf<M, N extends keyof M> = M[N] extends { readonly isWriteOnly: true }
  ? never
  : Uncapitalize<N & string>;

/** The members of a resource with these names. */
export type Part<M extends Members, N extends keyof M> = { readonly [P in N]: M[P] };

/** The members by these names; what a resource keeps in another way is left out so. */
export function part<M extends Members, const N extends string & keyof M>(
  members: M,
  ...names: readonly N[]
): Part<M, N> {
  return Object.fromEntries(names.map((name) => [name, members[name]])) as Part<M, N>;
}

/** The members but those with these names. */
export function without<M extends Members, const N extends string & keyof M>(
  members: M,
  ...names: readonly N[]
): Part<M, Exclude<keyof M, N>> {
  const left = Object.entries(members).filter(([name]) => !(names as readonly string[]).includes(name));
  return Object.fromEntries(left) as Part<M, Exclude<keyof M, N>>;
}

export const storedName = (member: string): string => member.slice(0, 1).toLowerCase() + member.slice(1);

const isKept = ({ isWriteOnly }: Member): boolean => isWriteOnly !== true;

/** What is kept after a body: what it gives, else what was kept, else the default; nothing where there is none of them. */
export function changed<M extends Members>(
  members: M,
  input: InputOf<M>,
  before: Partial<StoredOf<M>> | undefined,
): StoredOf<M> {
  const given: Readonly<Record<string, unknown>> = input;
  const former = (before ?? {}) as Readonly<Record<string, unknown>>;
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member)) return [];
    const value = given[name] ?? former[storedName(name)] ?? member.default;
    return value === undefined ? [] : [[storedName(name), value] as const];
  });
  return Object.fromEntries(values) as StoredOf<M>;
}

/** The members as an answer has them, of what is kept: secrets are null. */
export function shown<M extends Members>(members: M, kept: StoredOf<M>): ObjectOf<M> {
  const values = kept as Readonly<Record<string, unknown>>;
  const named = Object.entries(members).flatMap(([name, member]) =>
    isKept(member)
      ? [[name, member.isSecret === true ? null : shownValue(member, values[storedName(name)])]]
      : [],
  );
  return Object.fromEntries(named) as ObjectOf<M>;
}

function shownValue(kind: Member, value: unknown): unknown {
  if (kind.kind === "group") return shown(kind.members, value as StoredOf<Members>);
  if (kind.kind === "list" && kind.item.kind === "group") {
    const { members } = kind.item;
    return (value as readonly StoredOf<Members>[]).map((item) => shown(members, item));
  }
  return value;
}
