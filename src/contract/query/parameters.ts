import type { Guid } from "../../base/index.js";
import type { Choice, Decimal, Facts, Flag, Id, Whole } from "../kinds/kinds.js";

/**
 * What a parameter of a query can be. Names are in lower case, and match in any case. An empty parameter counts as left out.
 * `or` gives what is read of one that is left out, `needed` and `meaning` say what they say of members.
 */

/** `on` or `off`, in the spellings of a flag. */
export interface OnOff {
  readonly kind: "on or off";
}

/** A time in any accepted format; Unix microseconds where it is read. */
export interface Moment {
  readonly kind: "moment";
  /** What is accepted besides: a `BinaryTimestamp`, or Unix milliseconds. */
  readonly also?: "binary" | "unix";
}

/** GUIDs with commas between them. */
export interface Ids {
  readonly kind: "ids";
  readonly max: number;
}

/** A text of at most so many characters. */
export interface Words {
  readonly kind: "words";
  readonly max: number;
  /** One line: without control characters, and read without the blanks around it. */
  readonly isLine?: true;
  /** The pattern of the description. */
  readonly said?: string;
  /** Refuses what has not the pattern, in these words; else whoever looks for it says what is wrong. */
  readonly accepted?: string;
  /** Of a description: an empty one would be left out. */
  readonly isFilled?: true;
}

/** One of some numbers. */
export interface NumberOf<T extends number = number> {
  readonly kind: "number of";
  readonly of: readonly T[];
}

/** Of a query: facts of members besides defaults, needs and meanings say nothing of them. */
export type Parameter = (Flag | OnOff | Whole | Decimal | Choice | Id | Ids | Moment | Words | NumberOf) &
  Pick<Facts, "default" | "isRequired" | "meaning">;
export type Parameters = { readonly [name: string]: Parameter };

/** What is read of a parameter that was sent. */
type ReadOf<P> = P extends { readonly kind: "flag" | "on or off" }
  ? boolean
  : P extends { readonly kind: "whole" | "decimal" | "moment" }
    ? number
    : P extends { readonly kind: "choice" | "number of"; readonly of: readonly (infer T)[] }
      ? T
      : P extends { readonly kind: "id" }
        ? Guid
        : P extends { readonly kind: "ids" }
          ? readonly Guid[]
          : string;

/** What is read of a parameter: its default, or undefined, where it is left out. A flag that is left out is false. */
export type AskedValue<P> = P extends { readonly isRequired: true } | { readonly default: unknown }
  ? ReadOf<P>
  : P extends { readonly kind: "flag" | "on or off" }
    ? boolean
    : ReadOf<P> | undefined;

/** What is read of a query. */
export type Asked<P> = { readonly [N in keyof P]: AskedValue<P[N]> };

type NeededOf<P> = {
  readonly [N in keyof P]: P[N] extends { readonly isRequired: true } ? N : never;
}[keyof P];

/** What an address is made of: times and GUIDs as they are written. */
export type LinkTo<P> = { readonly [N in NeededOf<P>]: LinkValue<P[N]> } & {
  readonly [N in Exclude<keyof P, NeededOf<P>>]?: LinkValue<P[N]> | undefined;
};

type LinkValue<P> = P extends { readonly kind: "moment" | "ids" }
  ? P extends { readonly also: "unix" }
    ? number | string
    : string
  : P extends { readonly kind: "on or off" }
    ? "on" | "off"
    : ReadOf<P>;

/** The kind with what is read of one that is left out. */
export const or = <K extends { readonly kind: string }, const D extends ReadOf<K>>(
  kind: K,
  value: D,
): K & { readonly default: D } => ({ ...kind, default: value });

export const onOff: OnOff = { kind: "on or off" };
export const moment: Moment = { kind: "moment" };
export const momentOrBinary: Moment & { readonly also: "binary" } = { kind: "moment", also: "binary" };
export const momentOrUnix: Moment & { readonly also: "unix" } = { kind: "moment", also: "unix" };
export const ids = (max: number): Ids => ({ kind: "ids", max });
export const words = (max: number): Words => ({ kind: "words", max });
export const lineOf = (max: number): Words => ({ kind: "words", max, isLine: true });
/** A text that is looked for as it is. */
export const filled: Words = { kind: "words", max: Number.POSITIVE_INFINITY, isFilled: true };
export const numberOf = <const T extends number>(...of: readonly T[]): NumberOf<T> => ({
  kind: "number of",
  of,
});
/** A text with the pattern of its description. */
export const spelled = (said: string, accepted?: string): Words & { readonly said: string } => ({
  kind: "words",
  max: Number.POSITIVE_INFINITY,
  said,
  ...(accepted === undefined ? {} : { accepted }),
});
