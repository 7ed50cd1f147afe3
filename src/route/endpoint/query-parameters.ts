import { NvrdError, parseApiTime, parseBinaryTime, parseGuid, US_PER_MS } from "../../base/index.js";
import type { Asked, AskedValue, Parameter, Parameters } from "../../contract/query/index.js";
import { type Query, shown } from "../../http/index.js";
import {
  choice,
  FLAG,
  GUID,
  guidsWithCommas,
  type JsonSchema,
  lineUpTo,
  NUMBER,
  range,
  TEXT,
  textUpTo,
} from "../body/json-schema.js";
import { EVENT_TIME, MOMENT, TIME } from "../body/time-schemas.js";
import { readDecimal } from "./decimal.js";
import type { ParameterDescription } from "./route-description.js";

/** What the contract says of a query: read, and described. */

/** A bound that only keeps a number within what is read says nothing to people. */
const LIKE_NO_BOUND = 900_000;

/** All parameters of a query. Throws NvrdError BAD_REQUEST, or BAD_TIME, for the first that is missing or wrong. */
export function readQuery<const P extends Parameters>(query: Query, parameters: P): Asked<P> {
  const read = Object.keys(parameters).map((name) => [name, readParameter(query, parameters, name)]);
  // What is read of each is what the contract says of it.
  return Object.fromEntries(read) as Asked<P>;
}

/** One of them; the others are not looked at. */
export function readParameter<const P extends Parameters, const N extends string & keyof P>(
  query: Query,
  parameters: P,
  name: N,
): AskedValue<P[N]> {
  const parameter: Parameter | undefined = parameters[name];
  if (parameter === undefined) throw new NvrdError("INTERNAL", `no contract has a parameter ${name}`);
  const text = parameter.isRequired === true ? query.require(name) : query.getFilled(name);
  const value = text === undefined ? leftOut(parameter) : valueIn(parameter, query, name, text);
  return value as AskedValue<P[N]>;
}

/** One of them that something else makes necessary. */
export function requireParameter<const P extends Parameters, const N extends string & keyof P>(
  query: Query,
  parameters: P,
  name: N,
): NonNullable<AskedValue<P[N]>> {
  query.require(name);
  const value = readParameter(query, parameters, name);
  if (value === undefined || value === "") throw missing(name);
  return value as NonNullable<AskedValue<P[N]>>;
}

/** What was sent of one of them, as it is; undefined where it is left out. */
export function sentText<P extends Parameters>(
  query: Query,
  _parameters: P,
  name: string & keyof P,
): string | undefined {
  return query.getFilled(name);
}

function leftOut(parameter: Parameter): unknown {
  const isFlag = parameter.kind === "flag" || parameter.kind === "on or off";
  return parameter.default ?? (isFlag ? false : undefined);
}

function valueIn(parameter: Parameter, query: Query, name: string, text: string): unknown {
  switch (parameter.kind) {
    case "flag":
    case "on or off":
      return query.flag(name);
    case "choice":
      return query.oneOf(name, parameter.of, "");
    case "whole":
    case "decimal":
    case "number of":
      return numberOf(parameter, name, text);
    case "id":
      return guidOf(name, text);
    case "ids":
      return idsOf(parameter, name, text);
    case "moment":
      return momentOf(text, parameter.also) ?? query.requireTime(name);
    case "words":
      return wordsOf(parameter, name, text);
  }
}

/** As Unix microseconds; undefined for what is no time. `also`: what is accepted besides the usual spellings. */
export function momentOf(text: string, also: "binary" | "unix" | undefined): number | undefined {
  if (also === "binary") return parseBinaryTime(text) ?? parseApiTime(text);
  if (also === undefined) return parseApiTime(text);
  const isUnix = /^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text);
  const timeUs = isUnix ? Math.round(Number(text) * US_PER_MS) : parseApiTime(text);
  // Behind the year 2255 microseconds are no longer whole: one such time is as good as another.
  return timeUs === undefined ? undefined : Math.min(timeUs, Number.MAX_SAFE_INTEGER);
}

function numberOf(
  parameter: Extract<Parameter, { kind: "whole" | "decimal" | "number of" }>,
  name: string,
  text: string,
): number {
  const value = parameter.kind === "whole" ? wholeOf(text) : readDecimal(text);
  if (parameter.kind === "number of") {
    if (parameter.of.includes(value)) return value;
    throw refusal(name, text, `use ${parameter.of.join(", ")}`);
  }
  const { kind, min, max } = parameter;
  if (value >= min && value <= max) return value;
  const bounds =
    max < LIKE_NO_BOUND ? ` from ${min} to ${max}` : Number.isFinite(min) ? ` from ${min} up` : "";
  throw refusal(name, text, `use a ${kind === "whole" ? "whole number" : "number"}${bounds}`);
}

/** In digits alone; NaN for any other text. */
function wholeOf(text: string): number {
  return /^\s*\d{1,16}\s*$/.test(text) ? Number(text) : Number.NaN;
}

/** Throws NvrdError BAD_REQUEST for several GUIDs, or other text. */
function guidOf(name: string, text: string): string {
  if (text.includes(","))
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" takes one GUID, not several`);
  const id = parseGuid(text.trim());
  if (id === undefined)
    throw new NvrdError("BAD_REQUEST", `parameter "${name}": "${shown(text)}" is not a GUID`);
  return id;
}

function idsOf(
  { max, isRequired }: Extract<Parameter, { kind: "ids" }>,
  name: string,
  text: string,
): readonly string[] {
  const texts = text.trim() === "" && isRequired !== true ? [] : text.split(",", max + 1);
  if (texts.length > max) throw new NvrdError("BAD_REQUEST", `parameter "${name}" names more than ${max}`);
  return texts.map((one) => guidOf(name, one));
}

function wordsOf(
  { max, isLine, said, accepted, isRequired }: Extract<Parameter, { kind: "words" }>,
  name: string,
  text: string,
): string {
  const words = isLine === true ? text.trim() : text;
  if (isRequired === true && words === "") throw missing(name);
  if (words.length > max || (isLine === true && /\p{Cc}/u.test(words))) {
    const without = isLine === true ? ", without control characters" : "";
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" takes at most ${max} characters${without}`);
  }
  if (said !== undefined && accepted !== undefined && !new RegExp(said, "su").test(words))
    throw new NvrdError("BAD_REQUEST", `parameter "${name}": use ${accepted}`);
  return words;
}

function missing(name: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `parameter "${name}" is missing`);
}

function refusal(name: string, text: string, use: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": ${use}`);
}

/** The parameters for /openapi.json and the reference. */
export function describeQuery(parameters: Parameters): readonly ParameterDescription[] {
  return Object.entries(parameters).map(([name, parameter]) => {
    const { isRequired, meaning: text = "" } = parameter;
    const schema = { ...schemaOf(parameter), ...defaultOf(parameter) };
    return { name, in: "query", schema, text, ...(isRequired === true ? { required: true as const } : {}) };
  });
}

function defaultOf({ kind, default: usual }: Parameter): JsonSchema {
  if (kind === "flag") return { default: false };
  if (kind === "on or off") return { default: "off" };
  return usual === undefined ? {} : { default: usual };
}

const MOMENTS = { binary: EVENT_TIME, unix: MOMENT } as const;

function schemaOf(parameter: Parameter): JsonSchema {
  switch (parameter.kind) {
    case "flag":
      return FLAG;
    case "on or off":
      return choice(["on", "off"]);
    case "choice":
    case "number of":
      return choice(parameter.of);
    case "whole":
      return range(parameter.min, parameter.max, "integer");
    case "decimal":
      return Number.isFinite(parameter.min) ? range(parameter.min, parameter.max) : NUMBER;
    case "id":
      return GUID;
    case "ids":
      return guidsWithCommas(parameter.max);
    case "moment":
      return parameter.also === undefined ? TIME : MOMENTS[parameter.also];
    case "words":
      return schemaOfWords(parameter);
  }
}

function schemaOfWords({
  max,
  isLine,
  isFilled,
  isRequired,
  said,
}: Extract<Parameter, { kind: "words" }>): JsonSchema {
  const bare = isLine === true ? lineUpTo(max) : Number.isFinite(max) ? textUpTo(max) : TEXT;
  // Something besides blanks.
  if (isLine === true && (isFilled ?? isRequired) === true)
    return { ...bare, allOf: [{ pattern: "[^\\s\\ufeff]" }] };
  return {
    ...bare,
    ...((isFilled ?? isRequired) === true ? { minLength: 1 } : {}),
    ...(said === undefined ? {} : { pattern: said }),
  };
}
