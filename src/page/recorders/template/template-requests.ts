/** Where a hub has its templates. */
export const TEMPLATES = "/api/fleet/templates";
/** Recorders that are asked by one request. */
const AT_ONCE = 50;
/** Recorders have 20 s, 16 of them at once. */
export const ANSWER_MS = 120_000;

/** The list in parts of what one request takes. */
export function inRequests<T>(all: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) parts.push(all.slice(at, at + AT_ONCE));
  return parts;
}
