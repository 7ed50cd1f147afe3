import { type JsonSchema, type Note, named, withNotes } from "../body/json-schema.js";

/** The description of an object of the configuration, in addition to its schema. */
export interface ObjectDescription {
  /** The name of the object: `Group`. */
  readonly title: string;
  /** Description of the objects; lines of Markdown. */
  readonly text: readonly string[];
  /** Notes on members, by path. */
  readonly members: Readonly<Record<string, Note>>;
  /** What the members of an object in a body must be together. */
  readonly rules?: readonly JsonSchema[];
  /** Members that are only in answers. */
  readonly answered?: Readonly<Record<string, JsonSchema>>;
}

export type CollectionMethod = "getAll" | "getOne" | "post" | "put" | "remove";

/** Lines of a shell; those that read all of them, read one and delete one are made. */
export interface CollectionExamples {
  readonly post: readonly string[];
  readonly put: readonly string[];
  /** The id of the one that is read and deleted: a variable, or an id that nothing has. */
  readonly id: string;
  /** Said before one is read or deleted. */
  readonly comment?: string;
  /** What follows after it is deleted. */
  readonly afterwards?: readonly string[];
}

export interface CollectionDescription extends ObjectDescription {
  readonly examples: CollectionExamples;
  /** The same, of an object that is added; `rules` when absent. */
  readonly rulesOfNew?: readonly JsonSchema[];
  /** The effects or conditions of deleting one. */
  readonly removal?: readonly string[];
  /** When deleting fails with 409, besides another revision. */
  readonly inUse?: string;
  /** The answer to GET for all of them, if it is not a list. */
  readonly all?: string;
}

export interface SettingsDescription extends ObjectDescription {
  /** What the settings are, in a few words. */
  readonly noun: string;
  readonly examples: Readonly<Record<"get" | "put", readonly string[]>>;
}

/** The schema with notes on its members, and with members that are only in answers. */
export function objectSchema(
  schema: JsonSchema,
  { title, members, answered = {} }: ObjectDescription,
): JsonSchema {
  const noted = withNotes(schema, members);
  const shown = Object.entries(answered).map(([name, member]) => [name, { ...member, readOnly: true }]);
  return named(title, { ...noted, properties: { ...noted.properties, ...Object.fromEntries(shown) } });
}
