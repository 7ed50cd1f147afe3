import type { JsonSchema } from "../../route/index.js";

/** The schemas of a document: named ones are in its components once, and referenced elsewhere. */
export class ApiSchemas {
  readonly #named = new Map<string, JsonSchema>();

  /** The named schemas so far, by name. */
  get named(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#named);
  }

  /** The schema for the document, possibly a reference. Throws Error if two different schemas have the same name. */
  add(schema: JsonSchema): JsonSchema {
    const { title } = schema;
    if (title === undefined) return this.#inner(schema);
    const known = this.#named.get(title);
    // The name is reserved before the inner schemas, so that the names are in reading order.
    if (known === undefined) this.#named.set(title, {});
    const added = this.#inner(schema);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(added))
      throw new Error(`two different schemas are called ${title}`);
    this.#named.set(title, added);
    return { $ref: `#/components/schemas/${title}` };
  }

  #inner(schema: JsonSchema): JsonSchema {
    const { title: _title, properties, items, oneOf, allOf, additionalProperties, ...rest } = schema;
    return {
      ...rest,
      ...(properties === undefined ? {} : { properties: this.#members(properties) }),
      ...(items === undefined ? {} : { items: this.add(items) }),
      ...(oneOf === undefined ? {} : { oneOf: oneOf.map((each) => this.add(each)) }),
      ...(allOf === undefined ? {} : { allOf: allOf.map((each) => this.add(each)) }),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties:
              typeof additionalProperties === "object"
                ? this.add(additionalProperties)
                : additionalProperties,
          }),
    };
  }

  #members(properties: NonNullable<JsonSchema["properties"]>): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, this.add(member)]));
  }
}
