import type { Endpoint } from "./services.js";

/** What every user needs before the endpoint runs: to be logged in, or to administer. */
export type RouteNeeds = "login" | "administration";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Lower case; `{name}` stands for one path part. */
  readonly path: string;
  readonly needs: RouteNeeds;
  readonly endpoint: Endpoint;
}
