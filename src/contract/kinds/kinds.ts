import type { Guid } from "../../base/index.js";

/**
 * What a member of the API or of the configuration can be: plain data, from which readers, descriptions, the stored schema, the
 * page's types and the limits of its forms are made. Lengths are in UTF-16 units, as `string.length` counts.
 */

/** True or false. */
export interface Flag {
  readonly kind: "flag";
}

/** A whole number, both ends allowed. */
export interface Whole {
  readonly kind: "whole";
  readonly min: number;
  readonly max: number;
}

/** One line of text: without control characters, and what XML 1.0 cannot hold. */
export interface Line {
  readonly kind: "line";
  readonly max: number;
  /** What the text must look like besides. */
  readonly rules: readonly TextRule[];
  /** Of several lines: tabs and line breaks are allowed too. */
  readonly isLong: boolean;
}

export interface TextRule {
  readonly pattern?: RegExp;
  /** What a pattern cannot say. */
  readonly check?: (text: string) => boolean;
  /** Behind "accepted: ". */
  readonly accepted: string;
  /** The pattern of the description, where `pattern` is none that other languages read, or `check` is more. */
  readonly said?: string;
}

/** One of some words. */
export interface Choice<T extends string = string> {
  readonly kind: "choice";
  readonly of: readonly T[];
  /** Descriptions have the words in their text, and the kind is a text there. */
  readonly isText?: true;
}

/** A GUID; read in any case, with or without braces. */
export interface Id {
  readonly kind: "id";
}

/** The most characters of a name. */
export const NAME_LENGTH_MAX = 128;

/** A name that is not empty; read without the blanks around it. */
export interface Name {
  readonly kind: "name";
}

export interface List<K extends Kind = Kind> {
  readonly kind: "list";
  readonly item: K;
  readonly max: number;
  /** What they are, in the plural. */
  readonly noun: string;
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

/** Any text; of answers, as the kinds below: what a body may hold is bounded. */
export interface Text {
  readonly kind: "text";
}

/** A number, whole or with a fraction. */
export interface Figure {
  readonly kind: "figure";
  readonly isWhole: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** A time in ISO 8601: UTC, with seven digits of a fraction. */
export interface Time {
  readonly kind: "time";
}

/** Any JSON. */
export interface Anything {
  readonly kind: "anything";
}

/** Any object: its members are said in text, or there are none. */
export interface Open {
  readonly kind: "open";
}

/** An object whose members have one kind and names that no contract has. */
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
type InputKind = Flag | Whole | Line | Choice | Id | Name | List | Group;
export type Kind = InputKind | Text | Figure | Time | Anything | Open | Table | OneOf;

/** What is said of a member besides its kind. */
export interface Facts {
  /** What a new object has where it is not given. */
  readonly default?: unknown;
  /** Must be given with a new object. */
  readonly isRequired?: true;
  /** Never in an answer: kept, and null there. */
  readonly isSecret?: true;
  /** Null in answers where there is none. */
  readonly isNullable?: true;
  /** Not in each answer. */
  readonly isOptional?: true;
  /** The text of its object names it; descriptions have no schema of it. */
  readonly isUnlisted?: true;
  /** A command in a body, in no answer. */
  readonly isWriteOnly?: true;
  /** Markdown, of a member that is only answered; texts of others are beside their resource. */
  readonly meaning?: string;
}

export type Member = Kind & Facts;
/** By their names on the wire. */
export type Members = { readonly [name: string]: Member };

/** The value of a kind in memory and in JSON; of any kind, anything. */
export type ValueOf<K> = [Kind] extends [K] ? unknown : ValueOfOne<K>;

type ValueOfOne<K> = K extends { readonly kind: "flag" }
  ? boolean
  : K extends { readonly kind: "whole" | "figure" }
    ? number
    : K extends { readonly kind: "choice"; readonly of: readonly (infer T)[] }
      ? T
      : K extends { readonly kind: "id" }
        ? Guid
        : K extends { readonly kind: "list"; readonly item: infer I }
          ? readonly AnswerOf<I>[]
          : K extends { readonly kind: "group"; readonly members: infer M }
            ? ObjectOf<M>
            : K extends { readonly kind: "table"; readonly of: infer I }
              ? Readonly<Record<string, AnswerOf<I>>>
              : K extends { readonly kind: "one of"; readonly of: readonly (infer I)[] }
                ? ValueOf<I>
                : K extends { readonly kind: "anything" }
                  ? unknown
                  : K extends { readonly kind: "open" }
                    ? object
                    : string;

/** The same, or null where the kind says so. */
export type AnswerOf<K> = K extends { readonly isSecret: true }
  ? null
  : K extends { readonly isNullable: true }
    ? ValueOf<K> | null
    : ValueOf<K>;

/** An object with all its members, as an answer has it: secrets are null, commands are not in it. */
export type ObjectOf<M> = {
  readonly [N in keyof M as M[N] extends { readonly isWriteOnly: true } | { readonly isOptional: true }
    ? never
    : N]: AnswerOf<M[N]>;
} & {
  readonly [N in keyof M as M[N] extends { readonly isOptional: true } ? N : never]?: AnswerOf<M[N]>;
};

/** The object of a body: what is not given stays, and null is as good as not given. */
export type InputOf<M, A = never> = {
  readonly [N in keyof M as N extends A ? N : never]: InputValueOf<M[N]>;
} & {
  readonly [N in keyof M as N extends A ? never : N]?: InputValueOf<M[N]> | null | undefined;
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
    : ValueOf<K>;

export const flag: Flag = { kind: "flag" };
export const id: Id = { kind: "id" };
export const name: Name = { kind: "name" };

export const text: Text = { kind: "text" };
export const time: Time = { kind: "time" };
export const anything: Anything = { kind: "anything" };
export const open: Open = { kind: "open" };
export const number: Figure = { kind: "figure", isWhole: false };
export const integer: Figure = { kind: "figure", isWhole: true };
/** A number of at least 0. */
export const amount: Figure = { ...number, min: 0 };

export const within = (figure: Figure, min: number, max: number): Figure => ({ ...figure, min, max });

export const table = <K extends Kind>(of: K): Table<K> => ({ kind: "table", of });

export const oneOf = <const K extends readonly Kind[]>(...of: K): OneOf<K[number]> => ({
  kind: "one of",
  of,
});

export const whole = (min: number, max: number): Whole => ({ kind: "whole", min, max });

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

export const choice = <const T extends string>(...of: readonly T[]): Choice<T> => ({ kind: "choice", of });

/** The choice, whose words a description has in its text alone. */
export const asText = <T extends string>(kind: Choice<T>): Choice<T> => ({ ...kind, isText: true });

export const list = <K extends Kind>(item: K, max: number, noun: string): List<K> => ({
  kind: "list",
  item,
  max,
  noun,
});

/** A list in an answer, as long as it is. */
export const listOf = <K extends Kind>(item: K): List<K> => list(item, Number.POSITIVE_INFINITY, "");

export const group = <const M extends Members, const A extends string & keyof M = never>(
  members: M,
  ...always: readonly A[]
): Group<M, A> => ({ kind: "group", members, always });

/** The kind with what a new object has where the member is not given. */
export const by = <K extends Kind, const D extends ValueOf<K>>(
  kind: K,
  value: D,
): K & { readonly default: D } => ({
  ...kind,
  default: value,
});

/** The kind, to be given with a new object. */
export const needed = <K extends Kind>(kind: K): K & { readonly isRequired: true } => ({
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

/** The group, which descriptions have once, by this name. */
export const named = <G extends Group>(title: string, kind: G): G => ({ ...kind, title });

export const optional = <K extends Kind>(kind: K): K & { readonly isOptional: true } => ({
  ...kind,
  isOptional: true,
});

export const unlisted = <K extends Kind>(kind: K): K & { readonly isUnlisted: true } => ({
  ...kind,
  isUnlisted: true,
});

/** The kind with what is said of it. */
export const meaning = <K extends Kind>(text: string, kind: K): K => ({ ...kind, meaning: text });
