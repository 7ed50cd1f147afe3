import { STATUS_CODES } from "node:http";
import type { Route } from "./route.js";
import type { ParameterDescription, RouteDescription } from "./route-description.js";

/** The OpenAPI 3.1 description of the routes, made from the table that the router uses. */

const OPENAPI_VERSION = "3.1.0";
/** Statuses that a request to any route may be answered with. */
const STATUSES_OF_ALL = [400, 401, 403, 414, 429, 500, 503];
const STATUS_OF_BODIES = 413;

const INTRODUCTION =
  "HEAD works wherever GET does, OPTIONS everywhere. Names of parameters, and values that are words, match in any case; " +
  "parameters nobody knows are ignored. Every answer has a header X-Request-Id that names the request in the log. " +
  "What HTTP is understood, and every limit, stands in docs/ref/api.md.";

/** Credentials go in the query or by Basic; a user without a password sends none. */
const SECURITY_SCHEMES = {
  basic: {
    type: "http",
    scheme: "basic",
    description: "login, and the MD5 of the password in hexadecimal; a directory user's password as it is",
  },
  login: { type: "apiKey", in: "query", name: "login", description: "the user's name" },
  password: {
    type: "apiKey",
    in: "query",
    name: "password",
    description: "the MD5 of the password in hexadecimal; a directory user's in Base64",
  },
};
const SECURITY = [{ basic: [] }, { login: [], password: [] }, { login: [] }];

/** How credentials are read; every route takes it. */
const USER_TYPE = {
  name: "usertype",
  in: "query",
  description: "Who checks the credentials. The header UserType says the same.",
  schema: { type: "string", enum: ["internal", "ActiveDirectory"] },
};

const ERROR_SCHEMAS = {
  text: { type: "string", description: "Lines `Error code: …` and `Message: …`, ended by CRLF." },
  json: { type: "object", properties: { ErrorMessage: { type: "string" } }, required: ["ErrorMessage"] },
};

/** The document for `routes`. */
export function openApiDocument(
  routes: readonly Route[],
  options: { readonly version: string },
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: OPENAPI_VERSION,
    info: { title: "nvrd", version: options.version, description: INTRODUCTION },
    servers: [{ url: "/" }],
    security: SECURITY,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { usertype: USER_TYPE },
      schemas: { TextError: ERROR_SCHEMAS.text, JsonError: ERROR_SCHEMAS.json },
    },
  };
}

/** The statuses that a route's description names. */
export function documentedStatuses({ describe }: Pick<Route, "describe">): readonly number[] {
  const ofBody = describe.body === undefined ? [] : [STATUS_OF_BODIES];
  return [
    describe.answer.status ?? 200,
    ...new Set([...STATUSES_OF_ALL, ...ofBody, ...(describe.errors ?? [])]),
  ].toSorted((a, b) => a - b);
}

function operationOf(route: Route): Record<string, unknown> {
  const { describe } = route;
  const text = [describe.text, accessText(route)].filter((part) => part !== undefined).join(" ");
  return {
    operationId: operationId(route),
    summary: describe.summary,
    description: text,
    tags: [tagOf(route.path)],
    ...(route.login === "name" ? { security: [] } : {}),
    parameters: [
      ...pathParameters(route),
      ...(describe.parameters ?? []).map(parameterOf),
      ...(route.login === "name" ? [] : [{ $ref: "#/components/parameters/usertype" }]),
    ],
    ...(describe.body === undefined ? {} : { requestBody: bodyOf(describe.body) }),
    responses: responsesOf(route),
  };
}

/** `GET /configure/channels/{id}` is `getConfigureChannelsId`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function tagOf(path: string): string {
  return path.startsWith("/configure/") ? "configuration" : "open API";
}

/** Who may use it, in words. */
function accessText({ login, rights = [] }: Route): string {
  if (login === "name") return "For whoever has the name; credentials are not read.";
  if (login === "administration")
    return "For senior administrators, with a licence of type Enterprise or Ultra.";
  if (login === "administrator") return "For senior administrators.";
  const texts = rights.map(({ right, when }) => (when === undefined ? right : `${right} (when ${when})`));
  return texts.length === 0 ? "For every user." : `Rights: ${texts.join(", ")}.`;
}

function pathParameters({ path, describe, login }: Route): Record<string, unknown>[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: describe.pathValues?.[name],
    schema: login === "name" ? { type: "string" } : { type: "string", format: "uuid" },
  }));
}

function parameterOf({
  name,
  in: place,
  required,
  text,
  schema,
}: ParameterDescription): Record<string, unknown> {
  return { name, in: place, description: text, ...(required === true ? { required } : {}), schema };
}

function bodyOf({
  mediaType = "application/json",
  schema,
  required,
  text,
}: NonNullable<RouteDescription["body"]>): Record<string, unknown> {
  const content = { [mediaType]: { schema } };
  return { required, ...(text === undefined ? {} : { description: text }), content };
}

function responsesOf(route: Route): Record<string, unknown> {
  const { answer } = route.describe;
  const content = Object.fromEntries(
    Object.entries(answer.content).map(([type, schema]) => [type, { schema }]),
  );
  const etag = { ETag: { description: "The configuration's revision.", schema: { type: "string" } } };
  const responses: Record<string, unknown> = {
    [answer.status ?? 200]: {
      description: answer.text,
      ...(answer.revision === true ? { headers: etag } : {}),
      content,
    },
  };
  const isJson = /^\/(configure|api)\//.test(route.path);
  const type = isJson ? "application/json" : "text/plain";
  const schema = { $ref: `#/components/schemas/${isJson ? "JsonError" : "TextError"}` };
  for (const status of documentedStatuses(route)) {
    if (status === (answer.status ?? 200)) continue;
    responses[status] = { description: STATUS_CODES[status] ?? "Error", content: { [type]: { schema } } };
  }
  return responses;
}
