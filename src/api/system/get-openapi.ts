import type { Answer } from "../../http/index.js";
import { answerJson, type Endpoint, jsonAnswer, type Route, type RouteDescription } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";
import { openApiDocument } from "./openapi.js";

const DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Returns this API as OpenAPI 3.1: every route, its parameters, bodies and answers",
  text: [
    "It is for generators of clients, and for viewers. It is made from the table that the service routes by, and docs/ref/api.md is made from it.",
  ],
  answer: jsonAnswer({ type: "object" }, "OpenAPI 3.1."),
  example: ['curl -fu "$AUTH" "$NVR/openapi.json"'],
};

/** GET /openapi.json. `routes` is asked when the first request comes: this is one of them. */
export function openApiRoute(routes: () => readonly Route[]): Route<SystemNeeds> {
  return {
    method: "GET",
    path: "/openapi.json",
    login: "user",
    evenForbidden: true,
    endpoint: getOpenApi(routes),
    describe: DESCRIPTION,
  };
}

/** What the routes are. */
function getOpenApi(routes: () => readonly Route[]): Endpoint<SystemNeeds> {
  let answer: Answer | undefined;
  return ({ needs }) => {
    answer ??= answerJson(openApiDocument(routes(), { version: needs.version }));
    return answer;
  };
}
