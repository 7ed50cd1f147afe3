import type { CachedAnswer, Endpoint, NamedEndpoint } from "./context.js";
import type { RouteAccess, RouteLogin } from "./rights.js";
import type { RouteDescription } from "./route-description.js";

/** One endpoint: where it is reached, who may use it, what answers. */
export type Route<Needs = never> = LoginRoute<Needs> | NamedRoute<Needs>;

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
interface LoginRoute<Needs> extends AnyRoute {
  readonly login: Exclude<RouteLogin, "name">;
  readonly endpoint: Endpoint<Needs>;
  /** Asked first where the same request was answered before. */
  readonly kept?: CachedAnswer<Needs>;
}

/** One whose path holds a name that lets in; credentials are not read. */
interface NamedRoute<Needs> extends AnyRoute {
  readonly login: "name";
  readonly endpoint: NamedEndpoint<Needs>;
}
