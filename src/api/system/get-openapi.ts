import type { Answer } from "../../http/index.js";
import { answerJson, type Endpoint, openApiDocument, type Route } from "../route/index.js";

/** GET /openapi.json: what the routes are. `routes` is asked when the first request comes: this is one of them. */
export function getOpenApi(routes: () => readonly Route[]): Endpoint {
  let answer: Answer | undefined;
  return ({ services }) => {
    answer ??= answerJson(openApiDocument(routes(), { version: services.version }));
    return answer;
  };
}
