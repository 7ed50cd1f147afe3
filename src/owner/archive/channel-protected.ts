import type { Principal } from "../../access/index.js";
import type { ProtectedState } from "../../archive/index.js";
import { formatIsoTime, type Guid, NvrdError, parseApiTime, parseGuid } from "../../base/index.js";
import {
  type ProtectedTime,
  type ProtectionLifted,
  protectedTime,
  protectedTimes,
  protectionLifted,
} from "../../contract/answer/index.js";
import { protection } from "../../contract/index.js";
import { shown } from "../../http/index.js";
import { INDEX_IS_OPENING, recordedCamera } from "../../player/index.js";
import {
  answerJson,
  BodyReader,
  channelNameOf,
  Faults,
  jsonAnswer,
  linesUpTo,
  meaning,
  objectOf,
  orNull,
  parseJsonBody,
  type RequestContext,
  type Route,
  type RouteRight,
  raiseArchiveAct,
  schemaOf,
  spanText,
  TIME,
} from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";

const TIME_LENGTH_MAX = 40;

/*
 * The evidence lock: times of a channel whose recordings retention does not delete. Needs the right CanManageRec and the
 * channel's archive. Members as in the other JSON endpoints, times ISO 8601; not in the reference.
 */

const PROTECTED = schemaOf(protectedTime);
const PATH_VALUES = { id: "The channel's id." };
const PROTECTED_ACCESS =
  "The channel must be allowed in the archive. Senior administrators also reach the protected times of deleted cameras.";
const NO_CHANNEL = "There is no such channel.";

const PROTECTED_EXAMPLE: ProtectedTime = {
  Id: "0d9c1f7e-55a4-4f0a-9d3b-7f1d0c0b8a11",
  ChannelId: "22222222-0000-4000-8000-000000000001",
  FromTime: "2026-11-21T09:00:00.0000000Z",
  ToTime: "2026-11-21T09:10:00.0000000Z",
  Comment: "fence climbed, report 12",
  UserId: "66666666-0000-4000-8000-000000000001",
  UserName: "root",
  CreatedTime: "2026-11-21T10:02:11.1200000Z",
  Bytes: 312_400_128,
};

export const PROTECTED_RIGHTS: readonly RouteRight[] = [{ right: "CanManageRec" }];

export const PROTECTED_ROUTES: readonly Route<ArchiveNeeds>[] = [
  {
    method: "GET",
    path: "/api/channels/{id}/protected",
    login: "user",
    rights: PROTECTED_RIGHTS,

    describe: {
      topic: "archive",
      summary: "Lists the channel's protected times, oldest first",
      access: PROTECTED_ACCESS,
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(protectedTimes), "The protected times."),
      errors: { 404: NO_CHANNEL, 503: INDEX_IS_OPENING },
      example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/protected"'],
    },
    /** GET /api/channels/{id}/protected: the channel's protected times, oldest first, with their bytes. */
    async endpoint(context) {
      const channelId = requireChannel(context);
      const states = await context.needs.protection.list(channelId);
      return answerJson(states.map(protectedObject));
    },
  },
  {
    method: "POST",
    path: "/api/channels/{id}/protected",
    login: "user",
    rights: PROTECTED_RIGHTS,

    describe: {
      topic: "archive",
      summary: "Protects recordings from removal (the evidence lock)",
      access: PROTECTED_ACCESS,
      text: [
        "The recordings of the time are kept, whatever their age and however little space there is, until the protection is lifted. What is protected may take up to `protectedPercentMax` (a setting, 30 %) of what a volume may hold.",
      ],
      pathValues: PATH_VALUES,
      body: {
        required: true,
        text: "`FromTime` and `ToTime` are ISO 8601 (UTC without a zone) or `dd.MM.yyyy HH:mm:ss[.fff]`. They are at most 31 days apart, and not in the future.",
        schema: objectOf(
          {
            FromTime: TIME,
            ToTime: TIME,
            Comment: meaning("Line breaks are allowed.", orNull(linesUpTo(protection.Comment.max))),
          },
          ["FromTime", "ToTime"],
        ),
      },
      answer: jsonAnswer(PROTECTED, "The new protected time.", PROTECTED_EXAMPLE),
      errors: {
        404: NO_CHANNEL,
        409: "The times are in the wrong order, more than 31 days apart or in the future; too much would be protected, or there are 1000 protected times. Nothing is protected.",
        503: "The index of recordings is not open yet (`Retry-After`), or the system disk cannot be written.",
      },
      example: [
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/protected" --data \'{',
        '  "FromTime": "\'$FROM\'", "ToTime": "\'$TO\'", "Comment": "fence climbed, report 12"}\'',
      ],
    },
    /** POST /api/channels/{id}/protected: protects FromTime to ToTime; answers the new entry with its Id. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const channelId = requireChannel(context);
      const faults = new Faults();
      const body = new BodyReader(parseJsonBody(request.body), "", faults);
      const fromUs = readTime(body, "FromTime");
      const toUs = readTime(body, "ToTime");
      const comment = body.lines("Comment", protection.Comment.max) ?? "";
      faults.throwIfAny();
      if (fromUs === undefined || toUs === undefined)
        throw new NvrdError("BAD_REQUEST", "FromTime and ToTime are missing");
      const { id: userId, name: userName } = principal.user;
      const state = await needs.protection.protect({ channelId, fromUs, toUs, comment, userId, userName });
      log.info(
        { user: userName, channel: channelId, protected: state.id, fromUs, toUs },
        "recordings protected",
      );
      const reason = comment === "" ? "" : `: ${comment}`;
      const channelName = channelNameOf(context, channelId);
      const eventComment = `${spanText(fromUs, toUs)}${reason}`;
      raiseArchiveAct(context, "archiveProtected", { channelId, channelName, comment: eventComment });
      return answerJson(protectedObject(state));
    },
  },
  {
    method: "DELETE",
    path: "/api/channels/{id}/protected/{protectedid}",
    login: "user",
    rights: PROTECTED_RIGHTS,

    describe: {
      topic: "archive",
      summary: "Lifts the protection of a protected time",
      access: PROTECTED_ACCESS,
      text: ["Retention then deletes the recordings like any others."],
      pathValues: { ...PATH_VALUES, protectedid: "The protected time's id." },
      answer: jsonAnswer(schemaOf(protectionLifted), "The protection is lifted."),
      errors: { 404: "There is no such channel or protected time." },
      example: [
        'PROTECTED="$NVRD/api/channels/$CHANNEL/protected"',
        'ID=$(curl -fsS -u "$AUTH" "$PROTECTED" --data \'{"FromTime": "\'$FROM\'", "ToTime": "\'$TO\'"}\' | member Id)',
        'curl -fu "$AUTH" -X DELETE "$PROTECTED/$ID"',
      ],
    },
    /** DELETE /api/channels/{id}/protected/{protectedId}: lifts one. */
    async endpoint(context) {
      const { needs, principal, pathValues, log } = context;
      const channelId = requireChannel(context);
      const text = pathValues.get("protectedid") ?? "";
      const id = parseGuid(text);
      if (id === undefined || !(await needs.protection.lift(channelId, id))) {
        throw new NvrdError("NOT_FOUND", `channel ${channelId} has no protected time ${shown(text)}`, {
          hint: `see GET /api/channels/${channelId}/protected`,
        });
      }
      log.info({ user: principal.user.name, channel: channelId, protected: id }, "protection lifted");
      const channelName = channelNameOf(context, channelId);
      raiseArchiveAct(context, "archiveProtectionLifted", { channelId, channelName, comment: `entry ${id}` });
      return answerJson<ProtectionLifted>({ Id: id });
    },
  },
];

/** The path's channel. Throws NvrdError NOT_FOUND, or FORBIDDEN if the user may not manage its recordings. */
function requireChannel({ needs, principal, pathValues }: RequestContext<ArchiveNeeds>): Guid {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  if (id === undefined || !exists(needs, principal, id)) {
    throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  }
  if (!principal.mayWatchArchive(id)) {
    throw new NvrdError("FORBIDDEN", "you may not manage the recordings of this channel");
  }
  return id;
}

/** Recordings remain after their camera was deleted: senior administrators still reach their protected times. */
function exists(needs: ArchiveNeeds, principal: Principal, id: Guid): boolean {
  if (principal.group.seniorAdministrators && needs.protection.has(id)) return true;
  return recordedCamera(needs, principal, id) !== undefined;
}

function readTime(body: BodyReader, name: string): number | undefined {
  const text = body.text(name, TIME_LENGTH_MAX);
  if (text === undefined) {
    if (body.value(name) === undefined) body.fault(name, "is missing");
    return undefined;
  }
  return (
    parseApiTime(text) ??
    body.fault(name, "is not a time: write 2026-11-21T09:00:00Z, or 21.11.2026 09:00:00")
  );
}

export function protectedObject(state: ProtectedState): ProtectedTime {
  return {
    Id: state.id,
    ChannelId: state.channelId,
    FromTime: formatIsoTime(state.fromUs),
    ToTime: formatIsoTime(state.toUs),
    Comment: state.comment,
    UserId: state.userId,
    UserName: state.userName,
    CreatedTime: formatIsoTime(state.createdUs),
    Bytes: state.bytes,
  };
}
