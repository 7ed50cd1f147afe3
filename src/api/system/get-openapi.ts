import type { Answer } from "../../http/index.js";
import { answerJson, type Endpoint, openApiDocument, type Route } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** GET /openapi.json: what the routes are. `routes` is asked when the first request comes: this is one of them. */
export function getOpenApi(routes: () => readonly Route[]): Endpoint<SystemNeeds> {
  let answer: Answer | undefined;
  return ({ needs }) => {
    answer ??= answerJson(openApiDocument(routes(), { version: needs.version }));
    return answer;
  };
}
