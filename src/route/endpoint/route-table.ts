import { NvrdError } from "../../base/index.js";
import { normalizePath, type RawRequest } from "../../http/index.js";
import { isOpenRoute, type Route } from "./route.js";

/** Most bytes of a body that nobody needs a login to send: forms to log in, and tokens. */
export const OPEN_BODY_BYTES_MAX = 8 * 1024;

export interface RouteMatch<Needs> {
  /** Undefined: the path exists, the method does not. */
  readonly route: Route<Needs> | undefined;
  /** Methods of the path, including HEAD and OPTIONS. */
  readonly methods: readonly string[];
  readonly pathValues: ReadonlyMap<string, string>;
}

const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** The routes of one path or path pattern. */
interface PathRoutes<Needs> {
  readonly pattern: readonly string[];
  readonly routes: Route<Needs>[];
  readonly takesRest: boolean;
  methods: readonly string[];
}

/** All routes, indexed so that a lookup does not scan them. */
export class RouteTable<Needs> {
  readonly #plain = new Map<string, PathRoutes<Needs>>();
  readonly #patterns = new Map<string, PathRoutes<Needs>>();
  /** The paths of all routes. */
  readonly paths: ReadonlySet<string>;

  constructor(routes: readonly Route<Needs>[]) {
    this.paths = new Set(routes.map((route) => route.path));
    for (const route of routes) {
      const index = route.path.includes("{") ? this.#patterns : this.#plain;
      const path = index.get(route.path) ?? {
        ...{ pattern: route.path.split("/"), takesRest: route.takesRest === true, routes: [], methods: [] },
      };
      path.routes.push(route);
      path.methods = methodsOf(path.routes);
      index.set(route.path, path);
    }
  }

  /** The routes of `path`; undefined if there are none. */
  match(method: string, path: string): RouteMatch<Needs> | undefined {
    const plain = this.#plain.get(path);
    if (plain !== undefined) return routeMatch(plain, method, NO_VALUES);
    const parts = path.split("/");
    for (const found of this.#patterns.values()) {
      const pathValues = matchPath(found, parts);
      if (pathValues !== undefined) return routeMatch(found, method, pathValues);
    }
    return undefined;
  }

  /** Whether a request's body is streamed to its endpoint. */
  streamsBody(raw: RawRequest): boolean {
    return this.#routeOf(raw)?.streamsBody === true;
  }

  /** Most bytes of a request's body; undefined: what a route with a login takes. */
  bodyBytesMax(raw: RawRequest): number | undefined {
    const route = this.#routeOf(raw);
    return (
      route?.bodyBytesMax ?? (route === undefined || isOpenRoute(route) ? OPEN_BODY_BYTES_MAX : undefined)
    );
  }

  #routeOf({ method, url }: RawRequest): Route<Needs> | undefined {
    try {
      return this.match(method.toUpperCase(), normalizePath(url))?.route;
    } catch (error) {
      // An invalid path is reported when it is parsed again.
      if (error instanceof NvrdError) return undefined;
      throw error;
    }
  }
}

function routeMatch<Needs>(
  { routes, methods }: PathRoutes<Needs>,
  method: string,
  pathValues: ReadonlyMap<string, string>,
): RouteMatch<Needs> {
  const route = routes.find((each) => each.method === (method === "HEAD" ? "GET" : method));
  return { route, methods, pathValues };
}

function methodsOf(routes: readonly Route[]): readonly string[] {
  const methods: string[] = routes.map((route) => route.method);
  if (methods.includes("GET")) methods.push("HEAD");
  return [...methods, "OPTIONS"];
}

function matchPath(
  { pattern, takesRest }: Pick<PathRoutes<never>, "pattern" | "takesRest">,
  parts: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (parts.length !== pattern.length && !(takesRest && parts.length > pattern.length)) return undefined;
  // Most patterns are another path's: nothing is made for them.
  for (let at = 0; at < pattern.length; at++)
    if (pattern[at] !== parts[at] && !isName(pattern[at])) return undefined;
  const values = new Map<string, string>();
  for (const [at, name] of pattern.entries())
    if (isName(name)) values.set(name.slice(1, -1), parts[at] ?? "");
  const last = pattern.at(-1);
  if (takesRest && isName(last)) values.set(last.slice(1, -1), parts.slice(pattern.length - 1).join("/"));
  return values;
}

function isName(patternPart: string | undefined): patternPart is string {
  return patternPart?.startsWith("{") === true;
}
