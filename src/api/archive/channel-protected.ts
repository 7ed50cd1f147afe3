import type { Principal } from "../../access/index.js";
import type { ProtectedState } from "../../archive/index.js";
import {
  formatIsoTime,
  type Guid,
  NvrdError,
  parseApiTime,
  parseGuid,
  parseIsoTime,
} from "../../base/index.js";
import { shown } from "../../http/index.js";
import {
  answerJson,
  BodyReader,
  channelNameOf,
  type EndpointResult,
  Faults,
  parseJsonBody,
  type RequestContext,
  raiseArchiveAct,
  spanText,
  visibleCameras,
} from "../route/index.js";
import type { ArchiveNeeds } from "./needs.js";

const COMMENT_LENGTH_MAX = 1000;
const TIME_LENGTH_MAX = 40;

/*
 * The evidence lock: times of a channel whose recordings retention leaves alone. Needs the right CanManageRec (route table) and
 * the channel's archive. Members as in the other JSON endpoints, times ISO 8601; not in the reference.
 */

/** GET /api/channels/{id}/protected: the channel's protected times, oldest first, with their bytes. */
export async function getProtected(context: RequestContext<ArchiveNeeds>): Promise<EndpointResult> {
  const channelId = requireChannel(context);
  const states = await context.needs.protection.list(channelId);
  return answerJson(states.map(protectedObject));
}

/** POST /api/channels/{id}/protected: protects FromTime to ToTime; answers the new entry with its Id. */
export async function postProtected(context: RequestContext<ArchiveNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const channelId = requireChannel(context);
  const faults = new Faults();
  const body = new BodyReader(parseJsonBody(request.body), "", faults);
  const fromUs = readTime(body, "FromTime");
  const toUs = readTime(body, "ToTime");
  const comment = body.lines("Comment", COMMENT_LENGTH_MAX) ?? "";
  faults.throwIfAny();
  if (fromUs === undefined || toUs === undefined)
    throw new NvrdError("BAD_REQUEST", "FromTime and ToTime are missing");
  const { id: userId, name: userName } = principal.user;
  const state = await needs.protection.protect({ channelId, fromUs, toUs, comment, userId, userName });
  log.info({ user: userName, channel: channelId, protected: state.id, fromUs, toUs }, "recordings protected");
  const reason = comment === "" ? "" : `: ${comment}`;
  const channelName = channelNameOf(context, channelId);
  const told = `${spanText(fromUs, toUs)}${reason}`;
  raiseArchiveAct(context, "archiveProtected", { channelId, channelName, comment: told });
  return answerJson(protectedObject(state));
}

/** DELETE /api/channels/{id}/protected/{protectedId}: lifts one. */
export async function deleteProtected(context: RequestContext<ArchiveNeeds>): Promise<EndpointResult> {
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
  return answerJson({ Id: id });
}

/** The path's channel. Throws NvrdError NOT_FOUND, or FORBIDDEN when its recordings are not the user's to manage. */
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

/** Recordings outlive their camera: senior administrators reach what was protected of one that is gone. */
function exists({ site, protection }: ArchiveNeeds, principal: Principal, id: Guid): boolean {
  if (visibleCameras(site.current, principal).some((camera) => camera.id === id)) return true;
  return principal.group.seniorAdministrators && protection.has(id);
}

function readTime(body: BodyReader, name: string): number | undefined {
  const text = body.text(name, TIME_LENGTH_MAX);
  if (text === undefined) {
    if (body.value(name) === undefined) body.fault(name, "is missing");
    return undefined;
  }
  return (
    parseIsoTime(text) ??
    parseApiTime(text) ??
    body.fault(name, "is no time: write 2026-11-21T09:00:00Z, or 21.11.2026 09:00:00")
  );
}

function protectedObject(state: ProtectedState): Record<string, unknown> {
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
