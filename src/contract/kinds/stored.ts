import type { InputOf, Member, Members, ObjectOf, Tree, ValueOf } from "./kinds.js";

/**
 * How a resource is kept: the members of the wire with a small first letter, `MinConfidence` as `minConfidence`, without those
 * that are commands or only shown. What is kept otherwise is written by hand beside it.
 */

export type StoredOf<M> = {
  readonly [N in keyof M as M[N] extends { readonly isSparse: true }
    ? never
    : StoredNameOf<M, N>]: StoredMemberOf<M[N]>;
} & {
  readonly [N in keyof M as M[N] extends { readonly isSparse: true }
    ? StoredNameOf<M, N>
    : never]?: StoredMemberOf<M[N]>;
};

export type StoredMemberOf<K> = K extends { readonly takesNull: true }
  ? StoredValueOf<K> | null
  : StoredValueOf<K>;

export type StoredValueOf<K> = K extends { readonly kind: "group"; readonly members: infer M }
  ? StoredOf<M>
  : K extends { readonly kind: "list"; readonly item: infer I }
    ? readonly StoredValueOf<I>[]
    : K extends { readonly kind: "tree"; readonly members: infer M; readonly storedChildren: infer S }
      ? StoredTreeOf<M, S & string>
      : K extends { readonly kind: "word"; readonly of: readonly (infer T)[] }
        ? Uncapitalize<T & string>
        : ValueOf<K>;

export type StoredTreeOf<M, S extends string> = StoredOf<M> & {
  readonly [P in S]: readonly StoredTreeOf<M, S>[];
};

export type StoredNameOf<M, N extends keyof M> = M[N] extends
  | { readonly isWriteOnly: true }
  | { readonly isReadOnly: true }
  ? never
  : M[N] extends { readonly storedAs: infer S extends string }
    ? S
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

const small = <T extends string>(word: T): Uncapitalize<T> =>
  (word.slice(0, 1).toLowerCase() + word.slice(1)) as Uncapitalize<T>;

export const storedName = (member: string, { storedAs }: { readonly storedAs?: string } = {}): string =>
  storedAs ?? small(member);

/** A word of the wire as it is kept, and the reverse. */
export const storedWord = small;

export function shownWord<const T extends string>(of: readonly T[], kept: Uncapitalize<T>): T {
  const word = of.find((each) => small(each) === kept);
  if (word === undefined) throw new Error(`no word of the contract is kept as ${kept}`);
  return word;
}

export const isKept = ({ isWriteOnly, isReadOnly }: Member): boolean =>
  isWriteOnly !== true && isReadOnly !== true;

type Values = Readonly<Record<string, unknown>>;

/** What is kept after a body: what it gives, else what was kept, else the default; nothing where there is none of them. */
export function changed<M extends Members>(
  members: M,
  input: InputOf<M> = {} as InputOf<M>,
  before?: Partial<StoredOf<M>>,
): StoredOf<M> {
  const given: Values = input;
  const former = (before ?? {}) as Values;
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member)) return [];
    const kept = storedName(name, member);
    const value = valueAfter(member, given[name], former[kept]);
    return value === undefined || (member.isSparse === true && isAlike(value, member.default))
      ? []
      : [[kept, value] as const];
  });
  return Object.fromEntries(values) as StoredOf<M>;
}

function valueAfter(member: Member, given: unknown, former: unknown): unknown {
  if (member.takesNull === true && given === null) return null;
  if (member.kind === "group" && member.isNullable !== true)
    return changed(member.members, (given ?? {}) as InputOf<Members>, former as Partial<StoredOf<Members>>);
  if (given !== undefined && given !== null) return storedOfInput(member, given);
  if (former !== undefined) return former;
  if (member.kind === "tree") return treeOf(member, {});
  const { default: usual = member.takesNull === true ? null : undefined } = member;
  return usual === undefined || usual === null ? usual : storedOfInput(member, usual);
}

/** A value of a body as it is kept. */
function storedOfInput(kind: Member, value: unknown): unknown {
  switch (kind.kind) {
    case "word":
      return small(value as string);
    case "list":
      return (value as readonly unknown[]).map((item) => storedOfInput(kind.item, item));
    case "group":
      return changed(kind.members, value as InputOf<Members>);
    case "tree":
      return treeOf(kind, value as Values);
    default:
      return value;
  }
}

function treeOf(kind: Tree, node: Values): Values {
  const below = (node[kind.children] ?? []) as readonly Values[];
  return {
    ...changed(kind.members, node as InputOf<Members>),
    [kind.storedChildren]: below.map((each) => treeOf(kind, each)),
  };
}

/** Whether a value is the default, which is a plain one, or a list without items. */
function isAlike(value: unknown, usual: unknown): boolean {
  return (
    value === usual || (Array.isArray(value) && Array.isArray(usual) && value.length + usual.length === 0)
  );
}

/** The members as an answer has them, of what is kept: secrets are null. */
export function shown<M extends Members>(members: M, kept: StoredOf<M>): ObjectOf<M> {
  const values = kept as Values;
  const named = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member)) return [];
    const { [storedName(name, member)]: value = member.isSparse === true ? member.default : undefined } =
      values;
    return [[name, member.isSecret === true ? null : shownValue(member, value)] as const];
  });
  return Object.fromEntries(named) as ObjectOf<M>;
}

function shownValue(kind: Member, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  switch (kind.kind) {
    case "word":
      return shownWord(kind.of, value as Uncapitalize<string>);
    case "list":
      return (value as readonly unknown[]).map((item) => shownValue(kind.item, item));
    case "group":
      return shown(kind.members, value as StoredOf<Members>);
    case "tree":
      return shownTree(kind, value as Values);
    default:
      return value;
  }
}

function shownTree(kind: Tree, node: Values): Values {
  const below = node[kind.storedChildren] as readonly Values[];
  return {
    ...shown(kind.members, node as StoredOf<Members>),
    [kind.children]: below.map((each) => shownTree(kind, each)),
  };
}
