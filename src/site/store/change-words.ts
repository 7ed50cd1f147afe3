import { isDeepStrictEqual } from "node:util";
import type { Guid } from "../../base/index.js";
import type { SecurityObject, Site } from "../model/model.js";
import { securityObjects } from "../model/security-tree.js";

interface Named {
  readonly id: Guid;
  readonly name: string | null;
}

/** Maximum number of names of one kind in a sentence; more are only counted. */
const NAMES_LISTED_MAX = 3;

const KINDS: readonly (readonly [noun: string, plural: string, items: (site: Site) => readonly Named[]])[] = [
  ["camera", "cameras", (site) => site.cameras],
  ["group", "groups", (site) => site.groups],
  ["user", "users", (site) => site.users],
  ["view", "views", (site) => site.views],
  ["user scenario", "user scenarios", (site) => site.userScenarios],
  ["alarm target", "alarm targets", (site) => site.alarmTargets],
  ["away target", "away targets", (site) => site.awayTargets],
  ["analyser", "analysers", (site) => site.analysers],
  ["security object", "security objects", namedObjects],
];

const PARTS = [
  ["server", (site: Site) => site.server],
  ["map locations", (site: Site) => site.mapLocations],
  ["mobile settings", (site: Site) => site.mobile],
  ["RTSP settings", (site: Site) => site.rtsp],
  ["monitoring settings", (site: Site) => site.monitoring],
  ["directory settings", (site: Site) => site.directory],
  ["MQTT settings", (site: Site) => site.broker],
  ["ONVIF device settings", (site: Site) => site.onvifDevice],
  ["use of time zones", (site: Site) => site.useTimeZones],
  ["links to files", (site: Site) => site.fileLinksEnabled === true],
] as const;

/**
 * The differences as text: `camera Gate added; 5 users changed; mobile settings (fpsLimit) changed`. Contains names, never
 * values.
 */
export function changeWords(site: Site, previous: Site): string {
  const words = KINDS.flatMap(([noun, plural, items]) => wordsOf(items(site), items(previous), noun, plural));
  // A camera that is added or removed changes the list by that.
  if (site.cameras.length === previous.cameras.length && !isDeepStrictEqual(list(site), list(previous)))
    words.push("list of cameras changed");
  for (const [name, part] of PARTS) {
    if (!isDeepStrictEqual(part(site), part(previous))) {
      words.push(`${name}${changedMembers(part(site), part(previous))} changed`);
    }
  }
  return words.join("; ") || "nothing changed";
}

function wordsOf(now: readonly Named[], before: readonly Named[], noun: string, plural: string): string[] {
  const known = new Map(before.map((item) => [item.id, item]));
  const remaining = new Set(now.map((item) => item.id));
  const phrases = (items: readonly Named[], verb: string): string[] => {
    if (items.length === 0) return [];
    if (items.length > NAMES_LISTED_MAX) return [`${items.length} ${plural} ${verb}`];
    const names = items.map(nameOf).join(", ");
    return [`${items.length === 1 ? noun : plural} ${names} ${verb}`];
  };
  const changedNames = (items: readonly Named[]): readonly Named[] =>
    items.length > NAMES_LISTED_MAX
      ? items
      : items.map((item) => ({ ...item, name: nameOf(item) + changedMembers(item, known.get(item.id)) }));
  const changed = now.filter((item) => known.has(item.id) && !isDeepStrictEqual(item, known.get(item.id)));
  return [
    ...phrases(
      now.filter((item) => !known.has(item.id)),
      "added",
    ),
    ...phrases(changedNames(changed), "changed"),
    ...phrases(
      before.filter((item) => !remaining.has(item.id)),
      "removed",
    ),
  ];
}

function nameOf(item: Named): string {
  return item.name ?? "without a name";
}

/** Members that are called otherwise. */
const MEMBERS: Readonly<Record<string, string>> = {
  secret: "password",
  groupId: "group",
  channelIds: "channels",
  delivery: "address",
  archive: "recording",
  kept: "other settings",
  perHourMax: "messages an hour",
  isToldOfRecorder: "events of the recorder",
};

function inWords(member: string): string {
  return member
    .replace(/^is(?=[A-Z])/, "")
    .replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (letters) => ` ${letters.toLowerCase()}`)
    .trim();
}

/** ` (rights, comment)`: the members that differ, in words: `perHourMax` is `per hour max`. */
function changedMembers(now: unknown, before: unknown): string {
  if (typeof now !== "object" || now === null || typeof before !== "object" || before === null) return "";
  const values = new Map<string, unknown>(Object.entries(before));
  const members = new Map<string, unknown>(Object.entries(now));
  const names = [...new Set([...members.keys(), ...values.keys()])]
    .filter((name) => !isDeepStrictEqual(members.get(name), values.get(name)))
    .map((name) => MEMBERS[name] ?? inWords(name));
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

/** All but the root, which has no name of its own. */
function namedObjects({ rootSecurityObject }: Site): readonly Named[] {
  return securityObjects(rootSecurityObject)
    .filter((object) => object !== rootSecurityObject)
    .map(flat);
}

/** The cameras that are in no folder. */
function list({ rootSecurityObject }: Site): Named {
  return flat(rootSecurityObject);
}

/** A folder without its children, so that a change of a child does not count as its change. */
function flat(
  object: SecurityObject,
): Named & { readonly childIds: readonly Guid[]; readonly channelIds: readonly Guid[] } {
  const { id, name, children, channelIds } = object;
  return { id, name, channelIds, childIds: children.map((child) => child.id) };
}
