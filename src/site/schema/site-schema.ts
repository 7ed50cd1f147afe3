import * as v from "valibot";
import {
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  cameraPosition,
  cameraServers,
  channelIds,
  camera as contract,
  firstOf,
  GROUP_RIGHTS,
  GROUPS_MAX,
  group,
  laterOf,
  type Members,
  part,
  SECURITY_OBJECT_DEPTH_MAX,
  USERS_MAX,
  without,
} from "../../contract/index.js";
import {
  flag,
  guid,
  line,
  list,
  name,
  storedAllOr,
  storedEntries,
  storedValue,
  whole,
} from "../../contract/reading/index.js";
import type { SecurityObject, Site } from "../model/model.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { siteSettingsEntries } from "./site-settings-schema.js";

/**
 * The schema of a configuration, checked for each change and when read from disk, where it is as untrusted as any input.
 * Messages say what is accepted and never contain the value, because some values are passwords.
 */

/** `scrypt$N$r$p$salt$hash` with salt and hash in base64url, or `locked` (see model.ts). */
const SECRET_PATTERN = /^(?:locked|scrypt\$\d{1,8}\$\d{1,3}\$\d{1,3}\$[\w-]{16,64}\$[\w-]{32,128})$/;

const camera = v.strictObject({
  ...storedEntries(part(contract, "Id", "Name", "Description", "Disabled")),
  ownerServerId: guid,
  connection: first(cameraConnection),
  archive: first(cameraArchive),
  ...storedEntries(cameraPosition),
  kept: v.exactOptional(
    v.strictObject({
      connection: later(cameraConnection),
      archive: later(cameraArchive),
      analyze: later(cameraAnalysis),
      servers: v.exactOptional(later(cameraServers)),
    }),
  ),
});

function first<M extends Members>(members: M) {
  return v.strictObject(storedEntries(firstOf(members)));
}

function later<M extends Members>(members: M) {
  return v.strictObject(storedEntries(laterOf(members)));
}

/** One level; `v.lazy` recurses. The depth is checked before (see `isTooDeep`), so that no document exhausts the stack. */
const securityObject: v.GenericSchema<SecurityObject> = v.strictObject({
  id: guid,
  name: v.nullable(line(SITE_LIMITS.nameLengthMax)),
  children: v.pipe(v.array(v.lazy(() => securityObject)), v.readonly()),
  channelIds: storedValue(channelIds),
});

const storedGroup = v.strictObject({
  id: guid,
  ...storedEntries(without(group, "Rights", "ChannelsAccessOptions")),
  rights: v.strictObject(v.entriesFromList(GROUP_RIGHTS, flag)),
  realtimeChannels: storedAllOr(channelIds, "channel ids"),
  archiveChannels: storedAllOr(channelIds, "channel ids"),
});

const user = v.strictObject({
  id: guid,
  name,
  groupId: guid,
  secret: v.nullable(
    v.pipe(
      v.string("accepted: a stored secret, or null"),
      v.maxLength(SITE_LIMITS.secretLengthMax, "accepted: a stored secret, or null"),
      v.regex(SECRET_PATTERN, "accepted: a stored secret, or null"),
    ),
  ),
});

const siteEntries = {
  id: guid,
  revision: whole(1, Number.MAX_SAFE_INTEGER),
  appliedAtUs: whole(0, Number.MAX_SAFE_INTEGER),
  server: v.strictObject({ id: guid, name }),
  cameras: list(camera, SITE_LIMITS.camerasMax, "cameras"),
  rootSecurityObject: securityObject,
  groups: list(storedGroup, GROUPS_MAX, "groups"),
  users: list(user, USERS_MAX, "users"),
  ...siteSettingsEntries,
};
const siteSchema: v.GenericSchema<Site> = v.strictObject(siteEntries);
const PART_SCHEMAS: ReadonlyMap<string, v.GenericSchema> = new Map(Object.entries(siteEntries));

/** Items of a list that are looked at in one piece: one may be a view of 256 cameras and 128 groups. */
const PIECE_ITEMS = 32;
/** Maximum number of problems listed in one error. */
const PROBLEMS_NAMED_MAX = 5;

/** The schema violations in `data`, as `path: accepted: …`; empty if it is a configuration. Never throws. */
export function shapeProblems(data: unknown): string[] {
  if (isTooDeep(data)) return [`rootSecurityObject: accepted: at most ${SECURITY_OBJECT_DEPTH_MAX} levels`];
  const result = v.safeParse(siteSchema, data);
  if (result.success) return [];
  return result.issues
    .slice(0, PROBLEMS_NAMED_MAX)
    .map((issue) => `${pathText(issue.path)}: ${acceptedText(issue)}`);
}

/**
 * The same for what an edit made of `previous`, which is whole: what is the very same object in it is not looked at again. Yields
 * between pieces of a few milliseconds.
 */
export function* changedShapeProblems(site: Site, previous: Site): Generator<undefined, string[]> {
  const now = new Map<string, unknown>(Object.entries(site));
  const before = new Map<string, unknown>(Object.entries(previous));
  const changed = [...new Set([...now.keys(), ...before.keys()])].filter(
    (name) => now.get(name) !== before.get(name),
  );
  for (const name of changed)
    for (const piece of newIn(now.get(name), before.get(name))) {
      if (!isPart(name, piece)) return shapeProblems(site);
      yield;
    }
  return [];
}

/** Of a list that is no longer than before, the items that are new, in pieces; else all of it. */
function newIn(value: unknown, before: unknown): readonly unknown[] {
  if (!Array.isArray(value) || !Array.isArray(before) || value.length > before.length) return [value];
  const known = new Set<unknown>(before);
  const items = value.filter((item) => !known.has(item));
  const pieces = Math.max(1, Math.ceil(items.length / PIECE_ITEMS));
  return Array.from({ length: pieces }, (_, at) => items.slice(at * PIECE_ITEMS, (at + 1) * PIECE_ITEMS));
}

/** False where it has to be looked at in the whole. */
function isPart(name: string, value: unknown): boolean {
  const schema = PART_SCHEMAS.get(name);
  if (schema === undefined || value === undefined || nestsDeeperThan(value, NESTING_MAX - 1)) return false;
  return v.is(schema, value);
}

/** Whether `data` matches the schema of a configuration. */
export function isSite(data: unknown): data is Site {
  return shapeProblems(data).length === 0;
}

/**
 * Nesting of a configuration without the folders (site, cameras, camera, connection, streams, stream, roles), and per folder.
 */
const NESTING_OUTSIDE_TREE = 7;
const NESTING_PER_FOLDER = 2;
const NESTING_MAX = NESTING_OUTSIDE_TREE + SECURITY_OBJECT_DEPTH_MAX * NESTING_PER_FOLDER;

/** Whether `data` nests deeper than a configuration can. */
export function isTooDeep(data: unknown): boolean {
  return nestsDeeperThan(data, NESTING_MAX);
}

function acceptedText(issue: v.BaseIssue<unknown>): string {
  if (issue.message.startsWith("accepted: ")) return issue.message;
  if (issue.type === "strict_object" && issue.expected === "never") return "unknown member";
  return issue.type === "strict_object" ? "missing, or not an object" : "not of the accepted type";
}

/** `cameras[3].connection.hostname`. Keys are truncated to keep the message short. */
function pathText(path: readonly { readonly key?: unknown }[] | undefined): string {
  const keys = (path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 40)}`,
  );
  return keys.join("").replace(/^\./, "") || "configuration";
}

/**
 * Whether `data`, a JSON value, nests deeper than `depthMax` lists and objects. Works level by level, not recursively, because
 * it protects the recursive checks.
 */
function nestsDeeperThan(data: unknown, depthMax: number): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}
