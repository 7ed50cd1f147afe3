import type * as v from "valibot";
import type { RelayOutput } from "../../camera/index.js";
import {
  type CamerasOutputs,
  camerasOutputs,
  type OutputSwitched,
  type Outputs,
  outputSwitched,
  outputs,
} from "../../contract/answer/index.js";
import { outputName, outputSeconds } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  given,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  untilGone,
  withNotes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/* The digital outputs (relays) of cameras; not in the reference. Others than administrators use scenarios. */

const body = members({
  Output: readerOfValue(outputName),
  IsOn: siteValues.flag,
  Seconds: given(readerOfValue(outputSeconds)),
});

const ERRORS = {
  ...NO_CHANNEL,
  409: "`IoProcessingEnabled` of the camera is off.",
  429: "Too many requests wait for the camera.",
  501: "The camera has no outputs that ONVIF switches.",
  503: "The camera does not answer, or refuses; the text says why.",
};

const PATH = "/api/channels/{id}/outputs";

export const OUTPUT_ROUTES: readonly Route<ChannelNeeds>[] = [
  {
    method: "GET",
    path: "/api/outputs",
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Lists the digital outputs (relays) of all cameras",
      text: [
        "An addition of nvrd's: those of ONVIF cameras with `IoProcessingEnabled`. Each camera is asked once, and again when it has been away or has another login; none is waited for longer than two seconds.",
      ],
      answer: jsonAnswer(schemaOf(camerasOutputs), "The cameras."),
      example: ['curl -fu "$AUTH" "$NVRD/api/outputs"'],
    },
    /** GET /api/outputs */
    async endpoint({ needs }) {
      const known = await needs.relays.known();
      return answerJson<CamerasOutputs>(
        known.map(({ channelId, outputs }) => ({
          ChannelId: channelId,
          Outputs: outputs === undefined ? null : listed(outputs),
        })),
      );
    },
  },
  {
    method: "GET",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Lists the digital outputs (relays) of an ONVIF camera",
      text: ["An addition of nvrd's. The camera is asked."],
      pathValues: CHANNEL_PATH_VALUES,
      answer: jsonAnswer(schemaOf(outputs), "The outputs."),
      errors: ERRORS,
      example: [
        "# Where the camera has no outputs: 409.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/outputs"',
      ],
    },
    /** GET /api/channels/{id}/outputs */
    async endpoint(context) {
      const camera = cameraOfPath(context);
      const known = await context.needs.relays.outputs(camera.id, untilGone(context));
      return answerJson<Outputs>(listed(known));
    },
  },
  {
    method: "POST",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Switches a digital output (relay) of an ONVIF camera",
      text: [
        "An addition of nvrd's. For senior administrators: an output may open a door. Others run [scenarios](#scenarios) that administrators have written. Each switching is the event `outputSwitched` with the user's name.",
      ],
      pathValues: CHANNEL_PATH_VALUES,
      body: {
        required: true,
        schema: withNotes(schemaOfBody(body), {
          Output: "One of the list.",
          IsOn: "True: active.",
          Seconds:
            "After so many seconds it is switched back, also when the service stops before, but not after a crash. Null or absent: it stays.",
        }),
      },
      answer: jsonAnswer(schemaOf(outputSwitched), "What was done."),
      errors: { ...ERRORS, 404: "There is no such channel or output." },
      example: [
        "# Where the camera has no outputs: 409.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/outputs" --data \'{ "Output": "relay_1", "IsOn": true, "Seconds": 5 }\'',
      ],
    },
    /** POST /api/channels/{id}/outputs */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const camera = cameraOfPath(context);
      const { Output, IsOn, Seconds }: v.InferOutput<typeof body> = readBody(body, request.body);
      const seconds = Seconds ?? undefined;
      const asked = { channelId: camera.id, output: Output, isOn: IsOn, seconds };
      await needs.relays.switch({ ...asked, signal: untilGone(context) });
      const { id, name } = principal.user;
      needs.events.raise({
        typeId: EVENT_TYPES.outputSwitched.id,
        channelId: camera.id,
        channelName: camera.name,
        comment: `${Output} ${IsOn ? "on" : "off"}${seconds === undefined ? "" : ` for ${seconds} s`}`,
        initiator: { type: 1, id, name },
      });
      return answerJson<OutputSwitched>({ ChannelId: camera.id, Output, IsOn, Seconds: seconds ?? null });
    },
  },
];

function listed(known: readonly RelayOutput[]): Outputs {
  return known.map(({ token, pulseSeconds }) => ({ Output: token, PulseSeconds: pulseSeconds ?? null }));
}
