import type { Answer, ApiRequest } from "../../http/index.js";
import type { CachedAnswer, Endpoint, NamedEndpoint } from "./context.js";
import type { OpenLogin, RouteAccess, RouteLogin } from "./rights.js";
import type { RouteDescription } from "./route-description.js";

/** One endpoint: its path, who may use it, and its function. */
export type Route<Needs = never> = LoginRoute<Needs> | OpenRoute<Needs>;

interface AnyRoute extends RouteAccess {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Lower case; `{name}` stands for one path part. */
  readonly path: string;
  /** The last part of the path stands for all that follows it too. */
  readonly takesRest?: true;
  /** The body is streamed to the endpoint (`bodyStream`), because it may be too large for memory. */
  readonly streamsBody?: true;
  /** Most bytes of a body; by default what a route takes that a login protects, and less where none does. */
  readonly bodyBytesMax?: number;
  /**
   * Which GET requests change something: those of a session must come from the own page, and none may come from a page of
   * another site. None when absent.
   */
  readonly changes?: (request: ApiRequest) => boolean;
  /**
   * The path at another recorder that a request is passed on to: what is said of that path here, of changes and of work, holds for it
   * too, and one that nobody knows here may do either.
   */
  readonly passesOn?: (path: string) => string;
  /** A GET that begins work which lasts, or asks another host: no page of another site may have it done. */
  readonly startsWork?: true;
  /** Pages of other sites may send it all the same: what it carries proves that it may be done. */
  readonly isForAllPages?: true;
  /** Its description for /openapi.json. */
  readonly describe: RouteDescription;
}

/** A route with credentials. */
export interface LoginRoute<Needs> extends AnyRoute {
  readonly login: Exclude<RouteLogin, OpenLogin>;
  readonly endpoint: Endpoint<Needs>;
  /** Answers who is not logged in: without credentials, or with a session that is over. Undefined: it is 401, as elsewhere. */
  readonly nobody?: (request: ApiRequest) => Answer | undefined;
  /** Called first for a repeated request. */
  readonly kept?: CachedAnswer<Needs>;
}

/** A route for everybody, or for whoever has the name in its path; credentials are not read. */
export interface OpenRoute<Needs> extends AnyRoute {
  readonly login: OpenLogin;
  readonly endpoint: NamedEndpoint<Needs>;
}

export function isOpenRoute<Needs>(route: Route<Needs>): route is OpenRoute<Needs> {
  return route.login === "name" || route.login === "none";
}
