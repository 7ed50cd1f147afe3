import type { InputOf, Member, Members, ObjectOf, ValueOf } from "./kinds.js";
import { shownWeek, type WeeklySchedule } from "./week.js";

/**
 * How a resource is kept: the members of the wire with a small first letter, `MinConfidence` as `minConfidence`, or by the name
 * that the contract says, without those that are commands. What is kept otherwise is written by hand beside it.
 */

type Unkept = { readonly isWriteOnly: true } | { readonly isDerived: true };
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
  | StoredKindOf<K, U>
  | (K extends { readonly isNullable: true } ? null : never);

type StoredKindOf<K, U> = K extends { readonly kind: "group"; readonly members: infer M }
  ? ByStoredName<M, U>
  : K extends { readonly kind: "list"; readonly item: infer I }
    ? readonly StoredValueOf<I, U>[]
    : K extends { readonly kind: "json" }
      ? string
      : K extends { readonly kind: "week" }
        ? WeeklySchedule
        : ValueOf<K>;

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

export const storedName = (name: string, { storedAs }: Member): string =>
  storedAs ?? name.slice(0, 1).toLowerCase() + name.slice(1);

export const isKept = ({ isWriteOnly, isDerived }: Member): boolean =>
  isWriteOnly !== true && isDerived !== true;

/** Whether a configuration may lack it. */
export const isPartly = ({ isLate, isSparse, isOptional }: Member): boolean =>
  isLate === true || isSparse === true || isOptional === true;

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
    const stored = storedName(name, member);
    const value = given[name] ?? former[stored] ?? member.default;
    return value === undefined ? [] : [[stored, value] as const];
  });
  return Object.fromEntries(values) as StoredOf<M>;
}

/** What is kept of a new object where nothing is given: the defaults, null and empty lists where there are none. */
export function defaultsOf<M extends Members>(members: M): DefaultsOf<M> {
  const values = Object.entries(members).flatMap(([name, member]) => {
    if (!isKept(member) || member.isSparse === true || member.isOptional === true) return [];
    const value = member.default ?? emptyOf(member);
    return value === undefined ? [] : [[storedName(name, member), value] as const];
  });
  return Object.fromEntries(values) as DefaultsOf<M>;
}

/** Members without a default are not among them. */
export type DefaultsOf<M> = StoredOf<{
  readonly [N in keyof M as M[N] extends
    | { readonly default: unknown }
    | { readonly isNullable: true }
    | { readonly kind: "list" }
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
  const values = kept as Readonly<Record<string, unknown>>;
  const named = Object.entries(members).flatMap(([name, member]) => {
    if (member.isWriteOnly === true || member.isOwn === true) return [];
    if (member.isSecret === true) return [[name, null]];
    const value = values[storedName(name, member)] ?? member.default ?? emptyOf(member);
    if (member.isOptional === true && (value === undefined || value === null)) return [];
    return [[name, value === null ? null : shownValue(member, value)]];
  });
  return Object.fromEntries(named) as ObjectOf<M>;
}

function shownValue(kind: Member, value: unknown): unknown {
  if (kind.kind === "group") return shown(kind.members, value as ShownOf<Members>);
  if (kind.kind === "list" && kind.item.kind === "group") {
    const { members } = kind.item;
    return (value as readonly ShownOf<Members>[]).map((item) => shown(members, item));
  }
  if (kind.kind === "json") return JSON.parse(value as string);
  return kind.kind === "week" ? shownWeek(value as WeeklySchedule) : value;
}
