import { describe, expect, it } from "vitest";
import { ApiSchemas } from "../../../src/owner/system/openapi-schemas.js";
import {
  FLAG,
  listOf,
  named,
  objectOf,
  orNull,
  schemaOfValue,
  TEXT,
  withNotes,
} from "../../../src/route/body/json-schema.js";

describe("schemas of the document", () => {
  it("has a named schema once, and elsewhere by reference", () => {
    const schemas = new ApiSchemas();
    const camera = named("Camera", objectOf({ Name: TEXT }));
    const reference = { $ref: "#/components/schemas/Camera" };
    expect(schemas.add(listOf(camera))).toEqual({ type: "array", items: reference });
    expect(schemas.add(camera)).toEqual(reference);
    expect(schemas.named).toEqual({ Camera: objectOf({ Name: TEXT }) });
  });

  it("refuses two different schemas of one name", () => {
    const schemas = new ApiSchemas();
    schemas.add(named("Camera", objectOf({ Name: TEXT })));
    expect(() => schemas.add(named("Camera", objectOf({ Name: FLAG })))).toThrow("Camera");
  });
});

describe("the schema of an example", () => {
  it("has the types of its members", () => {
    expect(schemaOfValue({ Name: "Yard", Ports: [80] })).toEqual(
      objectOf({ Name: { type: "string" }, Ports: listOf({ type: "number" }) }, []),
    );
  });

  it("refuses what JSON has no value for, such as the schema of a body", () => {
    expect(() => schemaOfValue({ Week: { check: () => true } })).toThrow("function");
  });
});

describe("notes on members", () => {
  const schema = objectOf({
    Mail: orNull(objectOf({ Host: TEXT })),
    Ports: listOf(objectOf({ Port: TEXT })),
  });

  it("finds members within members and within lists", () => {
    const noted = withNotes(schema, { "Mail.Host": "Where.", "Ports.Port": { default: "25" } });
    expect(noted.properties?.Mail?.properties?.Host).toEqual({ ...TEXT, description: "Where." });
    expect(noted.properties?.Ports?.items?.properties?.Port).toEqual({ ...TEXT, default: "25" });
  });

  it("refuses a member that there is not", () => {
    expect(() => withNotes(schema, { "Mail.Port": "Which." })).toThrow("Port");
  });
});
