import type { LinkTo, Queries } from "../../contract/query/index.js";

/** The address of a route with its parameters; those that are undefined are left out. `id` stands for `{id}` in the path. */
export function addressOf<P extends keyof Queries>(path: P, asked: LinkTo<Queries[P]>, id = ""): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value));
  return `${path.replace("{id}", id)}?${query}`;
}
