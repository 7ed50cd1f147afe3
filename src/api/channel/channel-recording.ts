import { formatIsoTime, NvrdError, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { reasonText } from "../../recording/index.js";
import type { Camera } from "../../site/index.js";
import {
  answerJson,
  BodyReader,
  type EndpointResult,
  Faults,
  parseJsonBody,
  type RequestContext,
  visibleCameras,
} from "../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/*
 * Recording started and stopped by users (modes OnlyManual and MDandManual). Needs the right CanManageRec (route table)
 * and a channel the user may see; not in the reference.
 */

/** GET /api/channels/{id}/recording: whether the channel is recorded, and why. */
export function getRecording(context: RequestContext<ChannelNeeds>): EndpointResult {
  return answerJson(recordingObject(context, cameraOfPath(context)));
}

/** POST /api/channels/{id}/recording: `{"Recording": true}` starts it, false stops it; answers as GET. */
export async function postRecording(context: RequestContext<ChannelNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const camera = cameraOfPath(context);
  const faults = new Faults();
  const body = new BodyReader(parseJsonBody(request.body), "", faults);
  const on = body.boolean("Recording");
  if (on === undefined && body.value("Recording") === undefined)
    body.fault("Recording", "is required: true starts recording, false stops it");
  faults.throwIfAny();
  if (on === undefined) throw new NvrdError("BAD_REQUEST", "Recording is missing");
  const { id: userId, name: userName } = principal.user;
  const kept = await needs.recording.switchManually({ channelId: camera.id, on, userId, userName });
  log.info({ user: userName, channel: camera.id, on, kept }, "recording switched by hand");
  return answerJson({ ...recordingObject(context, camera), KeptOverRestart: kept });
}

/** The path's channel. Throws NvrdError NOT_FOUND when it names none that exists for this user. */
function cameraOfPath({ needs, principal, pathValues }: RequestContext<ChannelNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((candidate) => candidate.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  return camera;
}

function recordingObject({ needs }: RequestContext<ChannelNeeds>, camera: Camera): Record<string, unknown> {
  const { reason, isRecording } = needs.recording.state(camera.id);
  const by = needs.recording.manualSwitch(camera.id);
  return {
    ChannelId: camera.id,
    Recording: reason !== undefined,
    IsRecordingOn: isRecording,
    ArchivingMode: camera.archive.archivingMode,
    Reason: reason === undefined ? null : reasonText(reason),
    SwitchedOn: by !== undefined,
    SwitchedOnBy: by?.userName ?? null,
    SwitchedOnTime: by === undefined ? null : formatIsoTime(by.sinceUs),
  };
}
