import {
  GUID,
  isOpenRoute,
  type ParameterDescription,
  type Route,
  type RouteDescription,
  type StatusTexts,
  TOPICS,
} from "../../route/index.js";
import { BEYOND_SCHEMAS } from "./beyond-schemas.js";
import { ApiSchemas } from "./openapi-schemas.js";

/**
 * The OpenAPI 3.1 description of the routes, generated from the router's table. scripts/docs/make-api-doc.mjs generates
 * docs/ref/api.md from it.
 */

const OPENAPI_VERSION = "3.1.0";

/** The statuses common to all routes. */
const COMMON_STATUSES: StatusTexts = {
  400: "A parameter or the body is malformed, missing or contradicts itself.",
  401: "There are no credentials, or they are wrong or unreadable.",
  403: "The user lacks a right, or the licence does not cover the route.",
  413: "The body has more than 1 MiB, or more than 8 KiB where no login is needed.",
  414: "Path and query have more than 8192 characters.",
  429: "Too many logins failed, or too many requests from one address are in progress. Retry-After says how long to wait.",
  500: "An internal error of the service. The text contains the id of the request in the log.",
  503: "Something that the request needs is not available, or the service is stopping.",
};
const STATUS_OF_BODIES = 413;

const INTRODUCTION = [
  "The HTTP API of the network video recorder nvrd.",
  "HEAD works wherever GET does, and OPTIONS everywhere.",
  ...BEYOND_SCHEMAS,
  "Every answer has a header X-Request-Id with the id of the request in the log.",
  "docs/ref/api.md has the same content, and also describes the supported HTTP and all limits; links in the texts are relative to it.",
].join("\n");

/** Credentials are sent in the query or by Basic; a user without a password sends none. */
const SECURITY_SCHEMES = {
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "The login, and the password or its MD5 in hexadecimal; a directory user's password in plain text.",
  },
  login: { type: "apiKey", in: "query", name: "login", description: "The user's name." },
  password: {
    type: "apiKey",
    in: "query",
    name: "password",
    description: "The MD5 of the password in hexadecimal; a directory user's password in Base64.",
  },
};
const SECURITY = [{ basic: [] }, { login: [], password: [] }, { login: [] }];

/** A name in a path: whatever is no control character is looked for. */
const PATH_NAME = { type: "string", minLength: 1, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f/]+$" };

/** The name of the object that holds parameters which depend on each other; it is not sent. */
const QUERY_OBJECT = "query";

/** Selects how credentials are checked; a parameter of every route. */
const USER_TYPE = {
  name: "usertype",
  in: "query",
  description: "Who checks the credentials; also as header UserType.",
  allowEmptyValue: true,
  schema: { type: "string", enum: ["internal", "ActiveDirectory"] },
};

const ERROR_SCHEMAS = {
  TextError: { type: "string", description: "Lines `Error code: …` and `Message: …`, ended by CRLF." },
  JsonError: { type: "object", properties: { ErrorMessage: { type: "string" } }, required: ["ErrorMessage"] },
};
type ErrorKind = keyof typeof ERROR_SCHEMAS;

/** The document for `routes`. */
export function openApiDocument(
  routes: readonly Route[],
  options: { readonly version: string },
): Record<string, unknown> {
  const schemas = new ApiSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: OPENAPI_VERSION,
    info: { title: "nvrd", version: options.version, description: INTRODUCTION },
    servers: [{ url: "/" }],
    security: SECURITY,
    tags: Object.entries(TOPICS).map(([name, { title, text }]) => ({
      name,
      "x-displayName": title,
      description: text.join("\n"),
    })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { usertype: USER_TYPE },
      responses: { ...commonResponses("TextError"), ...commonResponses("JsonError") },
      schemas: { ...ERROR_SCHEMAS, ...schemas.named },
    },
  };
}

/** The statuses that a route's description names. */
export function documentedStatuses({ describe }: Pick<Route, "describe">): readonly number[] {
  const { answer, body, errors = {} } = describe;
  const common = Object.keys(COMMON_STATUSES).map(Number);
  const ofRoute = common.filter((status) => status !== STATUS_OF_BODIES || body !== undefined);
  return [answer.status ?? 200, ...new Set([...ofRoute, ...Object.keys(errors).map(Number)])].toSorted(
    (a, b) => a - b,
  );
}

function operationOf(route: Route, schemas: ApiSchemas): Record<string, unknown> {
  const { describe } = route;
  const { body } = describe;
  return {
    operationId: operationId(route),
    summary: describe.summary,
    description: [accessText(route), ...(describe.text === undefined ? [] : ["", ...describe.text])].join(
      "\n",
    ),
    tags: [describe.topic],
    ...(isOpenRoute(route) ? { security: [] } : {}),
    parameters: [
      ...pathParameters(route),
      ...ownParameters(describe),
      ...(isOpenRoute(route) ? [] : [{ $ref: "#/components/parameters/usertype" }]),
    ],
    ...(body === undefined ? {} : { requestBody: bodyOf(body, schemas) }),
    responses: responsesOf(route, schemas),
    ...(describe.messages === undefined ? {} : { "x-messages": describe.messages }),
    "x-codeSamples": [{ lang: "Shell", label: "curl", source: describe.example.join("\n") }],
  };
}

/** `GET /configure/channels/{id}` is `getConfigureChannelsId`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Who may use it, in one paragraph. */
function accessText(route: Route): string {
  const { rights = [], describe } = route;
  const whenNeeded = rights.flatMap(({ right, when }) =>
    when === undefined ? [] : [`\`${right}\` is needed when ${when}.`],
  );
  return [needsText(route), ...whenNeeded, ...(describe.access === undefined ? [] : [describe.access])].join(
    " ",
  );
}

function needsText({ login, evenForbidden, rights = [] }: Route): string {
  if (login === "name") return "For whoever has the name. Credentials are not read.";
  if (login === "none") return "For everybody. Credentials are not read.";
  if (login === "administration")
    return "For senior administrators, under a licence of type Enterprise or Ultra.";
  if (login === "administrator") return "For senior administrators, under any licence.";
  if (evenForbidden === true) return "For every user, even one with `IsAllForbidden`.";
  const always = rights.filter(({ when }) => when === undefined).map(({ right }) => `\`${right}\``);
  return always.length === 0 ? "For every user." : `For users with the right ${always.join(" and ")}.`;
}

function pathParameters(route: Route): Record<string, unknown>[] {
  const { path, describe } = route;
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: describe.pathValues?.[name],
    schema: describe.pathSchemas?.[name] ?? (isOpenRoute(route) ? PATH_NAME : GUID),
  }));
}

/**
 * Parameters of the query that depend on each other are the members of one object, which is sent as parameters of these names
 * (`style: form`, `explode: true`): only of an object can a description say what its members must be together.
 */
function ownParameters({ parameters = [], together }: RouteDescription): Record<string, unknown>[] {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  if (together === undefined) return parameters.map(parameterOf);
  const required = inQuery.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      inQuery.map(({ name, text, schema: own }) => [name, { ...own, description: text }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    allOf: together,
  };
  const place = { name: QUERY_OBJECT, in: "query", required: true, style: "form", explode: true };
  return [
    { ...place, description: "The parameters of the query, each under its own name.", schema },
    ...parameters.filter((parameter) => parameter.in !== "query").map(parameterOf),
  ];
}

function parameterOf({
  name,
  in: place,
  required,
  text,
  schema,
}: ParameterDescription): Record<string, unknown> {
  // An empty parameter counts as left out.
  const bounds = required === true ? { required } : place === "query" ? { allowEmptyValue: true } : {};
  return { name, in: place, description: text, ...bounds, schema };
}

function bodyOf(
  { mediaType = "application/json", schema, required, text }: NonNullable<RouteDescription["body"]>,
  schemas: ApiSchemas,
): Record<string, unknown> {
  const content = { [mediaType]: { schema: schemas.add(schema) } };
  return { required, ...(text === undefined ? {} : { description: text }), content };
}

function responsesOf(route: Route, schemas: ApiSchemas): Record<string, unknown> {
  const { answer, errors = {} } = route.describe;
  const succeeded = answer.status ?? 200;
  const kind = errorKind(route.path);
  const responses: Record<string, unknown> = { [succeeded]: answerOf(answer, schemas) };
  for (const status of documentedStatuses(route)) {
    if (status === succeeded) continue;
    const text = errors[status];
    responses[status] =
      text === undefined
        ? { $ref: `#/components/responses/${kind}${status}` }
        : otherResponse(status, text, kind);
  }
  return responses;
}

function answerOf(answer: RouteDescription["answer"], schemas: ApiSchemas): Record<string, unknown> {
  const content = Object.entries(answer.content).map(([type, schema]) => {
    const shown = type === "application/json" && answer.example !== undefined;
    return [type, { schema: schemas.add(schema), ...(shown ? { example: answer.example } : {}) }];
  });
  const etag = { ETag: { description: "The configuration's revision.", schema: { type: "string" } } };
  return {
    description: answer.text,
    ...(answer.revision === true ? { headers: etag } : {}),
    content: Object.fromEntries(content),
  };
}

/** Routes under /api and /configure answer errors in JSON. */
function errorKind(path: string): ErrorKind {
  return /^\/(configure|api)\//.test(path) ? "JsonError" : "TextError";
}

/** Of another status than that of the answer; those below 400 have no content. */
function otherResponse(status: number, description: string, kind: ErrorKind): Record<string, unknown> {
  if (status < 400) return { description };
  const type = kind === "JsonError" ? "application/json" : "text/plain";
  return { description, content: { [type]: { schema: { $ref: `#/components/schemas/${kind}` } } } };
}

function commonResponses(kind: ErrorKind): Record<string, unknown> {
  const entries = Object.entries(COMMON_STATUSES);
  return Object.fromEntries(
    entries.map(([status, text]) => [kind + status, otherResponse(Number(status), text, kind)]),
  );
}
