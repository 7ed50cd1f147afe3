import { isDeepStrictEqual } from "node:util";
import type { Guid } from "../base/index.js";
import type { SecurityObject, Site } from "./model.js";
import { securityObjects } from "./security-tree.js";

interface Named {
  readonly id: Guid;
  readonly name: string | null;
}

/** Names of one kind that a sentence tells; more are counted. */
const NAMES_TOLD_MAX = 3;

const KINDS: readonly (readonly [noun: string, plural: string, items: (site: Site) => readonly Named[]])[] = [
  ["camera", "cameras", (site) => site.cameras],
  ["group", "groups", (site) => site.groups],
  ["user", "users", (site) => site.users],
  ["view", "views", (site) => site.views],
  ["user scenario", "user scenarios", (site) => site.userScenarios],
  ["security object", "security objects", (site) => securityObjects(site.rootSecurityObject).map(flat)],
];

const PARTS = [
  ["server", (site: Site) => site.server],
  ["map locations", (site: Site) => site.mapLocations],
  ["mobile settings", (site: Site) => site.mobile],
  ["RTSP settings", (site: Site) => site.rtsp],
  ["monitoring settings", (site: Site) => site.monitoring],
  ["use of time zones", (site: Site) => site.useTimeZones],
] as const;

/** What differs, in words: `camera Gate added; 5 users changed; mobile settings changed`. Tells names, never values. */
export function changeWords(site: Site, previous: Site): string {
  const words = KINDS.flatMap(([noun, plural, items]) => wordsOf(items(site), items(previous), noun, plural));
  for (const [name, part] of PARTS) {
    if (!isDeepStrictEqual(part(site), part(previous))) words.push(`${name} changed`);
  }
  return words.join("; ") || "nothing changed";
}

function wordsOf(now: readonly Named[], before: readonly Named[], noun: string, plural: string): string[] {
  const known = new Map(before.map((item) => [item.id, item]));
  const remaining = new Set(now.map((item) => item.id));
  const tell = (items: readonly Named[], verb: string): string[] => {
    if (items.length === 0) return [];
    if (items.length > NAMES_TOLD_MAX) return [`${items.length} ${plural} ${verb}`];
    const names = items.map((item) => item.name ?? "without a name").join(", ");
    return [`${items.length === 1 ? noun : plural} ${names} ${verb}`];
  };
  const changed = now.filter((item) => known.has(item.id) && !isDeepStrictEqual(item, known.get(item.id)));
  return [
    ...tell(
      now.filter((item) => !known.has(item.id)),
      "added",
    ),
    ...tell(changed, "changed"),
    ...tell(
      before.filter((item) => !remaining.has(item.id)),
      "removed",
    ),
  ];
}

/** A folder by itself: that one of its folders changed does not change it. */
function flat(
  object: SecurityObject,
): Named & { readonly childIds: readonly Guid[]; readonly channelIds: readonly Guid[] } {
  const { id, name, children, channelIds } = object;
  return { id, name, channelIds, childIds: children.map((child) => child.id) };
}
