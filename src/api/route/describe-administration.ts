import type { CollectionEndpoints } from "./collection.js";
import {
  GUID,
  type JsonSchema,
  listOf,
  named,
  objectOf,
  schemaOfBody,
  TEXT,
  withNotes,
} from "./json-schema.js";
import type { CollectionMethod, ObjectDescription } from "./object-description.js";
import {
  type AnswerDescription,
  header,
  jsonAnswer,
  type ParameterDescription,
  query,
  type RouteDescription,
} from "./route-description.js";
import type { SettingsEndpoints } from "./settings-endpoints.js";

/** The administration: bodies come from the schemas that check them. */

/** What every change of the configuration may name. */
export const CHANGE_PARAMETERS: readonly ParameterDescription[] = [
  query(
    "revision",
    { type: "integer", minimum: 0 },
    "The revision the change was made for: 409 when it is another one.",
  ),
  header("If-Match", TEXT, "The same, as the `ETag` of an answer."),
];

export const OTHER_REVISION = "The configuration has another revision.";

/** The answer of a change: the ids it touched. */
export function changedIds(
  member: "CreatedObjectsIds" | "ModifiedObjectsIds" | "DeletedObjectsIds",
): AnswerDescription {
  return {
    ...jsonAnswer(objectOf({ [member]: listOf(GUID) }), "The ids, in the order sent."),
    revision: true,
  };
}

/** The five routes of a collection. */
export function describeCollection({
  noun,
  bodySchema,
  description,
}: CollectionEndpoints): Readonly<Record<CollectionMethod, RouteDescription>> {
  const { examples, text, removal, all } = description;
  const whole = schemaOfBody(bodySchema);
  const item = objectSchema(whole.items ?? {}, description);
  const answered: JsonSchema = { allOf: [item], type: "object", required: ["Id", "Name"] };
  const topic = "configuration";
  const missing = { 404: `There is no such ${noun}.` };
  const pathValues = { id: `The id of the ${noun}.` };
  const change = { topic, parameters: CHANGE_PARAMETERS } as const;
  const errors = { ...missing, 409: OTHER_REVISION };
  const body = { required: true, schema: { ...whole, items: item } };
  return {
    getAll: {
      topic,
      summary: all === undefined ? `Lists every ${noun}` : `Returns every ${noun}`,
      text,
      answer: {
        ...jsonAnswer(all === undefined ? listOf(answered) : answered, all ?? "All of them."),
        revision: true,
      },
      example: examples.getAll,
    },
    getOne: {
      topic,
      summary: `Returns one ${noun}`,
      pathValues,
      answer: { ...jsonAnswer(answered, "The object."), revision: true },
      errors: missing,
      example: examples.getOne,
    },
    post: {
      ...change,
      summary: `Adds each ${noun} of the list, or none`,
      errors: { 409: OTHER_REVISION },
      body,
      answer: changedIds("CreatedObjectsIds"),
      example: examples.post,
    },
    put: {
      ...change,
      summary: `Changes each ${noun} of the list in the members given, or none`,
      errors: { 404: `An id of the body names no ${noun}.`, 409: OTHER_REVISION },
      body,
      answer: changedIds("ModifiedObjectsIds"),
      example: examples.put,
    },
    remove: {
      ...change,
      summary: `Deletes one ${noun}`,
      ...(removal === undefined ? {} : { text: removal }),
      pathValues,
      errors:
        description.inUse === undefined
          ? errors
          : { ...errors, 409: `${description.inUse} Or: ${OTHER_REVISION}` },
      answer: changedIds("DeletedObjectsIds"),
      example: examples.remove,
    },
  };
}

/** The object with what is said of its members, and with those that are only in answers. */
function objectSchema(schema: JsonSchema, { title, members, answered = {} }: ObjectDescription): JsonSchema {
  const noted = withNotes(schema, members);
  return named(title, { ...noted, properties: { ...noted.properties, ...answered } });
}

/** GET and PUT of one object. */
export function describeSettings({
  bodySchema,
  description,
}: SettingsEndpoints): Readonly<Record<"get" | "put", RouteDescription>> {
  const schema = objectSchema(schemaOfBody(bodySchema), description);
  const answer = { ...jsonAnswer(schema, "The whole object."), revision: true } as const;
  const topic = "configuration";
  return {
    get: {
      topic,
      summary: `Returns ${description.noun}`,
      text: description.text,
      answer,
      example: description.examples.get,
    },
    put: {
      topic,
      summary: `Changes ${description.noun} in the members given`,
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema },
      answer,
      errors: { 409: OTHER_REVISION },
      example: description.examples.put,
    },
  };
}
