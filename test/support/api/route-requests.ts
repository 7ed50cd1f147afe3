import { isOpenRoute, type Route } from "../../../src/route/endpoint/route.js";
import { ROUTES } from "../../../src/service/api/routes.js";
import { GATE_ID, GUARDS_ID, OUTSIDE_FOLDER_ID } from "./api-fakes.js";
import { SCRIPT_PATH } from "./page-folder.js";
import { ROUTE_CASES } from "./route-cases.js";
import { SHARED_TOKEN } from "./saved-file.js";

/** A request that the route answers for root on the sample site. */
export interface RouteRequest {
  readonly route: Route;
  readonly method: string;
  /** Path and query, without credentials. */
  readonly path: string;
  readonly body?: unknown;
}

const NEW_ID = "99999999-0000-4000-8000-000000000001";
const IDS: Readonly<Record<string, string>> = {
  "/configure/channels": GATE_ID,
  "/configure/groups": GUARDS_ID,
  "/configure/users": "66666666-0000-4000-8000-000000000002",
  "/configure/securityobjects": OUTSIDE_FOLDER_ID,
};

/** Requests of every route: those of the cases for what needs a login, one each for what is for administrators. */
export function routeRequests(): readonly RouteRequest[] {
  return ROUTES.flatMap((route) => {
    if (isOpenRoute(route)) return [useOpenly(route)];
    return route.login === "user" ? openRequests(route) : [administer(route)];
  });
}

/** A name that nobody was given: 404 like any that has ended. */
function useOpenly(route: Route): RouteRequest {
  if (route.path === "/page/{file}") return { route, method: route.method, path: SCRIPT_PATH };
  if (route.path.startsWith("/shared/"))
    return { route, method: route.method, path: route.path.replace("{link}", SHARED_TOKEN) };
  if (route.describe.body !== undefined)
    return { route, method: route.method, path: route.path, body: { Login: "guard" } };
  const path = route.path.replace("{name}", "0".repeat(40)).replace("{file}", "media.m3u8");
  return { route, method: route.method, path };
}

function openRequests(route: Route): RouteRequest[] {
  const title = `${route.method} ${route.path}`;
  const cases = ROUTE_CASES.filter((routeCase) => routeCase.route === title);
  if (cases.length === 0) throw new Error(`${title} has no case in route-cases.ts`);
  return cases.map(({ path, body, endless }) => ({
    route,
    method: endless === true ? "HEAD" : route.method,
    path: path(GATE_ID),
    ...(body === undefined ? {} : { body: body(GATE_ID) }),
  }));
}

/** A change with an empty list or object is a change of nothing, and every parameter is read for it all the same. */
function administer(route: Route): RouteRequest {
  const [collection = ""] = route.path.split("/{");
  const path = route.path.replace("{id}", IDS[collection] ?? NEW_ID);
  const body = route.describe.body?.schema.type === "array" ? [] : {};
  return { route, method: route.method, path, ...(route.describe.body === undefined ? {} : { body }) };
}
