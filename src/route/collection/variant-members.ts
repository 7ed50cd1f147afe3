import type { Kind, Member, Variant } from "../../contract/index.js";
import { givenMember, type JsonSchema, SOME_ID, when } from "../body/json-schema.js";
import type { InputPlace } from "./collection.js";

/* What an object needs by the word that says its kind. */

type Input = Readonly<Record<string, unknown>>;

/** The needed members of each word, for a description. */
export function variantRules({ tag, shared, of }: Variant): readonly JsonSchema[] {
  return Object.entries(of).flatMap(([word, members]) =>
    neededIn({ ...shared, ...members }).map(([name, kind]) =>
      when(givenMember(tag, { const: word }), givenMember(name, someOf(kind))),
    ),
  );
}

/** Adds faults for members that its kind needs and that are not given, and for lists that name one twice. */
export function checkVariant(variant: Variant, input: Input, { faults, path }: InputPlace): void {
  const word = String(input[variant.tag]);
  for (const [name] of neededIn({ ...variant.shared, ...variant.of[word] })) {
    const value = input[name];
    if (isNothing(value)) faults.add(`${path}.${name}`, `is required for ${word}`);
    else if (Array.isArray(value) && new Set(value).size < value.length)
      faults.add(`${path}.${name}`, "names one twice", "CONFLICT");
  }
}

function neededIn(members: Readonly<Record<string, Member>>): readonly (readonly [string, Member])[] {
  return Object.entries(members).filter(([, { isRequired }]) => isRequired === true);
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

function someOf({ kind }: Kind): JsonSchema {
  if (kind === "list") return { type: "array", minItems: 1, uniqueItems: true };
  if (kind === "maybeId") return SOME_ID;
  return { type: kind === "whole" ? "integer" : "string" };
}
