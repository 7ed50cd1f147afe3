import {
  by,
  choice,
  flag,
  group,
  id,
  line,
  list,
  NAME_LENGTH_MAX,
  name,
  needed,
  nullable,
  secret,
  sparse,
  storedAs,
  whole,
  word,
  writeOnly,
} from "../kinds/kinds.js";
import { BARE_HTTP_URL, certificates } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { CAMERAS_MAX, channelIds } from "./channels.js";

/** Analysers of pictures: `/configure/analysers`. */

const seconds = whole(0, 86_400);
const perMinute = whole(1, 600);
const pixels = whole(16, 16_384);

/** A server with the vision API of DeepStack and CodeProject.AI. */
export const vision = {
  Url: needed(line(2048, ...BARE_HTTP_URL)),
  ApiKey: secret(line(256)),
  Authority: sparse(by(certificates, "")),
  Objects: by(flag, true),
  Plates: by(flag, false),
  PlatesPath: by(choice("/v1/vision/alpr", "/v1/image/alpr"), "/v1/vision/alpr"),
  Faces: by(flag, false),
  FacesPath: by(choice("/v1/vision/face/recognize", "/v1/vision/face"), "/v1/vision/face/recognize"),
  AllChannels: by(flag, true),
  ChannelIds: channelIds,
  OnMotion: by(flag, true),
  RepeatSeconds: by(seconds, 10),
  IntervalSeconds: by(seconds, 0),
  PerMinuteMax: by(perMinute, 60),
  PerMinuteOfChannelMax: storedAs("perMinuteOfCameraMax", by(perMinute, 12)),
  TimeoutSeconds: by(whole(1, 60), 10),
} as const;

/** A camera as Frigate calls it; the boxes of its events are pixels of a picture of this size. */
export const frigateCamera = {
  /** As in a topic of MQTT: without the signs that mean something there. */
  Name: line(NAME_LENGTH_MAX, {
    pattern: /^[^/+#\s]+$/u,
    accepted: "a name without blanks and the signs / + #",
  }),
  ChannelId: id,
  // Frigate's own default.
  Width: by(pixels, 1280),
  Height: by(pixels, 720),
} as const;

/** Frigate's events over MQTT. */
export const frigate = {
  Prefix: by(
    line(NAME_LENGTH_MAX, {
      pattern: /^[^/+#\s]+(?:\/[^/+#\s]+)*$/u,
      accepted: "levels with / between them, without blanks, + and #",
    }),
    "frigate",
  ),
  Cameras: list(group(frigateCamera, "Name", "ChannelId"), CAMERAS_MAX, "cameras"),
} as const;

export const analyser = {
  Name: needed(name),
  IsEnabled: by(flag, true),
  Kind: needed(word("Vision", "Frigate")),
  MinConfidence: by(whole(0, 100), 50),
  QuietSeconds: by(seconds, 10),
  StartsRecording: by(flag, false),
  Vision: nullable(group(vision)),
  Frigate: nullable(group(frigate)),
  ClearSecrets: writeOnly(flag),
} as const;

export const ANALYSERS_MAX = 8;

export const analyserTexts: TextsOf<typeof analyser> = {
  Name: "Required in POST. Names must be unique, ignoring case.",
  Kind: "Required in POST; `Vision` together with `Vision.Url`. Another kind starts with its defaults.",
  MinConfidence: "Percent. What the analyser is less sure of is ignored.",
  QuietSeconds:
    "For so long the same label, plate or name is not reported again of a camera, and what stays where it was not for 10 minutes.",
  StartsRecording:
    "What is found counts as motion of the camera for 15 s: a channel with the mode `MDandManual` is recorded.",
  "Vision.Url":
    "`http` or `https`, without user, password and query. The paths of the API follow its path. `webhookPrivateTargets: forbid` allows hosts of the internet alone.",
  "Vision.ApiKey": "Sent as `api_key`. Null in answers.",
  "Vision.Authority":
    "Certificates (PEM) of the only authorities that are trusted for `https`. Empty: the usual ones.",
  "Vision.Objects": "Asks `/v1/vision/detection` for persons, vehicles and other objects.",
  "Vision.Plates": "Asks `PlatesPath` for license plates.",
  "Vision.Faces":
    "Asks `FacesPath` for faces, of cameras with `FaceDetectorEnabled` alone. [`/configex`](#get-configex) then says `IsFaceAnalystEnabled` of them.",
  "Vision.FacesPath": "`/v1/vision/face` finds faces without names.",
  "Vision.AllChannels": "Pictures of all cameras.",
  "Vision.ChannelIds": "Only pictures of these cameras.",
  "Vision.OnMotion": "A picture when motion begins.",
  "Vision.RepeatSeconds":
    "While motion lasts, a picture each so many seconds. 0: one at its beginning alone.",
  "Vision.IntervalSeconds": "With or without motion, a picture each so many seconds. 0: none.",
  "Vision.PerMinuteMax": "Most pictures of all cameras in a minute.",
  "Vision.PerMinuteOfChannelMax": "Most pictures of one camera in a minute.",
  "Vision.TimeoutSeconds": "An answer that takes longer is given up.",
  "Frigate.Prefix": "Frigate's `topic_prefix`.",
  "Frigate.Cameras": "Which of Frigate's cameras is which channel. Given, they replace all.",
  "Frigate.Cameras.Name": "As in Frigate's configuration.",
  "Frigate.Cameras.Width": "Of Frigate's `detect`: boxes are pixels of that picture.",
  ClearSecrets:
    "True removes `ApiKey`. If null, absent or empty in PUT, it is unchanged, which is refused where it would go to another scheme, host or port, or under another `Authority`.",
};
