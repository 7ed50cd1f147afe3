import * as v from "valibot";
import { ANALYSERS_MAX, analyser, frigate, vision, without } from "../../contract/index.js";
import { guid, list, storedEntries, storedValue } from "../../contract/reading/index.js";

/** The schema of stored analysers. */

const { channelIds, perMinuteOfChannelMax, authority, ...server } = storedEntries(
  without(vision, "AllChannels"),
);

const source = v.variant("kind", [
  v.strictObject({
    kind: v.literal("vision"),
    ...server,
    authority: v.exactOptional(storedValue(vision.Authority)),
    channelIds: v.union(
      [v.literal("all"), storedValue(vision.ChannelIds)],
      "accepted: all, or a list of channel ids",
    ),
    perMinuteOfCameraMax: storedValue(vision.PerMinuteOfChannelMax),
  }),
  v.strictObject({ kind: v.literal("frigate"), ...storedEntries(frigate) }),
]);

export const analysers = list(
  v.strictObject({ id: guid, ...storedEntries(without(analyser, "Kind", "Vision", "Frigate")), source }),
  ANALYSERS_MAX,
  "analysers",
);
