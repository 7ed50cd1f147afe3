import type { RequestCount } from "../../health/index.js";
import type { Route } from "./route.js";

type RouteName = { readonly method: string; readonly path: string };

/** Where no route is meant: paths that clients make up are one. */
const OTHER: RouteName = { method: "other", path: "other" };

/** Counts answers by route and status: as many counters as there are routes and statuses, whatever is asked for. */
export class RequestCounts {
  readonly #counts = new Map<RouteName, Map<number, number>>();

  /** An answer of `route` was given; status 0: the client left first. */
  add(route: Route | undefined, status: number): void {
    const key = route ?? OTHER;
    let statuses = this.#counts.get(key);
    if (statuses === undefined) {
      statuses = new Map();
      this.#counts.set(key, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  read(): readonly RequestCount[] {
    return [...this.#counts].flatMap(([{ method, path }, statuses]) =>
      [...statuses].map(([status, count]) => ({ method, route: path, status, count })),
    );
  }
}
