import { answerJson } from "../route/answer.js";
import { openApiDocument } from "../route/openapi.js";
import type { Answer } from "../../http/response.js";
import type { Route } from "../route/route.js";
import type { Endpoint } from "../route/services.js";

/** GET /openapi.json: what the routes are. `routes` is asked when the first request comes: this is one of them. */
export function getOpenApi(routes: () => readonly Route[]): Endpoint {
  let answer: Answer | undefined;
  return ({ services }) => {
    answer ??= answerJson(openApiDocument(routes(), { version: services.version }));
    return answer;
  };
}
