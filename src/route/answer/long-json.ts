import type { Headers } from "../../http/index.js";
import type { EndpointResult, RequestContext } from "../endpoint/context.js";
import { JSON_TYPE } from "./answer.js";
import { answerInChunks, type ChunkedNeeds } from "./chunked-answer.js";
import { inSlices } from "./slices.js";

/** Answers a value as JSON that is written while it is sent, because it may be long. `more`: further headers. */
export function answerLongJson<T>(
  context: RequestContext<ChunkedNeeds>,
  value: Later<T>,
  more: Headers = [],
): Promise<EndpointResult> {
  return answerInChunks(context, JSON_TYPE, inSlices(valueTexts(value), context.needs.clock), more);
}

/** A value whose lists, other than those within lists, may be made when they are written. */
export type Later<T> = T extends readonly (infer Item)[]
  ? Iterable<Item>
  : T extends object
    ? { readonly [Name in keyof T]: Later<T[Name]> }
    : T;

/** The JSON text of a value, an item of a list at a time. */
export function* valueTexts(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) yield JSON.stringify(value ?? null);
  else if (isIterable(value)) {
    let before = "[";
    for (const item of value) {
      yield `${before}${JSON.stringify(item ?? null)}`;
      before = ",";
    }
    yield before === "[" ? "[]" : "]";
  } else {
    let before = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* valueTexts(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}
