import * as v from "valibot";
import { ANALYSER_KINDS, FACES_PATHS, PLATES_PATHS } from "../model/analyser.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { alarmUrl } from "./alarm-target-schema.js";
import { awayAuthority } from "./away-target-schema.js";
import { BARE_HTTP_URL_SAID, flag, guid, line, list, name, oneOf, whole } from "./schema-primitives.js";

/** The schema of analysers, and of their values in the API. */

const NOTHING_BEHIND = "accepted: a URL without a query";

export const analyserUrl = v.pipe(
  alarmUrl,
  v.check((value) => !/[?#]/.test(value), NOTHING_BEHIND),
  v.metadata({ jsonSchema: { pattern: BARE_HTTP_URL_SAID } }),
);
export const analyserKey = line(SITE_LIMITS.analyserKeyLengthMax);
export const analyserAuthority = awayAuthority;
export const analyserPercent = whole(0, 100);
export const analyserSeconds = whole(0, SITE_LIMITS.analyserSecondsMax);
export const analyserPerMinute = whole(1, SITE_LIMITS.analyserPerMinuteMax);
export const analyserTimeout = whole(1, SITE_LIMITS.analyserTimeoutSecondsMax);
export const frigatePixels = whole(16, SITE_LIMITS.analyserPixelsMax);
/** As in a topic of MQTT: without the signs that mean something there. */
export const frigateName = v.pipe(
  line(SITE_LIMITS.nameLengthMax),
  v.regex(/^[^/+#\s]+$/u, "accepted: a name without blanks and the signs / + #"),
);
export const frigatePrefix = v.pipe(
  line(SITE_LIMITS.nameLengthMax),
  v.regex(/^[^/+#\s]+(?:\/[^/+#\s]+)*$/u, "accepted: levels with / between them, without blanks, + and #"),
);

const [vision, frigate] = ANALYSER_KINDS;

const source = v.variant("kind", [
  v.strictObject({
    kind: v.literal(vision),
    url: analyserUrl,
    apiKey: analyserKey,
    authority: v.exactOptional(analyserAuthority),
    objects: flag,
    plates: flag,
    platesPath: oneOf(PLATES_PATHS),
    faces: flag,
    facesPath: oneOf(FACES_PATHS),
    channelIds: v.union(
      [v.literal("all"), list(guid, SITE_LIMITS.camerasMax, "channels")],
      "accepted: all, or a list of channel ids",
    ),
    onMotion: flag,
    repeatSeconds: analyserSeconds,
    intervalSeconds: analyserSeconds,
    perMinuteMax: analyserPerMinute,
    perMinuteOfCameraMax: analyserPerMinute,
    timeoutSeconds: analyserTimeout,
  }),
  v.strictObject({
    kind: v.literal(frigate),
    prefix: frigatePrefix,
    cameras: list(
      v.strictObject({ name: frigateName, channelId: guid, width: frigatePixels, height: frigatePixels }),
      SITE_LIMITS.camerasMax,
      "cameras",
    ),
  }),
]);

export const analysers = list(
  v.strictObject({
    id: guid,
    name,
    isEnabled: flag,
    minConfidence: analyserPercent,
    quietSeconds: analyserSeconds,
    startsRecording: flag,
    source,
  }),
  SITE_LIMITS.analysersMax,
  "analysers",
);
