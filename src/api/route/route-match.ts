import { NvrdError } from "../../base/index.js";
import { normalizePath, type RawRequest } from "../../http/index.js";
import type { Route } from "./route.js";

export interface RouteMatch {
  /** Undefined: the path exists, the method does not. */
  readonly route: Route | undefined;
  /** Methods of the path, HEAD and OPTIONS included. */
  readonly methods: readonly string[];
  readonly pathValues: ReadonlyMap<string, string>;
}

/** The routes of `path`; undefined when there is none. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const index = indexOf(routes);
  const found = index.plain.get(path) ?? matchPattern(index, path);
  if (found === undefined) return undefined;
  const route = found.routes.find((each) => each.method === (method === "HEAD" ? "GET" : method));
  return { route, methods: found.methods, pathValues: found.pathValues ?? NO_VALUES };
}

/** Whether a request's body goes to its endpoint as it comes. */
export function streamsBody(routes: readonly Route[], { method, url }: RawRequest): boolean {
  try {
    const match = matchRoute(routes, method.toUpperCase(), normalizePath(url));
    return match?.route?.streamsBody === true;
  } catch (error) {
    // A path that is none is answered where it is read again.
    if (error instanceof NvrdError) return false;
    throw error;
  }
}

const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** The routes of one path, or of one pattern of paths. */
interface PathRoutes {
  readonly pattern: readonly string[];
  readonly routes: Route[];
  methods: readonly string[];
  readonly pathValues?: ReadonlyMap<string, string>;
}

interface RouteIndex {
  readonly plain: ReadonlyMap<string, PathRoutes>;
  readonly patterns: readonly PathRoutes[];
}

const INDEXES = new WeakMap<readonly Route[], RouteIndex>();

/** Made once a table: a request must not cost a look at every route. */
function indexOf(routes: readonly Route[]): RouteIndex {
  const known = INDEXES.get(routes);
  if (known !== undefined) return known;
  const paths = new Map<string, PathRoutes>();
  for (const route of routes) {
    const path = paths.get(route.path) ?? { pattern: route.path.split("/"), routes: [], methods: [] };
    path.routes.push(route);
    path.methods = methodsOf(path.routes);
    paths.set(route.path, path);
  }
  const all = [...paths];
  const index = {
    plain: new Map(all.filter(([path]) => !path.includes("{"))),
    patterns: all.filter(([path]) => path.includes("{")).map(([, path]) => path),
  };
  INDEXES.set(routes, index);
  return index;
}

function methodsOf(routes: readonly Route[]): readonly string[] {
  const methods: string[] = routes.map((route) => route.method);
  if (methods.includes("GET")) methods.push("HEAD");
  return [...methods, "OPTIONS"];
}

function matchPattern({ patterns }: RouteIndex, path: string): PathRoutes | undefined {
  const parts = path.split("/");
  for (const found of patterns) {
    const pathValues = matchPath(found.pattern, parts);
    if (pathValues !== undefined) return { ...found, pathValues };
  }
  return undefined;
}

function matchPath(
  pattern: readonly string[],
  parts: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (parts.length !== pattern.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, patternPart] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (patternPart.startsWith("{")) values.set(patternPart.slice(1, -1), part);
    else if (patternPart !== part) return undefined;
  }
  return values;
}
