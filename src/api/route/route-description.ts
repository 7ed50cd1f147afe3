import type { JsonSchema } from "./json-schema.js";

/** What /openapi.json says of a route beyond its method, path and rights. */
export interface RouteDescription {
  /** One line. */
  readonly summary: string;
  readonly text?: string;
  /** What the path's `{…}` parts are, by name. */
  readonly pathValues?: Readonly<Record<string, string>>;
  readonly parameters?: readonly ParameterDescription[];
  readonly body?: BodyDescription;
  readonly answer: AnswerDescription;
  /** Statuses beyond those that every route of its kind may answer. */
  readonly errors?: readonly number[];
}

export interface ParameterDescription {
  /** Lower case; names match in any case. */
  readonly name: string;
  readonly in: "query" | "header";
  readonly required?: true;
  readonly text: string;
  readonly schema: JsonSchema;
}

export interface BodyDescription {
  /** Default: JSON. */
  readonly mediaType?: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly text?: string;
}

export interface AnswerDescription {
  readonly text: string;
  /** By media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** Carries the configuration's revision as `ETag`. */
  readonly revision?: true;
  /** Default 200. */
  readonly status?: number;
}

export function query(
  name: string,
  schema: JsonSchema,
  text: string,
  options: { readonly required?: true } = {},
): ParameterDescription {
  return { name, in: "query", schema, text, ...options };
}

export function header(name: string, schema: JsonSchema, text: string): ParameterDescription {
  return { name, in: "header", schema, text };
}

/** An answer in JSON alone. */
export function jsonAnswer(schema: JsonSchema, text: string): AnswerDescription {
  return { text, content: { "application/json": schema } };
}

/** An answer in both formats; its XML says the same. */
export function bothAnswer(schema: JsonSchema, text: string): AnswerDescription {
  return { text, content: { "application/xml": { type: "string" }, "application/json": schema } };
}
