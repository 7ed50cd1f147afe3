import type { Guid } from "../../base/index.js";
import type { Schedule } from "./week.js";

/**
 * What a member of the API or of the configuration can be: plain data, from which readers, descriptions, the stored schema, the
 * page's types and the limits of its forms are made. Lengths are in UTF-16 units, as `string.length` counts.
 */

/** True or false. */
export interface Flag {
  readonly kind: "flag";
  /** What a body must say, where the other is refused. */
  readonly only?: { readonly value: boolean; readonly accepted: string };
}

/** A whole number, both ends allowed. */
export interface Whole {
  readonly kind: "whole";
  readonly min: number;
  readonly max: number;
}

/** A number, both ends allowed, with or without a fraction. */
export interface Decimal {
  readonly kind: "decimal";
  readonly min: number;
  readonly max: number;
  /** What it counts, where a refusal names it. */
  readonly unit?: string;
}

/** One line of text: without control characters, and what XML 1.0 cannot hold. */
export interface Line {
  readonly kind: "line";
  readonly max: number;
  /** What the text must look like besides. */
  readonly rules: readonly TextRule[];
  /** Of several lines: tabs and line breaks are allowed too. */
  readonly isLong: boolean;
  /** An empty text of a body stands for the default, and is not kept. */
  readonly isEmptyUsual?: true;
}

/** A text that is taken as it is, control characters too. */
export interface Plain {
  readonly kind: "plain";
  readonly max: number;
  /** Behind "accepted: ", of what is no text. */
  readonly accepted: string;
  /** In the order in which they are checked; the length is one of them. */
  readonly rules: readonly TextRule[];
}

export interface TextRule {
  readonly pattern?: RegExp;
  readonly lengthMin?: number;
  readonly lengthMax?: number;
  /** What a pattern cannot say. */
  readonly check?: (text: string) => boolean;
  /** Behind "accepted: ". */
  readonly accepted: string;
  /** The pattern of the description, where `pattern` is none that other languages read, or `check` is more. */
  readonly said?: string;
}

/** A text whose pattern says all of it, such as a time of day. */
export interface Coded {
  readonly kind: "coded";
  readonly pattern: RegExp;
  /** Behind "accepted: ". */
  readonly accepted: string;
  readonly rules: readonly TextRule[];
  /** A time of day, kept as the minute of the day, up to this one. */
  readonly minuteMax?: number;
}

/** One of some words. */
export interface Choice<T extends string = string> {
  readonly kind: "choice";
  readonly of: readonly T[];
  /** Descriptions have the words in their text, and the kind is a text there. */
  readonly isText?: true;
}

/** One of some words, which are kept with a small first letter. */
export interface Word<T extends string = string> {
  readonly kind: "word";
  readonly of: readonly T[];
}

/** A GUID; read in any case, with or without braces. */
export interface Id {
  readonly kind: "id";
}

/** A GUID, or null; read from an empty text and from zeros too. */
export interface MaybeId {
  readonly kind: "maybeId";
}

/** The most characters of a name. */
export const NAME_LENGTH_MAX = 128;

/** A name that is not empty; read without the blanks around it. */
export interface Name {
  readonly kind: "name";
  readonly rules: readonly TextRule[];
}

export interface List<K extends Kind = Kind> {
  readonly kind: "list";
  readonly item: K;
  readonly max: number;
  /** The fewest, and what is said of fewer. */
  readonly min?: { readonly count: number; readonly accepted: string };
  /** What they are, in the plural. */
  readonly noun: string;
  /** Behind "accepted: ", of what is no list. */
  readonly accepted?: string;
}

/** An object within the object. */
export interface Group<M extends Members = Members, A extends string = string> {
  readonly kind: "group";
  readonly members: M;
  /** Descriptions have it once, by this name. */
  readonly title?: string;
  /** What each body must give, as of an item of a list, which has no former value. */
  readonly always: readonly A[];
}

/** An object with a list of objects of the same kind, as a folder has folders. */
export interface Tree<M extends Members = Members, C extends string = string, S extends string = string> {
  readonly kind: "tree";
  readonly members: M;
  /** The member with the list, and its name in the stored configuration. */
  readonly children: C;
  readonly storedChildren: S;
  readonly max: number;
  readonly noun: string;
}

/** An object of which one member says what others it has. Members of one name are read alike. */
export interface Variant<
  T extends string = string,
  C extends Members = Members,
  O extends { readonly [word: string]: Members } = { readonly [word: string]: Members },
  K extends string = string,
  W extends { readonly [word: string]: string } = { readonly [word: string]: string },
> {
  readonly kind: "variant";
  /** The member that says it, and its name in the stored configuration. */
  readonly tag: T;
  readonly storedTag: K;
  /** What all have. */
  readonly shared: C;
  /** What they have besides, by the word. */
  readonly of: O;
  /** Words that are kept otherwise than with a small first letter. */
  readonly storedWords: W;
}

/** Any JSON, of so many characters where it is written without blanks; kept as that text. */
export interface Json {
  readonly kind: "json";
  readonly max: number;
}

/** Hours of a week. */
export interface WeekKind {
  readonly kind: "week";
}

/** A time in ISO 8601: UTC, with seven digits of a fraction. Of answers, as the kinds below. */
export interface Time {
  readonly kind: "time";
}

/** Any object: its members are said in text, or there are none. */
export interface Open {
  readonly kind: "open";
}

/** An object whose members have one kind, and names that no contract has. */
export interface Table<K extends Kind = Kind> {
  readonly kind: "table";
  readonly of: K;
}

/** A value of one of several kinds. */
export interface OneOf<K extends Kind = Kind> {
  readonly kind: "one of";
  readonly of: readonly K[];
}

/** Of bodies, of the configuration, and of answers. */
export type Kind =
  | Flag
  | Whole
  | Decimal
  | Line
  | Plain
  | Coded
  | Choice
  | Word
  | Id
  | MaybeId
  | Name
  | List
  | Group
  | Tree
  | Variant
  | Json
  | WeekKind
  | Time
  | Open
  | Table
  | OneOf;

/** How a member is kept, where that is not by its name on the wire with a small first letter. */
export interface KeptFacts {
  readonly storedAs?: string;
  /** Not kept itself: another name of something else, or made of it. */
  readonly isDerived?: true;
  /** Kept, and never on the wire. */
  readonly isOwn?: true;
  /** Absent in configurations of earlier versions. */
  readonly isLate?: true;
  /** Kept only where it is not the default, so that versions that do not know it read the rest. */
  readonly isSparse?: true;
  /** Kept in another object, which configurations of the first versions do not have. */
  readonly isLater?: true;
}

/** What is said of a member besides its kind. */
export interface Facts {
  /** What a new object has where it is not given. */
  readonly default?: unknown;
  /** The description leaves the default out. */
  readonly isDefaultUnsaid?: true;
  /** Must be given with a new object. */
  readonly isRequired?: true;
  /** Never in an answer: kept, and null there. */
  readonly isSecret?: true;
  /** Null in answers where there is none. */
  readonly isNullable?: true;
  /** A command in a body, in no answer. */
  readonly isWriteOnly?: true;
  /** In answers alone, and not kept. */
  readonly isReadOnly?: true;
  /** Null in a body takes it away, instead of leaving it as it is. */
  readonly isClearable?: true;
  /** Left out of answers where there is none. */
  readonly isOptional?: true;
  /** The text of its object names it; descriptions have no schema of it. */
  readonly isUnlisted?: true;
  /** Markdown, of a member that is only answered; texts of others are beside their resource. */
  readonly meaning?: string;
  /** Checked, kept and given back, and nothing is done with it: why, or empty. */
  readonly keptOnly?: string;
}

export type Member = Kind & Facts & KeptFacts;
/** By their names on the wire. */
export type Members = { readonly [name: string]: Member };

/** The value of a kind in memory and in JSON; of any kind, anything. */
export type ValueOf<K> = [Kind] extends [K] ? unknown : ValueOfOne<K>;

type ValueOfOne<K> = K extends { readonly kind: "flag" }
  ? boolean
  : K extends { readonly kind: "whole" | "decimal" }
    ? number
    : K extends { readonly kind: "choice" | "word"; readonly of: readonly (infer T)[] }
      ? T
      : K extends { readonly kind: "id" }
        ? Guid
        : K extends { readonly kind: "maybeId" }
          ? Guid | null
          : K extends { readonly kind: "list"; readonly item: infer I }
            ? readonly AnswerOf<I>[]
            : K extends { readonly kind: "group"; readonly members: infer M }
              ? ObjectOf<M>
              : K extends { readonly kind: "tree"; readonly members: infer M; readonly children: infer C }
                ? TreeOf<M, C & string>
                : K extends { readonly kind: "table"; readonly of: infer I }
                  ? Readonly<Record<string, AnswerOf<I>>>
                  : K extends { readonly kind: "one of"; readonly of: readonly (infer I)[] }
                    ? ValueOf<I>
                    : OtherValueOf<K>;

type OtherValueOf<K> = K extends { readonly kind: "week" }
  ? Schedule
  : K extends {
        readonly kind: "variant";
        readonly tag: infer T;
        readonly shared: infer C;
        readonly of: infer O;
      }
    ? VariantOf<T & string, C, O>
    : K extends { readonly kind: "json" }
      ? unknown
      : K extends { readonly kind: "open" }
        ? object
        : string;

/** Each object that a variant may be. */
export type VariantOf<T extends string, C, O> = {
  readonly [W in keyof O]: { readonly [P in T]: W } & ObjectOf<C & O[W]>;
}[keyof O];

/** All members of a variant, of whichever word. */
export type VariantMembers<C, O> = C & {
  readonly [N in NameIn<O[keyof O]>]: MemberIn<O[keyof O], N>;
};

type NameIn<M> = M extends unknown ? keyof M : never;
type MemberIn<M, N> = M extends unknown ? (N extends keyof M ? M[N] : never) : never;

/** A node of a tree, with those below it. */
export type TreeOf<M, C extends string> = ObjectOf<M> & { readonly [P in C]: readonly TreeOf<M, C>[] };

/** The same in an answer: null where the kind says so. */
export type AnswerOf<K> = [Kind] extends [K] ? unknown : AnswerOfOne<K>;

type AnswerOfOne<K> = K extends { readonly isSecret: true }
  ? null
  : K extends { readonly isNullable: true }
    ? ValueOf<K> | null
    : ValueOf<K>;

type Unread = { readonly isOwn: true } | { readonly isReadOnly: true };
type Unanswered = { readonly isWriteOnly: true } | { readonly isOwn: true };

/** An object with all its members, as an answer has it: secrets are null, commands are not in it. */
export type ObjectOf<M> = {
  readonly [N in keyof M as M[N] extends Unanswered | { readonly isOptional: true } ? never : N]: AnswerOf<
    M[N]
  >;
} & {
  readonly [N in keyof M as M[N] extends { readonly isOptional: true } ? N : never]?: AnswerOf<M[N]>;
};

/** One of several messages, which their `type` distinguishes. */
export type MessageOf<M> = {
  readonly [T in keyof M]: { readonly type: T } & ValueOf<M[T]>;
}[keyof M];

/** The object of a body: what is not given stays, and null is as good as not given. */
export type InputOf<M, A = never> = {
  readonly [N in keyof M as N extends A ? N : never]: InputValueOf<M[N]>;
} & {
  readonly [N in keyof M as M[N] extends Unread ? never : N extends A ? never : N]?:
    | InputValueOf<M[N]>
    | null
    | undefined;
};

export type InputValueOf<K> = [Kind] extends [K] ? unknown : InputValueOfOne<K>;

type InputValueOfOne<K> = K extends {
  readonly kind: "group";
  readonly members: infer M;
  readonly always: readonly (infer A)[];
}
  ? InputOf<M, A>
  : K extends { readonly kind: "list"; readonly item: infer I }
    ? readonly InputValueOf<I>[]
    : K extends { readonly kind: "tree"; readonly members: infer M; readonly children: infer C }
      ? TreeInputOf<M, C & string>
      : K extends {
            readonly kind: "variant";
            readonly tag: infer T;
            readonly shared: infer C;
            readonly of: infer O;
          }
        ? VariantInputOf<T & string, C, O>
        : ValueOf<K>;

/** The object of a body, before it is known which of its members count. */
export type VariantInputOf<T extends string, C, O> = { readonly [P in T]: keyof O } & InputOf<
  VariantMembers<C, O>
>;

export type TreeInputOf<M, C extends string> = InputOf<M> & {
  readonly [P in C]?: readonly TreeInputOf<M, C>[] | null | undefined;
};

export const flag: Flag = { kind: "flag" };
export const id: Id = { kind: "id" };
export const maybeId: MaybeId = { kind: "maybeId" };
export const name: Name = { kind: "name", rules: [] };

export const nameWith = (...rules: readonly TextRule[]): Name => ({ kind: "name", rules });

export const whole = (min: number, max: number): Whole => ({ kind: "whole", min, max });

/** All of them, for a choice of few. */
export const countsOf = ({ min, max }: Whole): readonly number[] =>
  Array.from({ length: max - min + 1 }, (_, at) => min + at);

export const decimal = (min: number, max: number, unit?: string): Decimal => ({
  kind: "decimal",
  min,
  max,
  ...(unit === undefined ? {} : { unit }),
});

export const json = (max: number): Json => ({ kind: "json", max });
export const week: WeekKind = { kind: "week" };

export const line = (max: number, ...rules: readonly TextRule[]): Line => ({
  kind: "line",
  max,
  rules,
  isLong: false,
});

export const lines = (max: number, ...rules: readonly TextRule[]): Line => ({
  ...line(max, ...rules),
  isLong: true,
});

/** At most so many characters. */
export const atMost = (lengthMax: number): TextRule => ({
  lengthMax,
  accepted: `at most ${lengthMax} characters`,
});

/** One of the rules is `atMost`. */
export const plain = (accepted: string, ...rules: readonly TextRule[]): Plain => ({
  ...{ kind: "plain", accepted, rules },
  max: rules.find(({ lengthMax }) => lengthMax !== undefined)?.lengthMax ?? Number.POSITIVE_INFINITY,
});

export const coded = (pattern: RegExp, accepted: string, ...rules: readonly TextRule[]): Coded => ({
  kind: "coded",
  pattern,
  accepted,
  rules,
});

export const choice = <const T extends string>(...of: readonly T[]): Choice<T> => ({ kind: "choice", of });

export const word = <const T extends string>(...of: readonly T[]): Word<T> => ({ kind: "word", of });

export const list = <K extends Kind>(item: K, max: number, noun: string): List<K> => ({
  kind: "list",
  item,
  max,
  noun,
});

export const group = <const M extends Members, const A extends string & keyof M = never>(
  members: M,
  ...always: readonly A[]
): Group<M, A> => ({ kind: "group", members, always });

export const tree = <const M extends Members, const C extends string, const S extends string>(
  parts: Omit<Tree<M, C, S>, "kind">,
): Tree<M, C, S> => ({ kind: "tree", ...parts });

export const variant = <
  const T extends string,
  const K extends string,
  const C extends Members,
  const O extends { readonly [word: string]: Members },
  const W extends { readonly [word: string]: string },
>(
  parts: Omit<Variant<T, C, O, K, W>, "kind">,
): Variant<T, C, O, K, W> => ({ kind: "variant", ...parts });

/** The members of a variant with this word. */
export const membersOf = ({ shared, of }: Variant, word: string): Members => ({ ...shared, ...of[word] });

/** All that a variant may have. */
export const allMembersOf = ({ shared, of }: Variant): Members =>
  Object.assign({}, shared, ...Object.values(of)) as Members;

/** The kind with what a new object has where the member is not given. */
export const by = <K extends Kind, const D extends ValueOf<K>>(
  kind: K,
  value: D,
): K & { readonly default: D } => ({
  ...kind,
  default: value,
});

/** The kind with a default that the description leaves out: the member's text says it, or nobody asks. */
export const unsaid = <K extends Kind, const D extends ValueOf<K> | null>(
  kind: K,
  value: D,
): K & { readonly default: D; readonly isDefaultUnsaid: true } => ({
  ...kind,
  default: value,
  isDefaultUnsaid: true,
});

/** The same of a text, whose default an empty one of a body stands for. */
export const usualIfEmpty = <const D extends string>(
  kind: Line,
  value: D,
): Line & { readonly default: D; readonly isDefaultUnsaid: true } => ({
  ...unsaid(kind, value),
  isEmptyUsual: true,
});

/** The kind, to be given with a new object. */
export const needed = <K extends { readonly kind: string }>(kind: K): K & { readonly isRequired: true } => ({
  ...kind,
  isRequired: true,
});

export const secret = <K extends Kind>(kind: K): K & { readonly isSecret: true } => ({
  ...kind,
  isSecret: true,
});

export const nullable = <K extends Kind>(kind: K): K & { readonly isNullable: true } => ({
  ...kind,
  isNullable: true,
});

export const writeOnly = <K extends Kind>(kind: K): K & { readonly isWriteOnly: true } => ({
  ...kind,
  isWriteOnly: true,
});

/* What answers have without bounds of their own. */
export const text: Line = lines(Number.POSITIVE_INFINITY);
export const number: Decimal = decimal(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
export const amount: Decimal = decimal(0, Number.POSITIVE_INFINITY);
export const integer: Whole = whole(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
export const anything: Json = json(Number.POSITIVE_INFINITY);
export const time: Time = { kind: "time" };
export const open: Open = { kind: "open" };

export const listOf = <K extends Kind>(item: K): List<K> => list(item, Number.POSITIVE_INFINITY, "");

export const table = <K extends Kind>(of: K): Table<K> => ({ kind: "table", of });

export const oneOf = <const K extends readonly Kind[]>(...of: K): OneOf<K[number]> => ({
  kind: "one of",
  of,
});

/** The choice, whose words a description has in its text alone. */
export const asText = <T extends string>(kind: Choice<T>): Choice<T> => ({ ...kind, isText: true });

/** The group, which descriptions have once, by this name. */
export const named = <G extends Group>(title: string, kind: G): G => ({ ...kind, title });

export const unlisted = <K extends Kind>(kind: K): K & { readonly isUnlisted: true } => ({
  ...kind,
  isUnlisted: true,
});

/** The kind with what is said of it. */
export const meaning = <K extends { readonly kind: string }>(text: string, kind: K): K => ({
  ...kind,
  meaning: text,
});

export const readOnly = <K extends Kind>(kind: K): K & { readonly isReadOnly: true } => ({
  ...kind,
  isReadOnly: true,
});

/** The kind, or null, which a body may give as a value of its own. */
export const clearable = <K extends Kind>(
  kind: K,
): K & { readonly isNullable: true; readonly isClearable: true } => ({
  ...kind,
  isNullable: true,
  isClearable: true,
});

export const optional = <K extends Kind>(kind: K): K & { readonly isOptional: true } => ({
  ...kind,
  isOptional: true,
});

/** Kept and given back, without effect; `why`: for whom, or what is instead. */
export const keptOnly = <K extends Kind>(kind: K, why = ""): K & { readonly keptOnly: string } => ({
  ...kind,
  keptOnly: why,
});

export const storedAs = <K extends Kind, const N extends string>(
  stored: N,
  kind: K,
): K & { readonly storedAs: N } => ({ ...kind, storedAs: stored });

export const derived = <K extends Kind>(kind: K): K & { readonly isDerived: true } => ({
  ...kind,
  isDerived: true,
});

export const own = <K extends Kind>(kind: K): K & { readonly isOwn: true } => ({ ...kind, isOwn: true });
export const late = <K extends Kind>(kind: K): K & { readonly isLate: true } => ({ ...kind, isLate: true });

export const sparse = <K extends Kind>(kind: K): K & { readonly isSparse: true } => ({
  ...kind,
  isSparse: true,
});

export const later = <K extends Kind>(kind: K): K & { readonly isLater: true } => ({
  ...kind,
  isLater: true,
});
