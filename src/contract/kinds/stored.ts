import type { Guid } from "../../base/index.js";
import {
  type InputOf,
  type Kind,
  type Member,
  type Members,
  membersOf,
  type ObjectOf,
  type Tree,
  type ValueOf,
  type Variant,
} from "./kinds.js";
import { minuteOf, shownWeek, timeText, type WeeklySchedule } from "./week.js";

/**
 * How a resource is kept: the members of the wire with a small first letter, `MinConfidence` as `minConfidence`, or by the name
 * that the contract says, without those that are commands. What is kept otherwise is written by hand beside it.
 */

type Unkept = { readonly isWriteOnly: true } | { readonly isDerived: true } | { readonly isReadOnly: true };
/** Not in each configuration: absent where there is none, and not null. */
type Partly = { readonly isLate: true } | { readonly isSparse: true } | { readonly isOptional: true };

/** A resource by the names that it is kept by, without members that are `U`. */
type ByStoredName<M, U> = {
  readonly [N in keyof M as M[N] extends U | Partly ? never : StoredNameOf<M, N>]: StoredValueOf<M[N], U>;
} & {
  readonly [N in keyof M as M[N] extends U
    ? never
    : M[N] extends Partly
      ? StoredNameOf<M, N>
      : never]?: NonNullable<StoredValueOf<M[N], U>>;
};

export type StoredOf<M> = ByStoredName<M, Unkept>;

export type StoredValueOf<K, U = Unkept> =
  | ([Kind] extends [K] ? unknown : StoredKindOf<K, U>)
  | (K extends { readonly isNullable: true } ? null : never);

type StoredKindOf<K, U> = K extends { readonly kind: "group"; readonly members: infer M }
  ? ByStoredName<M, U>
  : K extends { readonly kind: "list"; readonly item: infer I }
    ? readonly StoredValueOf<I, U>[]
    : K extends { readonly kind: "tree"; readonly members: infer M; readonly storedChildren: infer S }
      ? StoredTreeOf<M, S & string, U>
      : K extends { readonly kind: "word"; readonly of: readonly (infer T)[] }
        ? Uncapitalize<T & string>
        : K extends { readonly kind: "json" }
          ? string
          : K extends { readonly kind: "week" }
            ? WeeklySchedule
            : OtherStoredOf<K, U>;

type OtherStoredOf<K, U> = K extends { readonly kind: "coded"; readonly minuteMax: number }
  ? number
  : K extends { readonly kind: "maybeId"; readonly isRequired: true }
    ? Guid
    : K extends {
          readonly kind: "variant";
          readonly storedTag: infer T;
          readonly shared: infer C;
          readonly of: infer O;
          readonly storedWords: infer W;
        }
      ? StoredVariantOf<T & string, C, O, W, U>
      : ValueOf<K>;

/** Each object that a variant may be. */
export type StoredVariantOf<T extends string, C, O, W, U = Unkept> = {
  readonly [P in keyof O]: {
    readonly [N in T]: P extends keyof W ? W[P] : Uncapitalize<P & string>;
  } & ByStoredName<C & O[P], U>;
}[keyof O];

export type StoredTreeOf<M, S extends string, U = Unkept> = ByStoredName<M, U> & {
  readonly [P in S]: readonly StoredTreeOf<M, S, U>[];
};

export type StoredNameOf<M, N extends keyof M> = M[N] extends { readonly storedAs: infer S extends string }
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

/** The members that are kept in the resource itself, and those that are kept in another object. */
export type FirstOf<M extends Members> = {
  readonly [N in keyof M as M[N] extends { readonly isLater: true } ? never : N]: M[N];
};
export type LaterOf<M extends Members> = {
  readonly [N in keyof M as M[N] extends { readonly isLater: true } ? N : never]: M[N];
};

export function firstOf<M extends Members>(members: M): FirstOf<M> {
  return Object.fromEntries(
    Object.entries(members).filter(([, kind]) => kind.isLater !== true),
  ) as FirstOf<M>;
}

export function laterOf<M extends Members>(members: M): LaterOf<M> {
  return Object.fromEntries(
    Object.entries(members).filter(([, kind]) => kind.isLater === true),
  ) as LaterOf<M>;
}

/** A word of the wire as it is kept. */
export const storedWord = <T extends string>(word: T): Uncapitalize<T> =>
  (word.slice(0, 1).toLowerCase() + word.slice(1)) as Uncapitalize<T>;

/** The reverse. */
export function shownWord<const T extends string>(of: readonly T[], kept: Uncapitalize<T>): T {
  const word = of.find((each) => storedWord(each) === kept);
  if (word === undefined) throw new Error(`no word of the contract is kept as ${kept}`);
  return word;
}

/** The word of a variant as it is kept. */
export const storedWordOf = ({ storedWords }: Variant, word: string): string =>
  storedWords[word] ?? storedWord(word);

/** The reverse. */
export function shownTag<const O extends Readonly<Record<string, Members>>>(
  kind: Variant<string, Members, O>,
  kept: string,
): keyof O & string {
  const word = Object.keys(kind.of).find((each) => storedWordOf(kind, each) === kept);
  if (word === undefined) throw new Error(`no word of the contract is kept as ${kept}`);
  return word;
}

export const storedName = (name: string, { storedAs }: Member): string => storedAs ?? storedWord(name);

export const isKept = ({ isWriteOnly, isDerived, isReadOnly }: Member): boolean =>
  isWriteOnly !== true && isDerived !== true && isReadOnly !== true;

/** Whether a configuration may lack it. */
export const isPartly = ({ isLate, isSparse, isOptional }: Member): boolean =>
  isLate === true || isSparse === true || isOptional === true;

type Values = Readonly<Record<string, unknown>>;

/** What is kept after a body: what it gives, else what was kept, else the default; nothing where there is none of them. */
export function changed<M extends Members>(
  members: M,
  input: InputOf<M>,
  before?: Partial<StoredOf<M>>,
): StoredOf<M> {
  const given: Values = input;
  const former = (before ?? {}) as Values;
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member)) return [];
    const stored = storedName(name, member);
    const value = valueAfter(member, given[name], former[stored]);
    return value === undefined || (member.isSparse === true && isAlike(value, storedDefault(member)))
      ? []
      : [[stored, value] as const];
  });
  return Object.fromEntries(values) as StoredOf<M>;
}

function valueAfter(member: Member, given: unknown, former: unknown): unknown {
  if (member.isClearable === true && given === null) return null;
  if (member.kind === "group" && member.isNullable !== true)
    return changed(member.members, (given ?? {}) as InputOf<Members>, former as Partial<StoredOf<Members>>);
  if (given === "" && member.kind === "line" && member.isEmptyUsual === true) return usualOf(member);
  if (given !== undefined && given !== null) return storedOfInput(member, given);
  return former === undefined ? usualOf(member) : former;
}

function storedDefault(member: Member): unknown {
  return member.default === undefined ? undefined : storedOfInput(member, member.default);
}

/** What a new object has, as it is kept; undefined: nothing. */
function usualOf(member: Member): unknown {
  if (member.default !== undefined) return storedDefault(member);
  if (member.kind === "tree") return treeOf(member, {});
  return member.isClearable === true ? null : undefined;
}

/** A value of a body as it is kept. Hours of a week and JSON are read otherwise. */
function storedOfInput(kind: Member, value: unknown): unknown {
  switch (kind.kind) {
    case "word":
      return storedWord(value as string);
    case "list":
      return (value as readonly unknown[]).map((item) => storedOfInput(kind.item, item));
    case "group":
      return changed(kind.members, value as InputOf<Members>);
    case "tree":
      return treeOf(kind, value as Values);
    case "variant":
      return storedVariant(kind, value as Values);
    case "coded":
      return kind.minuteMax === undefined ? value : minuteOf(value as string);
    default:
      return value;
  }
}

function storedVariant(kind: Variant, value: Values): Values {
  const word = value[kind.tag] as string;
  return {
    [kind.storedTag]: storedWordOf(kind, word),
    ...changed(membersOf(kind, word), value as InputOf<Members>),
  };
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

/** What is kept of a new object where nothing is given: the defaults, null and empty lists where there are none. */
export function defaultsOf<M extends Members>(members: M): DefaultsOf<M> {
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member) || member.isSparse === true || member.isOptional === true) return [];
    const value = usualOf(member) ?? emptyOf(member);
    return value === undefined ? [] : [[storedName(name, member), value] as const];
  });
  return Object.fromEntries(values) as DefaultsOf<M>;
}

/** Members without a default are not among them. */
export type DefaultsOf<M> = StoredOf<{
  readonly [N in keyof M as M[N] extends
    | { readonly default: unknown }
    | { readonly isNullable: true }
    | { readonly kind: "list" | "tree" }
    ? N
    : never]: M[N];
}>;

function emptyOf({ kind, isNullable }: Member): unknown {
  if (isNullable === true) return null;
  return kind === "list" ? [] : undefined;
}

/** What answers are made of: what is kept, and what is made of it under the same kind of name. */
export type ShownOf<M> = ByStoredName<
  M,
  { readonly isWriteOnly: true } | { readonly isOwn: true } | { readonly isSecret: true }
>;

/** The members as an answer has them, of what is kept: secrets are null. */
export function shown<M extends Members>(members: M, kept: ShownOf<M>): ObjectOf<M> {
  const values = kept as Values;
  const named = Object.entries(members).flatMap(([name, member]) => {
    if (member.isWriteOnly === true || member.isOwn === true) return [];
    if (member.isSecret === true) return [[name, null]];
    const value = values[storedName(name, member)] ?? storedDefault(member) ?? emptyOf(member);
    if (member.isOptional === true && (value === undefined || value === null)) return [];
    return [[name, value === null ? null : shownValue(member, value)]];
  });
  return Object.fromEntries(named) as ObjectOf<M>;
}

function shownValue(kind: Member, value: unknown): unknown {
  switch (kind.kind) {
    case "word":
      return shownWord(kind.of, value as Uncapitalize<string>);
    case "list":
      return (value as readonly unknown[]).map((item) => shownValue(kind.item, item));
    case "group":
      return shown(kind.members, value as ShownOf<Members>);
    case "tree":
      return shownTree(kind, value as Values);
    case "json":
      return JSON.parse(value as string);
    case "week":
      return shownWeek(value as WeeklySchedule);
    case "variant":
      return shownVariant(kind, value as Values);
    case "coded":
      return kind.minuteMax === undefined ? value : timeText(value as number);
    default:
      return value;
  }
}

function shownVariant(kind: Variant, value: Values): Values {
  const word = shownTag(kind, value[kind.storedTag] as string);
  return { [kind.tag]: word, ...shown(membersOf(kind, word), value as ShownOf<Members>) };
}

function shownTree(kind: Tree, node: Values): Values {
  const below = node[kind.storedChildren] as readonly Values[];
  return {
    ...shown(kind.members, node as ShownOf<Members>),
    [kind.children]: below.map((each) => shownTree(kind, each)),
  };
}
