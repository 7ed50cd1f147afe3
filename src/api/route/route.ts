import type { RouteAccess, RouteNeeds } from "./rights.js";
import type { RouteDescription } from "./route-description.js";
import type { Endpoint, KeptAnswer, NamedEndpoint } from "./services.js";

/** One endpoint: where it is reached, who may use it, what answers. */
export type Route = LoginRoute | NamedRoute;

interface AnyRoute extends RouteAccess {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Lower case; `{name}` stands for one path part. */
  readonly path: string;
  /** The body goes to the endpoint as it comes (`bodyStream`): it may be too large for memory. */
  readonly streamsBody?: true;
  /** What /openapi.json says of it. */
  readonly describe: RouteDescription;
}

/** One that wants credentials. */
interface LoginRoute extends AnyRoute {
  readonly needs: Exclude<RouteNeeds, "name">;
  readonly endpoint: Endpoint;
  /** Asked first where the same request was answered before. */
  readonly kept?: KeptAnswer;
}

/** One whose path holds a name that lets in; credentials are not read. */
interface NamedRoute extends AnyRoute {
  readonly needs: "name";
  readonly endpoint: NamedEndpoint;
}
