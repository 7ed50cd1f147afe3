import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../src/owner/system/openapi.js";
import type { JsonSchema } from "../../../src/route/body/json-schema.js";
import { ROUTES } from "../../../src/service/api/routes.js";
import { BASIC_ROOT, startDescribedApi } from "../../support/api/described-api.js";
import { unexplained } from "../../support/api/openapi-exceptions.js";
import { allowed, forbidden } from "../../support/api/schema-values.js";
import { forAllTests } from "../../support/base/for-tests.js";

const RUNS = 8;

/** Operations with parameters that depend on each other, and of each kind of body. */
const QUERIES = [
  "/video",
  "/site",
  "/command",
  "/ptz",
  "/archivefragments",
  "/exportarchive",
  "/api/findings",
];
/** Those whose parameters are all read, whatever one of them says. */
const READ_ALL = QUERIES.filter((path) => path !== "/command" && path !== "/ptz");
const BODIES = [
  ["POST", "/archive_events"],
  ["POST", "/api/events"],
  ["PUT", "/api/password"],
  ["POST", "/api/disks/retire"],
  ["POST", "/configure/users"],
  ["POST", "/configure/alarms"],
  ["POST", "/configure/away"],
  ["POST", "/configure/analysers"],
  ["POST", "/configure/userscenarios"],
  ["POST", "/api/analysers/test"],
  ["POST", "/api/away/locks"],
  ["PUT", "/configure/mobile"],
  ["PUT", "/configure/monitoring"],
  ["PUT", "/api/network"],
  ["PUT", "/api/network/box"],
  ["POST", "/api/setup"],
  ["POST", "/api/tasks"],
  ["POST", "/api/motionsearch"],
  ["POST", "/api/system/configuration"],
] as const;

const api = forAllTests(() => startDescribedApi());

const document = openApiDocument(ROUTES, { version: "0" }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
    readonly explode?: boolean;
  }[];
}

/** The schema of the object of an operation's query. */
function queryOf(path: string): JsonSchema {
  const parameters = (document.paths[path]?.get?.parameters ?? []).filter((one) => one.in === "query");
  const whole = parameters.find((one) => one.explode === true)?.schema;
  if (whole !== undefined) return whole;
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** The schema of an operation's body, its named parts within. */
function bodyOf(method: string, path: string): JsonSchema {
  const route = ROUTES.find((one) => one.method === method && one.path === path);
  const schema = route?.describe.body?.schema;
  if (schema === undefined) throw new Error(`${method} ${path} has no body`);
  return schema;
}

function checker(schema: JsonSchema, options = {}) {
  const ajv = new Ajv2020({ strict: false, ...options });
  formats.default(ajv);
  return ajv.compile(schema);
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(api.url(path), {
    method,
    headers: { authorization: BASIC_ROOT },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** HEAD checks all that GET does, and a stream of video has no end. An error has a text with GET only. */
async function askQuery(path: string, value: unknown) {
  const query = new URLSearchParams(
    Object.entries(value as Record<string, unknown>).map(([name, one]): [string, string] => [name, `${one}`]),
  );
  const target = `${path}?${query}`;
  const { status } = await ask("HEAD", target);
  return status === 400 ? await ask("GET", target) : { status, text: "" };
}

/** A refused request, unless the description says in words that it is. */
function wrongly(
  operation: string,
  { status, text }: { readonly status: number; readonly text: string },
): readonly string[] {
  return status === 400 ? unexplained(operation, text) : [];
}

describe("the description of a query", () => {
  it.each(QUERIES)("of %s allows what is accepted", async (path) => {
    const schema = queryOf(path);
    await fc.assert(
      fc.asyncProperty(allowed(schema, checker(schema)), async (value) => {
        expect([value, wrongly(`GET ${path}`, await askQuery(path, value))]).toEqual([value, []]);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(READ_ALL)("of %s forbids what is refused", async (path) => {
    const schema = queryOf(path);
    // A parameter is text: what reads as another kind of value is one, and an empty one counts as left out.
    const check = checker(schema, { coerceTypes: true });
    const asText = (value: unknown) =>
      Object.fromEntries(
        Object.entries(value as Record<string, unknown>)
          .map(([name, one]) => [name, `${one}`])
          .filter(([, text]) => text !== ""),
      );
    const values = forbidden(schema, checker(schema)).filter((value) => !check(asText(value)));
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const { status } = await askQuery(path, value);
        expect([value, status]).toEqual([value, expect.toSatisfy((one: number) => one >= 400)]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the description of a body", () => {
  it.each(BODIES)("of %s %s allows what is accepted", async (method, path) => {
    const schema = bodyOf(method, path);
    await fc.assert(
      fc.asyncProperty(allowed(schema, checker(schema)), async (value) => {
        expect([value, wrongly(`${method} ${path}`, await ask(method, path, value))]).toEqual([value, []]);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(BODIES)("of %s %s forbids what is refused", async (method, path) => {
    const schema = bodyOf(method, path);
    const isList = schema.type === "array";
    const item = isList ? (schema.items ?? {}) : (schema.oneOf?.[0] ?? schema);
    const values = forbidden(item, checker(item));
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const { status } = await ask(method, path, isList ? [value] : value);
        expect([value, status]).toEqual([value, expect.toSatisfy((one: number) => one >= 400)]);
      }),
      { numRuns: RUNS },
    );
  });
});
