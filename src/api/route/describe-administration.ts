import type { CollectionEndpoints } from "./collection.js";
import { GUID, type JsonSchema, listOf, objectOf, orNull, schemaOfBody, TEXT } from "./json-schema.js";
import {
  type AnswerDescription,
  header,
  jsonAnswer,
  type ParameterDescription,
  query,
  type RouteDescription,
} from "./route-description.js";
import type { SettingsEndpoints } from "./settings-endpoints.js";

/** The administration, as /openapi.json describes it: bodies come from the schemas that check them. */

/** What every change of the configuration may name. */
export const CHANGE_PARAMETERS: readonly ParameterDescription[] = [
  query(
    "revision",
    { type: "integer", minimum: 0 },
    "The revision the change was made for; 409 on another one.",
  ),
  header("If-Match", TEXT, "The same, as the ETag of an answer."),
];

/** The answer of a change: the ids it touched. */
export function changedIds(
  member: "CreatedObjectsIds" | "ModifiedObjectsIds" | "DeletedObjectsIds",
): AnswerDescription {
  return {
    ...jsonAnswer(objectOf({ [member]: listOf(GUID) }), "The ids, in the order sent."),
    revision: true,
  };
}

type CollectionMethod = "getAll" | "getOne" | "post" | "put" | "remove";

/** The five routes of a collection. */
export function describeCollection({
  noun,
  bodySchema,
}: CollectionEndpoints): Readonly<Record<CollectionMethod, RouteDescription>> {
  const schema = schemaOfBody(bodySchema);
  const item = { ...schema.items, required: ["Id", "Name"] } satisfies JsonSchema;
  // The root of the tree of folders has no name.
  const answered = { ...item, properties: { ...item.properties, Name: orNull(TEXT) } };
  const pathValues = { id: `The id of the ${noun}.` };
  const change = { parameters: CHANGE_PARAMETERS, errors: [404, 409] };
  const body = { required: true, schema };
  return {
    getAll: {
      summary: `Every ${noun}`,
      answer: { ...jsonAnswer({ type: ["array", "object"], items: answered }, "All."), revision: true },
    },
    getOne: {
      summary: `One ${noun}`,
      pathValues,
      answer: { ...jsonAnswer(answered, "The one."), revision: true },
      errors: [404],
    },
    post: {
      summary: `Adds each ${noun} of the array, or none`,
      ...change,
      body,
      answer: changedIds("CreatedObjectsIds"),
    },
    put: {
      summary: `Changes each ${noun} of the array in the members given, or none`,
      ...change,
      body,
      answer: changedIds("ModifiedObjectsIds"),
    },
    remove: { summary: `Deletes a ${noun}`, pathValues, ...change, answer: changedIds("DeletedObjectsIds") },
  };
}

/** GET and PUT of one object. */
export function describeSettings({
  path,
  bodySchema,
}: SettingsEndpoints): Readonly<Record<"get" | "put", RouteDescription>> {
  const schema = schemaOfBody(bodySchema);
  const noun = path.slice(path.lastIndexOf("/") + 1);
  const answer = { ...jsonAnswer(schema, "The whole object."), revision: true } as const;
  return {
    get: { summary: `The settings under ${noun}`, answer },
    put: {
      summary: `Changes the members given of the settings under ${noun}`,
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema },
      answer,
      errors: [404, 409],
    },
  };
}
