import { once } from "../../base/index.js";
import { type JsonSchema, listOf, NO_ID, SOME_ID, schemaOfBody, TEXT } from "../body/json-schema.js";
import type { Route } from "../endpoint/route.js";
import { jsonAnswer, type RouteDescription } from "../endpoint/route-description.js";
import type { CollectionEndpoints } from "./collection.js";
import {
  CHANGE_PARAMETERS,
  changedIds,
  OTHER_OBJECTS,
  OTHER_REVISION,
  UNKNOWN_IDS,
} from "./configuration-change.js";
import type { SiteNeeds } from "./configuration-edit.js";
import { type CollectionMethod, objectSchema } from "./object-description.js";

/** The five routes of a collection, with descriptions from the schema that checks its bodies, made when they are first read. */
export function collectionRoutes<N extends SiteNeeds>(
  endpoints: CollectionEndpoints<N>,
): readonly Route<N>[] {
  const { path } = endpoints;
  const description = once(() => describeCollection(endpoints));
  const all = { path, login: "administration" } as const;
  const one = { path: `${path}/{id}`, login: "administration" } as const;
  return [
    {
      method: "GET",
      ...all,
      endpoint: endpoints.getAll,
      get describe() {
        return description().getAll;
      },
    },
    {
      method: "POST",
      ...all,
      endpoint: endpoints.post,
      get describe() {
        return description().post;
      },
    },
    {
      method: "PUT",
      ...all,
      endpoint: endpoints.put,
      get describe() {
        return description().put;
      },
    },
    {
      method: "GET",
      ...one,
      endpoint: endpoints.getOne,
      get describe() {
        return description().getOne;
      },
    },
    {
      method: "DELETE",
      ...one,
      endpoint: endpoints.remove,
      get describe() {
        return description().remove;
      },
    },
  ];
}

/** An object that is added. */
const NEW_ONE: JsonSchema = { required: ["Name"], properties: { Id: NO_ID, Name: TEXT } };
/** An object that is changed. */
const KNOWN_ONE: JsonSchema = { required: ["Id"], properties: { Id: SOME_ID } };

function describeCollection({
  noun,
  path,
  bodySchema,
  description,
}: Pick<CollectionEndpoints, "noun" | "path" | "bodySchema" | "description">): Readonly<
  Record<CollectionMethod, RouteDescription>
> {
  const { examples, text, removal, all } = description;
  const { id, afterwards = [] } = examples;
  const comment = examples.comment === undefined ? [] : [examples.comment];
  const whole = schemaOfBody(bodySchema);
  const item = objectSchema(whole.items ?? {}, description);
  const answered: JsonSchema = { allOf: [item], type: "object", required: ["Id", "Name"] };
  const topic = "configuration";
  const missing = { 404: `There is no such ${noun}.` };
  const pathValues = { id: `The id of the ${noun}.` };
  const change = { topic, parameters: CHANGE_PARAMETERS } as const;
  const errors = { ...missing, 409: OTHER_REVISION };
  const bodyOf = (rules: readonly JsonSchema[]) => ({
    required: true,
    schema: { ...whole, items: { allOf: [item, ...rules] } },
  });
  const { rules = [], rulesOfNew = rules } = description;
  return {
    getAll: {
      topic,
      summary: all === undefined ? `Lists every ${noun}` : `Returns every ${noun}`,
      text,
      answer: {
        ...jsonAnswer(all === undefined ? listOf(answered) : answered, all ?? "All of them."),
        revision: true,
      },
      example: [`curl -fu "$AUTH" "$NVRD${path}"`],
    },
    getOne: {
      topic,
      summary: `Returns one ${noun}`,
      pathValues,
      answer: { ...jsonAnswer(answered, "The object."), revision: true },
      errors: missing,
      example: [...comment, `curl -fu "$AUTH" "$NVRD${path}/${id}"`],
    },
    post: {
      ...change,
      summary: `Adds each ${noun} of the list, or none`,
      errors: { 404: UNKNOWN_IDS, 409: OTHER_OBJECTS },
      body: bodyOf([NEW_ONE, ...rulesOfNew]),
      answer: changedIds("CreatedObjectsIds"),
      example: examples.post,
    },
    put: {
      ...change,
      summary: `Changes each ${noun} of the list in the members given, or none`,
      errors: { 404: UNKNOWN_IDS, 409: OTHER_OBJECTS },
      body: bodyOf([KNOWN_ONE, ...rules]),
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
      example: [...comment, `curl -fu "$AUTH" -X DELETE "$NVRD${path}/${id}"`, ...afterwards],
    },
  };
}
