import { createHash } from "node:crypto";
import * as v from "valibot";
import { type Guid, guidFromBytes } from "../../base/index.js";
import { exactGuid, keptKind } from "../../kept/index.js";

/** Volumes remembered as those that hold the list. */
const VOLUMES_MAX = 256;

const timeUs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const rangeSchema = v.pipe(
  v.object({
    id: exactGuid,
    channelId: exactGuid,
    fromUs: timeUs,
    toUs: timeUs,
    comment: v.string(),
    userId: exactGuid,
    userName: v.string(),
    createdUs: timeUs,
    ofId: v.optional(exactGuid),
  }),
  v.check(({ fromUs, toUs }) => fromUs < toUs, "ends before it starts"),
);
const fileSchema = v.object({
  ranges: v.array(v.unknown()),
  listId: v.optional(exactGuid),
  revision: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  isPartial: v.optional(v.boolean()),
  volumes: v.optional(v.pipe(v.array(exactGuid), v.maxLength(VOLUMES_MAX))),
  digest: v.optional(v.string()),
});

/** One protected time of a channel: its recordings stay until it is lifted. */
export interface ProtectedRange {
  readonly id: Guid;
  readonly channelId: Guid;
  readonly fromUs: number;
  readonly toUs: number;
  readonly comment: string;
  /** Who protected it, and when. */
  readonly userId: Guid;
  readonly userName: string;
  readonly createdUs: number;
  /** It says of a given recording what the time of this id says of all that its camera has. */
  readonly ofId?: Guid | undefined;
}

/** The protected times as they are stored, in the data directory and on each volume. */
export interface ProtectedList {
  /** Names the list of one recorder; undefined where an earlier version wrote it. */
  readonly listId: Guid | undefined;
  /** Of two lists of one recorder, the one with the higher revision is the later one. */
  readonly revision: number;
  readonly ranges: readonly ProtectedRange[];
  /** Volumes that hold this list, too. */
  readonly volumes: readonly Guid[];
  /** What is not known of it, in words; undefined: it is whole. */
  readonly lack: string | undefined;
}

/** What a list lacks that was written while it was not known: the damaged one was set aside then. */
export const LACK_KEPT = "some protected times were lost before";

/** Each entry by itself. */
function listOf(kept: v.InferOutput<typeof fileSchema>): ProtectedList {
  const ranges: ProtectedRange[] = [];
  let fault: string | undefined;
  for (const [at, entry] of kept.ranges.entries()) {
    const parsed = v.safeParse(rangeSchema, entry);
    if (parsed.success) ranges.push(parsed.output);
    else fault ??= `entry ${at + 1} of ${kept.ranges.length} is damaged: ${parsed.issues[0].message}`;
  }
  if (kept.digest !== undefined && kept.digest !== digestOf(kept.ranges))
    fault ??= "its entries are not those that were written";
  if (kept.isPartial === true) fault ??= LACK_KEPT;
  const { listId, revision = 0, volumes = [] } = kept;
  return { listId, revision, ranges, volumes, lack: fault };
}

/** In the data directory, and on each volume. A list that was saved with a lack is as it was written. */
export const PROTECTED_KIND = keptKind({
  name: "protected.json",
  says: "the evidence lock; also on each volume, which completes it",
  policy: "refuse",
  damaged: "protected times cannot be read",
  stopsIfNewer: true,
  schema: v.pipe(fileSchema, v.transform(listOf)),
  lackOf: ({ lack }) => (lack === LACK_KEPT ? undefined : lack),
  copies: 2,
  indent: 2,
});

export function protectedContent(list: ProtectedList): v.InferInput<typeof fileSchema> {
  const { listId, revision, ranges, volumes, lack } = list;
  return {
    ...(listId === undefined ? {} : { listId }),
    revision,
    ...(lack === undefined ? {} : { isPartial: true }),
    ...(volumes.length === 0 ? {} : { volumes: volumes.slice(-VOLUMES_MAX) }),
    digest: digestOf(ranges),
    ranges: [...ranges],
  };
}

/** The entries of all lists, each once: those of the first ones win. */
export function joinedRanges(lists: readonly Pick<ProtectedList, "ranges">[]): ProtectedRange[] {
  const byId = new Map<Guid, ProtectedRange>();
  for (const { ranges } of lists)
    for (const range of ranges) if (!byId.has(range.id)) byId.set(range.id, range);
  return [...byId.values()];
}

/**
 * The entries, and what they hold for beside their own channel: who reads the list may not know whose recordings belong to whom.
 * `alsoOf`: the other channels that times of a channel hold for.
 */
export function spelledOut(
  ranges: readonly ProtectedRange[],
  alsoOf: (channelId: Guid) => readonly Guid[],
): ProtectedRange[] {
  const own = ranges.filter(({ ofId }) => ofId === undefined);
  const others = own.flatMap((range) =>
    alsoOf(range.channelId).map((channelId) => ({
      ...range,
      ...{ id: idFor(range.id, channelId), channelId, ofId: range.id },
    })),
  );
  return joinedRanges([{ ranges }, { ranges: others }]);
}

/** The same each time, so that an entry that comes back is known. */
function idFor(rangeId: Guid, channelId: Guid): Guid {
  return guidFromBytes(createHash("sha256").update(`${rangeId} ${channelId}`).digest());
}

/** Detects changed digits in a list that still parses. */
function digestOf(ranges: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(ranges)).digest("hex").slice(0, 32);
}
