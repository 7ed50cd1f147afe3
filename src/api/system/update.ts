import { formatIsoTime, NvrdError } from "../../base/index.js";
import type { UpdateState } from "../../update/index.js";
import { answerJson, type EndpointResult, type RequestContext, type Route } from "../route/index.js";
import { UPDATE_DESCRIPTION, UPDATE_STATE_DESCRIPTION } from "./describe-update.js";
import type { SystemNeeds } from "./needs.js";

/** GET /api/update: how far an update is, and which version and slot run; our addition. */
export function getUpdate({ needs }: RequestContext<SystemNeeds>): EndpointResult {
  return answerJson(updateObject(needs.updates.state, needs.version));
}

/** POST /api/update: the body is the bundle as it is. Answers when it is checked and handed over. */
export async function postUpdate(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const { bodyStream } = request;
  if (bodyStream === undefined) throw new NvrdError("INTERNAL", "the body did not come as a stream");
  const { bytes } = bodyStream;
  const upload = { chunks: bodyStream, ...(bytes === undefined ? {} : { bytes }) };
  const state = await needs.updates.receive(upload, `${principal.user.name} from ${request.address}`);
  return answerJson(updateObject(state, needs.version));
}

function updateObject(state: UpdateState, running: string): Record<string, unknown> {
  const { supported, phase, percent, message, version, fromVersion, slot, sinceUs } = state;
  return {
    Supported: supported,
    RunningVersion: running,
    Slot: slot,
    Phase: phase,
    Percent: percent,
    Message: message,
    Version: version,
    FromVersion: fromVersion,
    Since: sinceUs === null ? null : formatIsoTime(sinceUs),
  };
}

export const UPDATE_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/update",
    login: "administrator",
    endpoint: getUpdate,
    describe: UPDATE_STATE_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/update",
    login: "administrator",
    streamsBody: true,
    endpoint: postUpdate,
    describe: UPDATE_DESCRIPTION,
  },
];
