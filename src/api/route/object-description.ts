import { type JsonSchema, type Note, named, withNotes } from "./json-schema.js";

/** What there is to say of an object of the configuration, beyond what its schema says. */
export interface ObjectDescription {
  /** The name of the object: `Group`. */
  readonly title: string;
  /** What the objects are; lines of Markdown. */
  readonly text: readonly string[];
  /** Of members, by their paths. */
  readonly members: Readonly<Record<string, Note>>;
  /** Members that are only in answers. */
  readonly answered?: Readonly<Record<string, JsonSchema>>;
}

export type CollectionMethod = "getAll" | "getOne" | "post" | "put" | "remove";

export interface CollectionDescription extends ObjectDescription {
  /** Lines of a shell, by method. */
  readonly examples: Readonly<Record<CollectionMethod, readonly string[]>>;
  /** What deleting one does, or needs. */
  readonly removal?: readonly string[];
  /** When one is not deleted (409), beside another revision. */
  readonly inUse?: string;
  /** What GET answers for all of them, where that is no list. */
  readonly all?: string;
}

export interface SettingsDescription extends ObjectDescription {
  /** What the settings are, in a few words. */
  readonly noun: string;
  readonly examples: Readonly<Record<"get" | "put", readonly string[]>>;
}

/** The object with what is said of its members, and with those that are only in answers. */
export function objectSchema(
  schema: JsonSchema,
  { title, members, answered = {} }: ObjectDescription,
): JsonSchema {
  const noted = withNotes(schema, members);
  return named(title, { ...noted, properties: { ...noted.properties, ...answered } });
}
