import { formatIsoTime, NvrdError } from "../../base/index.js";
import { reasonText } from "../../recording/index.js";
import {
  answerJson,
  BodyReader,
  Faults,
  FLAG,
  GUID,
  ISO_TIME,
  jsonAnswer,
  meaning,
  objectOf,
  orNull,
  parseJsonBody,
  type RequestContext,
  type Route,
  type RouteRight,
  TEXT,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/*
 * Recording started and stopped by users (modes OnlyManual and MDandManual). Needs the right CanManageRec and a
 * channel the user may see; not in the reference.
 */

const RECORDING = {
  ChannelId: GUID,
  Recording: meaning("The channel is to be recorded now, whatever the mode and reason.", FLAG),
  IsRecordingOn: meaning(
    "Frames are written to the disk now. False in the first second, and while the camera is lost or the disk cannot be written.",
    FLAG,
  ),
  ArchivingMode: TEXT,
  Reason: meaning("Why it is to be recorded; null if it is not.", orNull(TEXT)),
  SwitchedOn: meaning("A user switched it on.", FLAG),
  SwitchedOnBy: orNull(TEXT),
  SwitchedOnTime: orNull(ISO_TIME),
};
const RECORDING_ACCESS = "The user must see the channel.";

const RECORDING_EXAMPLE = {
  ChannelId: "22222222-0000-4000-8000-000000000001",
  Recording: true,
  IsRecordingOn: true,
  ArchivingMode: "OnlyManual",
  Reason: "started by root",
  SwitchedOn: true,
  SwitchedOnBy: "root",
  SwitchedOnTime: "2026-11-21T09:00:00.0000000Z",
};

const RIGHTS: readonly RouteRight[] = [{ right: "CanManageRec" }];

export const RECORDING_ROUTES: readonly Route<ChannelNeeds>[] = [
  {
    method: "GET",
    path: "/api/channels/{id}/recording",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "channel",
      summary: "Reports whether the channel is recorded, and why",
      access: RECORDING_ACCESS,
      pathValues: CHANNEL_PATH_VALUES,
      answer: jsonAnswer(objectOf(RECORDING), "The state of the recording.", RECORDING_EXAMPLE),
      errors: NO_CHANNEL,
      example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/recording"'],
    },
    /** GET /api/channels/{id}/recording: whether the channel is recorded, and why. */
    endpoint(context) {
      return answerJson(recordingObject(context, cameraOfPath(context)));
    },
  },
  {
    method: "POST",
    path: "/api/channels/{id}/recording",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "channel",
      summary: "Starts or stops the recording of a channel with the mode OnlyManual or MDandManual",
      access: RECORDING_ACCESS,
      text: [
        "It takes effect at once. The recording begins with the key frame at or before the request; in the mode `MDandManual`, `PreMotionDetectionRecSecs` earlier. It continues after a restart, until a user stops it, the mode becomes one without a manual part, or the channel is deleted. With `MDandManual`, false stops only the user's part: motion is still recorded.",
      ],
      pathValues: CHANNEL_PATH_VALUES,
      body: {
        required: true,
        schema: objectOf({ Recording: meaning("True starts the recording, false stops it.", FLAG) }),
      },
      answer: jsonAnswer(
        objectOf({
          ...RECORDING,
          KeptOverRestart: meaning(
            "False: the system disk could not be written, and the switch is lost at a restart of the service.",
            FLAG,
          ),
        }),
        "The state of the recording now.",
        { ...RECORDING_EXAMPLE, KeptOverRestart: true },
      ),
      errors: { ...NO_CHANNEL, 409: "The mode is another one, or the channel or its archiving is disabled." },
      example: [
        "# Where it is recorded always: 409.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/recording" --data \'{"Recording": true}\'',
      ],
    },
    /** POST /api/channels/{id}/recording: `{"Recording": true}` starts it, false stops it; answers as GET. */
    async endpoint(context) {
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
      log.info({ user: userName, channel: camera.id, on, kept }, "recording switched manually");
      return answerJson({ ...recordingObject(context, camera), KeptOverRestart: kept });
    },
  },
];

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
