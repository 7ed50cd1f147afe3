import { answerJson } from "./answer.js";
import { openApiDocument } from "./openapi.js";
import type { Answer } from "./response.js";
import type { Route } from "./route.js";
import type { Endpoint } from "./services.js";

/** GET /openapi.json: what the routes are. `routes` is asked when the first request comes: this is one of them. */
export function getOpenApi(routes: () => readonly Route[]): Endpoint {
  let answer: Answer | undefined;
  return ({ services }) => {
    answer ??= answerJson(openApiDocument(routes(), { version: services.version }));
    return answer;
  };
}
