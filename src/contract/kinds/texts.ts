/** What is said of the members, beside their kinds: a page that takes the kinds alone leaves the texts out. */

import type { VariantMembers } from "./kinds.js";

/** Paths of members with a point between the names; items of a list have none of their own. */
export type PathOf<M> = {
  [N in keyof M & string]: N | `${N}.${PathWithin<M[N]>}`;
}[keyof M & string];

type PathWithin<K> = K extends { readonly kind: "group"; readonly members: infer M }
  ? PathOf<M>
  : K extends { readonly kind: "tree"; readonly members: infer M; readonly children: infer C }
    ? PathOf<M> | (C & string)
    : K extends { readonly kind: "list"; readonly item: infer I }
      ? PathWithin<I>
      : K extends {
            readonly kind: "variant";
            readonly tag: infer T;
            readonly shared: infer C;
            readonly of: infer O;
          }
        ? (T & string) | PathOf<VariantMembers<C, O>>
        : never;

/** Markdown by path; what goes without saying has none. */
export type TextsOf<M> = { readonly [P in PathOf<M>]?: string };
