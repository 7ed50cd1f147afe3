import type { JsonSchema } from "../body/json-schema.js";
import type { Topic } from "./topics.js";

/**
 * The description of a route, in addition to its method, path and rights. /openapi.json contains all of it, and docs/ref/api.md
 * is generated from that. Texts are Markdown, with links relative to docs/ref/api.md.
 */
export interface RouteDescription {
  readonly topic: Topic;
  /** One line, without the full stop. */
  readonly summary: string;
  /** Further conditions for users, besides login and rights: which channels, for example. */
  readonly access?: string;
  /** Lines of Markdown; an empty one ends a paragraph. */
  readonly text?: readonly string[];
  /** Descriptions of the path's `{…}` parts, by name. */
  readonly pathValues?: Readonly<Record<string, string>>;
  /** Of the path's parts that are no GUIDs, by name. */
  readonly pathSchemas?: Readonly<Record<string, JsonSchema>>;
  readonly parameters?: readonly ParameterDescription[];
  /** What the query's parameters must be together: schemas of the object of all of them, which must all hold. */
  readonly together?: readonly JsonSchema[];
  readonly body?: BodyDescription;
  readonly answer: AnswerDescription;
  /** What is said over a connection that becomes a WebSocket. */
  readonly messages?: MessagesDescription;
  /** Descriptions of statuses. Those common to all routes (400, 401, …) are only listed if there is more to say. */
  readonly errors?: StatusTexts;
  /** Shell lines: curl commands, and the variables they need. test/owner/system/docs-curl.test.ts runs them. */
  readonly example: readonly string[];
}

export type StatusTexts = Readonly<Record<number, string>>;

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

/** One object of JSON a message, from either side. */
export interface MessagesDescription {
  readonly client: JsonSchema;
  readonly service: JsonSchema;
}

export interface AnswerDescription {
  readonly text: string;
  /** By media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** An answer in JSON. */
  readonly example?: unknown;
  /** Carries the configuration's revision as `ETag`. */
  readonly revision?: true;
  /** Default 200. */
  readonly status?: number;
}

export function header(name: string, schema: JsonSchema, text: string): ParameterDescription {
  return { name, in: "header", schema, text };
}

/** An answer only in JSON. */
export function jsonAnswer(schema: JsonSchema, text: string, example?: unknown): AnswerDescription {
  return { text, content: { "application/json": schema }, ...(example === undefined ? {} : { example }) };
}

/** An answer in both formats; the XML has the same content. */
export function bothAnswer(schema: JsonSchema, text: string, example?: unknown): AnswerDescription {
  return {
    ...jsonAnswer(schema, text, example),
    content: { "application/xml": TEXT, "application/json": schema },
  };
}

const TEXT: JsonSchema = { type: "string" };
