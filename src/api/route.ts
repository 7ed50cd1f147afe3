import type { RouteAccess } from "./rights.js";
import type { RouteDescription } from "./route-description.js";
import type { Endpoint, KeptAnswer } from "./services.js";

/** One endpoint: where it is reached, who may use it, what answers. */
export interface Route extends RouteAccess {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Lower case; `{name}` stands for one path part. */
  readonly path: string;
  readonly endpoint: Endpoint;
  /** Asked first where the same request was answered before. */
  readonly kept?: KeptAnswer;
  /** What /openapi.json says of it. */
  readonly describe: RouteDescription;
}
