import * as v from "valibot";
import type { AwayLock, LockChange } from "../../away/index.js";
import { formatIsoTime, type Guid, NvrdError, parseGuid, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import { ADD_AWAY_TARGET } from "../../compat/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  answerJson,
  channelNameOf,
  DAY_PATTERN,
  FLAG,
  GUID,
  given,
  givenMember,
  guidText,
  ISO_TIME,
  jsonAnswer,
  listOf,
  meaning,
  members,
  NUMBER,
  named,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  raiseArchiveAct,
  readBody,
  schemaOfBody,
  spanText,
  TEXT,
  when,
  withNotes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";
import { PROTECTED_RIGHTS } from "./channel-protected.js";

/*
 * Locks of protected times in the bucket of an away target: the server refuses to delete their recordings, whoever asks. Needs the
 * right CanManageRec and the channel's archive. Not in the reference.
 */

const MODES = { None: "none", Governance: "governance", Compliance: "compliance" } as const;
type ModeName = keyof typeof MODES;
const DAY = v.pipe(
  v.string(),
  v.regex(new RegExp(DAY_PATTERN), "accepted: a day of the calendar, for example 2027-03-01"),
);
const mode = siteValues.oneOf(["None", "Governance", "Compliance"]);
const change = { Mode: v.optional(mode), UntilDay: v.nullish(DAY), LegalHold: v.optional(siteValues.flag) };
const postBody = members({
  ProtectedId: guidText,
  TargetId: given(guidText),
  ...change,
});
const putBody = members(change);
type Change = v.InferOutput<typeof putBody>;

const NOTES = {
  Mode: "`Governance`: may be lifted before its day; `Compliance`: nobody can do that; `None`: only `LegalHold`. Default of POST: `Governance` with `UntilDay`, else `None`.",
  UntilDay: "The last day (UTC) of the lock. Required with a mode.",
  LegalHold: "A hold without an end, beside the mode. Default of POST: false.",
};
const POST_NOTES = {
  ProtectedId: "One of `GET /api/protected`.",
  TargetId: "Null: all targets that are on.",
  ...NOTES,
};
const DAY_OF_MODE = when(
  givenMember("Mode", { enum: ["Governance", "Compliance"] }),
  givenMember("UntilDay", { type: "string" }),
);
const LOCK = named(
  "AwayLock",
  objectOf({
    Id: GUID,
    TargetId: GUID,
    TargetName: TEXT,
    ChannelId: GUID,
    ChannelName: meaning("Empty for a deleted camera.", TEXT),
    FromTime: ISO_TIME,
    ToTime: ISO_TIME,
    Mode: meaning("`None`, `Governance` or `Compliance`.", TEXT),
    UntilTime: meaning("When it ends.", orNull(ISO_TIME)),
    LegalHold: FLAG,
    UserName: meaning("Who locked it. Empty: the target's configuration, with the protection.", TEXT),
    CreatedTime: ISO_TIME,
    IsLifted: meaning("Its recordings are released, those that another lock holds excepted.", FLAG),
    Segments: meaning("Recordings of its time that are in the bucket.", NUMBER),
    Done: meaning("Of them those that the server says are locked, or released.", NUMBER),
    IsCounting: meaning("Some days have not been looked through yet.", FLAG),
    Problem: meaning("Why nothing is locked or released, and what to do.", orNull(TEXT)),
  }),
);
const ACCESS = "The channel must be allowed in the archive.";

export const AWAY_LOCK_ROUTES: readonly Route<ArchiveNeeds>[] = [
  {
    login: "user",
    rights: PROTECTED_RIGHTS,
    method: "GET",
    path: "/api/away/locks",
    describe: {
      topic: "archive",
      summary: "Lists the locks of recordings in object storage",
      access:
        "Of channels that are allowed in the archive; for senior administrators also those of deleted cameras.",
      text: ["An addition of nvrd's. Of away targets that are on. [Evidence](../guide/away.md#evidence)."],
      answer: jsonAnswer(listOf(LOCK), "The locks, the newest first."),
      example: ['curl -fu "$AUTH" "$NVRD/api/away/locks"'],
    },
    /** GET /api/away/locks: the locks of channels whose recordings the user may manage. */
    async endpoint(context) {
      const locks = context.needs.away.locks().filter(({ channelId }) => mayManage(context, channelId));
      const newestFirst = [...locks].sort((a, b) => b.createdUs - a.createdUs);
      return answerJson(newestFirst.map((lock) => lockObject(context, lock)));
    },
  },
  {
    login: "user",
    rights: PROTECTED_RIGHTS,
    method: "POST",
    path: "/api/away/locks",
    describe: {
      topic: "archive",
      summary: "Locks the recordings of a protected time in object storage",
      access: ACCESS,
      text: [
        "An addition of nvrd's. The recordings of the time that are in the bucket, and those that come there later, get an object lock: until it ends the server refuses to delete them, also for the recorder's own key. The bucket must have been created with object lock. The lock does not end with the protection of the time.",
      ],
      body: {
        required: true,
        schema: { ...withNotes(schemaOfBody(postBody), POST_NOTES), allOf: [DAY_OF_MODE] },
      },
      answer: jsonAnswer(listOf(LOCK), "The new locks, one for each target. Their recordings follow."),
      errors: {
        404: "There is no such protected time, or no such target is on.",
        409: "The bucket has no object lock, `UntilDay` is over, or nothing would be locked.",
      },
      example: [
        'PROTECTED="$NVRD/api/channels/$CHANNEL/protected"',
        'ID=$(curl -fsS -u "$AUTH" "$PROTECTED" --data \'{"FromTime": "\'$FROM\'", "ToTime": "\'$TO\'"}\' | member Id)',
        ...ADD_AWAY_TARGET,
        'LOCK=$(curl -fsSu "$AUTH" "$NVRD/api/away/locks" --data \'{',
        '  "ProtectedId": "\'$ID\'", "UntilDay": "2030-12-31", "LegalHold": true }\' | member Id)',
      ],
    },
    /** POST /api/away/locks: locks a protected time. */
    async endpoint(context) {
      const { needs, principal, request } = context;
      const input = readBody(postBody, request.body);
      const range = needs.protection
        .channels()
        .flatMap((channelId) => needs.protection.ranges(channelId))
        .find(({ id, channelId }) => id === input.ProtectedId && mayManage(context, channelId));
      if (range === undefined)
        throw new NvrdError("NOT_FOUND", `there is no protected time ${input.ProtectedId}`, {
          hint: "see GET /api/protected",
        });
      const targets = input.TargetId ? [input.TargetId] : needs.away.states().map(({ id }) => id);
      if (targets.length === 0)
        throw new NvrdError("NOT_FOUND", "no away target is on", { hint: "see POST /configure/away" });
      const untilUs = endOf(input.UntilDay);
      const { channelId, fromUs, toUs, comment } = range;
      const chosen = input.Mode === undefined ? (untilUs > 0 ? "Governance" : "None") : input.Mode;
      requireDay(chosen, untilUs);
      const made: AwayLock[] = [];
      for (const targetId of targets) {
        const lock = await needs.away.lock(targetId, {
          ...{ channelId, fromUs, toUs, comment, userName: principal.user.name },
          ...{ mode: MODES[chosen], untilUs, isHeld: input.LegalHold ?? false },
        });
        report(context, "awayLocked", lock);
        made.push(lock);
      }
      return answerJson(made.map((lock) => lockObject(context, lock)));
    },
  },
  {
    login: "user",
    rights: PROTECTED_RIGHTS,
    method: "PUT",
    path: "/api/away/locks/{id}",
    describe: {
      topic: "archive",
      summary: "Changes a lock of recordings in object storage",
      access: ACCESS,
      text: ["An addition of nvrd's. Members that are left out stay as they are."],
      pathValues: { id: "The lock's id." },
      body: { required: true, schema: withNotes(schemaOfBody(putBody), NOTES) },
      answer: jsonAnswer(LOCK, "The lock."),
      errors: {
        404: "There is no such lock.",
        409: "A lock in compliance mode cannot be shortened or weakened before it ends.",
      },
      example: ['curl -fu "$AUTH" -X PUT "$NVRD/api/away/locks/$LOCK" --data \'{ "LegalHold": false }\''],
    },
    /** PUT /api/away/locks/{id}: a longer or stricter lock, or a weaker one where that may be. */
    async endpoint(context) {
      const { needs, request } = context;
      const before = requireLock(context);
      const input = readBody(putBody, request.body);
      const wanted = changeOf(input);
      requireDay(nameOf(wanted.mode ?? before.mode), wanted.untilUs ?? before.untilUs);
      const lock = await needs.away.changeLock(before.id, wanted);
      report(context, isWeaker(before, lock) ? "awayLockLifted" : "awayLocked", lock);
      return answerJson(lockObject(context, lock));
    },
  },
  {
    login: "user",
    rights: PROTECTED_RIGHTS,
    method: "DELETE",
    path: "/api/away/locks/{id}",

    describe: {
      topic: "archive",
      summary: "Lifts a lock of recordings in object storage",
      access: ACCESS,
      text: [
        "An addition of nvrd's. The hold is taken off, and a lock in governance mode ends a minute later. The recordings stay until something deletes them.",
      ],
      pathValues: { id: "The lock's id." },
      answer: jsonAnswer(LOCK, "The lock, with `IsLifted`; its recordings follow."),
      errors: {
        404: "There is no such lock.",
        409: "A lock in compliance mode cannot be lifted before it ends.",
      },
      example: [
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/away/locks/$LOCK"',
        'curl -fu "$AUTH" -X DELETE "$NVRD/configure/away/$CELLAR"',
      ],
    },
    /** DELETE /api/away/locks/{id}: releases its recordings. */
    async endpoint(context) {
      const lock = await context.needs.away.liftLock(requireLock(context).id);
      report(context, "awayLockLifted", lock);
      return answerJson(lockObject(context, lock));
    },
  },
];

function isWeaker(before: AwayLock, now: AwayLock): boolean {
  if (before.isHeld && !now.isHeld) return true;
  const rank = ({ mode }: AwayLock): number => Object.values(MODES).indexOf(mode);
  if (rank(now) !== rank(before)) return rank(now) < rank(before);
  return now.mode !== "none" && now.untilUs < before.untilUs;
}

function changeOf({ Mode, UntilDay, LegalHold }: Change): LockChange {
  return {
    ...(Mode === undefined ? {} : { mode: MODES[Mode] }),
    ...(UntilDay ? { untilUs: endOf(UntilDay) } : {}),
    ...(LegalHold === undefined ? {} : { isHeld: LegalHold }),
  };
}

/** 0: none. */
function endOf(day: string | null | undefined): number {
  return day ? Date.parse(`${day}T00:00:00Z`) * US_PER_MS + US_PER_DAY : 0;
}

function requireDay(name: ModeName, untilUs: number): void {
  if (name !== "None" && untilUs === 0)
    throw new NvrdError("BAD_REQUEST", `UntilDay is missing: a lock with Mode ${name} ends some day`);
}

/** Throws NvrdError NOT_FOUND also for one of a channel that is not the user's. */
function requireLock(context: RequestContext<ArchiveNeeds>): AwayLock {
  const text = context.pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const lock = context.needs.away
    .locks()
    .find((known) => known.id === id && !known.isLifted && mayManage(context, known.channelId));
  if (lock === undefined)
    throw new NvrdError("NOT_FOUND", `there is no lock ${shown(text)}`, { hint: "see GET /api/away/locks" });
  return lock;
}

function mayManage({ needs, principal }: RequestContext<ArchiveNeeds>, channelId: Guid): boolean {
  if (!principal.mayWatchArchive(channelId)) return false;
  if (principal.group.seniorAdministrators) return true;
  return visibleCameras(needs.site.current, principal).some(({ id }) => id === channelId);
}

function report(
  context: RequestContext<ArchiveNeeds>,
  act: "awayLocked" | "awayLockLifted",
  lock: AwayLock,
): void {
  const { channelId, fromUs, toUs, targetName } = lock;
  const kind = [
    ...(lock.mode === "none" ? [] : [`${nameOf(lock.mode)} until ${formatIsoTime(lock.untilUs)}`]),
    ...(lock.isHeld ? ["legal hold"] : []),
  ].join(", ");
  const comment = `${targetName}: ${spanText(fromUs, toUs)}: ${lock.isLifted ? "lifted" : kind}`;
  const { log, principal } = context;
  log.info(
    { user: principal.user.name, channel: channelId, lock: lock.id, act },
    "lock of recordings changed",
  );
  raiseArchiveAct(context, act, { channelId, channelName: channelNameOf(context, channelId), comment });
}

function nameOf(value: AwayLock["mode"]): ModeName {
  return value === "governance" ? "Governance" : value === "compliance" ? "Compliance" : "None";
}

function lockObject(context: RequestContext<ArchiveNeeds>, lock: AwayLock): Record<string, unknown> {
  return {
    Id: lock.id,
    TargetId: lock.targetId,
    TargetName: lock.targetName,
    ChannelId: lock.channelId,
    ChannelName: channelNameOf(context, lock.channelId),
    FromTime: formatIsoTime(lock.fromUs),
    ToTime: formatIsoTime(lock.toUs),
    Mode: nameOf(lock.mode),
    UntilTime: lock.mode === "none" ? null : formatIsoTime(lock.untilUs),
    LegalHold: lock.isHeld,
    UserName: lock.userName,
    CreatedTime: formatIsoTime(lock.createdUs),
    IsLifted: lock.isLifted,
    Segments: lock.segments,
    Done: lock.done,
    IsCounting: lock.isCounting,
    Problem: lock.problem ?? null,
  };
}
