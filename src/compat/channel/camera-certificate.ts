import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import type { CameraKey } from "../../camera/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  listOf,
  meaning,
  members,
  objectOf,
  orNull,
  type Route,
  readBody,
  schemaOfBody,
  TEXT,
  WHOLE,
  withNotes,
} from "../../route/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/* The keys of cameras' certificates, and accepting a new one; not in the reference. */

const body = members({ Sha256: v.pipe(v.string(), v.toLowerCase(), v.regex(/^[0-9a-f]{64}$/)) });

const KEYS = jsonAnswer(
  listOf(
    objectOf({
      Port: meaning("The camera's port.", WHOLE),
      Sha256: meaning("SHA-256 of the public key that is expected there, hexadecimal.", TEXT),
      Offered: meaning(
        "The key that the camera shows instead, while it is not accepted: then it is not sent the login, and the stream is lost with the cause `certificate-changed`. Else null.",
        orNull(TEXT),
      ),
    }),
  ),
  "The keys, by port; empty before the first secure connection.",
);

const PATH = "/api/channels/{id}/certificate";

export const CERTIFICATE_ROUTES: readonly Route<ChannelNeeds>[] = [
  {
    method: "GET",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Lists the keys of the certificates that the camera showed",
      text: [
        "An addition of nvrd's. The key that a camera shows at its first secure connection is expected from then on. A certificate that is renewed with the same key is the same.",
      ],
      pathValues: CHANNEL_PATH_VALUES,
      answer: KEYS,
      errors: NO_CHANNEL,
      example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/certificate"'],
    },
    /** GET /api/channels/{id}/certificate */
    endpoint(context) {
      return keysAnswer(context.needs.cameraKeys.of(cameraOfPath(context)));
    },
  },
  {
    method: "POST",
    path: PATH,
    login: "administrator",
    describe: {
      topic: "channel",
      summary: "Accepts the key that the camera shows instead of the expected one",
      text: [
        "An addition of nvrd's. For senior administrators: who accepts the key of another device sends it the camera's login. It holds for all channels of the device. Each acceptance is the event `cameraKeyAccepted` with the user's name.",
      ],
      pathValues: CHANNEL_PATH_VALUES,
      body: {
        required: true,
        schema: withNotes(schemaOfBody(body), { Sha256: "`Offered` of the list." }),
      },
      answer: KEYS,
      errors: { ...NO_CHANNEL, 409: "The camera does not show this key: list them again." },
      example: [
        "# Where the camera shows no other key: 409.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/certificate" --data \'{ "Sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }\'',
      ],
    },
    /** POST /api/channels/{id}/certificate */
    endpoint(context) {
      const { needs, request, principal } = context;
      const camera = cameraOfPath(context);
      const { Sha256 }: v.InferOutput<typeof body> = readBody(body, request.body);
      if (!needs.cameraKeys.accept(camera, Sha256))
        throw new NvrdError("CONFLICT", "the camera does not show this key: read again which it shows");
      const { id, name } = principal.user;
      needs.events.raise({
        typeId: EVENT_TYPES.cameraKeyAccepted.id,
        channelId: camera.id,
        channelName: camera.name,
        comment: Sha256,
        initiator: { type: 1, id, name },
      });
      return keysAnswer(needs.cameraKeys.of(camera));
    },
  },
];

function keysAnswer(keys: readonly CameraKey[]): EndpointResult {
  return answerJson(
    keys.map(({ port, sha256, offered }) => ({ Port: port, Sha256: sha256, Offered: offered ?? null })),
  );
}
