import type { CachedAnswer, Endpoint, NamedEndpoint } from "./context.js";
import type { RouteAccess, RouteLogin } from "./rights.js";
import type { RouteDescription } from "./route-description.js";

/** One endpoint: its path, who may use it, and its function. */
export type Route<Needs = never> = LoginRoute<Needs> | NamedRoute<Needs>;

interface AnyRoute extends RouteAccess {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Lower case; `{name}` stands for one path part. */
  readonly path: string;
  /** The body is streamed to the endpoint (`bodyStream`), because it may be too large for memory. */
  readonly streamsBody?: true;
  /** Its description for /openapi.json. */
  readonly describe: RouteDescription;
}

/** A route with credentials. */
interface LoginRoute<Needs> extends AnyRoute {
  readonly login: Exclude<RouteLogin, "name">;
  readonly endpoint: Endpoint<Needs>;
  /** Called first for a repeated request. */
  readonly kept?: CachedAnswer<Needs>;
}

/** A route whose path contains a name that gives access; credentials are not read. */
interface NamedRoute<Needs> extends AnyRoute {
  readonly login: "name";
  readonly endpoint: NamedEndpoint<Needs>;
}
