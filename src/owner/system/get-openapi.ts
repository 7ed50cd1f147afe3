import type { Answer } from "../../http/index.js";
import { answerJson, type Endpoint, jsonAnswer, type Route } from "../../route/index.js";
import { BEYOND_SCHEMAS } from "./beyond-schemas.js";
import { openApiDocument } from "./openapi.js";
import type { SystemNeeds } from "./states.js";

/** GET /openapi.json. `routes` is called at the first request, because this route is one of them. */
export function openApiRoute(routes: () => readonly Route[]): Route<SystemNeeds> {
  return {
    method: "GET",
    path: "/openapi.json",
    login: "user",
    evenForbidden: true,
    endpoint: getOpenApi(routes),
    describe: {
      topic: "system",
      summary: "Returns this API as OpenAPI 3.1: every route, its parameters, bodies and answers",
      text: [
        "It is for client generators and viewers. It is generated from the routes of the service, and docs/ref/api.md is generated from it.",
        "",
        ...BEYOND_SCHEMAS,
      ],
      answer: jsonAnswer({ type: "object" }, "OpenAPI 3.1."),
      example: ['curl -fu "$AUTH" "$NVRD/openapi.json"'],
    },
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
