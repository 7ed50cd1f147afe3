import type { MaskState } from "../../camera/index.js";
import { type CameraMasks, cameraMasks } from "../../contract/answer/index.js";
import { privacyMasks, privacyMasksTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  jsonAnswer,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  untilGone,
  withNotes,
} from "../../route/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/* Privacy masks that cameras draw themselves, by ONVIF Media2; not in the reference. */

const body = readerOf(privacyMasks);
const ERRORS = {
  ...NO_CHANNEL,
  429: "The camera's masks are being read or changed.",
  501: "The camera offers no privacy masks by ONVIF.",
  503: "The camera does not answer, or refuses; the text says why.",
};
const PATH = "/api/channels/{id}/masks";

export const MASK_ROUTES: readonly Route<ChannelNeeds>[] = [
  {
    method: "GET",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Lists the privacy masks of an ONVIF camera",
      text: ["An addition of nvrd's. The camera is asked (Media2)."],
      pathValues: CHANNEL_PATH_VALUES,
      answer: jsonAnswer(schemaOf(cameraMasks), "The masks, and what the camera takes."),
      errors: ERRORS,
      example: [
        "# Where the camera has no masks: 501.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/masks"',
      ],
    },
    /** GET /api/channels/{id}/masks */
    async endpoint(context) {
      const camera = cameraOfPath(context);
      return answerJson<CameraMasks>(
        masksObject(await context.needs.masks.of(camera.id, untilGone(context))),
      );
    },
  },
  {
    method: "PUT",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Replaces the privacy masks of an ONVIF camera",
      text: [
        "An addition of nvrd's. The camera hides these parts in the pictures that it sends from then on; what is recorded already stays as it is. Masks that are as they were are not touched. The answer is what the camera has afterwards. The change is the event `privacyMasksChanged` with the user's name.",
      ],
      pathValues: CHANNEL_PATH_VALUES,
      body: {
        required: true,
        schema: withNotes(schemaOfBody(body), notesOf(privacyMasks, privacyMasksTexts)),
      },
      answer: jsonAnswer(schemaOf(cameraMasks), "What the camera has now."),
      errors: { ...ERRORS, 409: "The camera has other masks meanwhile: a `Mask` of the list is not there." },
      example: [
        "# Where the camera has no masks: 501.",
        'curl -fu "$AUTH" -X PUT "$NVRD/api/channels/$CHANNEL/masks" --data \'{ "Masks": [{ "Points": [{ "X": 0, "Y": 0 }, { "X": 0.2, "Y": 0 }, { "X": 0.2, "Y": 0.3 }, { "X": 0, "Y": 0.3 }] }] }\'',
      ],
    },
    /** PUT /api/channels/{id}/masks */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const camera = cameraOfPath(context);
      const wanted = (readBody(body, request.body).Masks ?? []).map(({ Mask, Points, IsEnabled }) => ({
        token: Mask ?? undefined,
        points: (Points ?? []).map(({ X, Y }) => ({ x: X ?? 0, y: Y ?? 0 })),
        isEnabled: IsEnabled ?? true,
      }));
      const state = await needs.masks.replace(camera.id, wanted, untilGone(context));
      const { id, name } = principal.user;
      needs.events.raise({
        typeId: EVENT_TYPES.privacyMasksChanged.id,
        channelId: camera.id,
        channelName: camera.name,
        comment: `${state.masks.filter(({ isEnabled }) => isEnabled).length}`,
        initiator: { type: 1, id, name },
      });
      return answerJson<CameraMasks>(masksObject(state));
    },
  },
];

function masksObject({ offer, masks }: MaskState): CameraMasks {
  return {
    ...{ MasksMax: offer.masksMax, PointsMax: offer.pointsMax, IsRectangleOnly: offer.isRectangleOnly },
    Masks: masks.map(({ token, points, isEnabled }) => ({
      ...{ Mask: token, IsEnabled: isEnabled },
      Points: points.map(({ x, y }) => ({ X: x, Y: y })),
    })),
  };
}
