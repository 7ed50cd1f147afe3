import * as v from "valibot";
import { ANALYSERS_MAX, analyser, frigate, vision, without } from "../../contract/index.js";
import { guid, list, storedAllOr, storedEntries } from "../../contract/reading/index.js";

/** The schema of stored analysers. */

const source = v.variant("kind", [
  v.strictObject({
    kind: v.literal("vision"),
    ...storedEntries(without(vision, "AllChannels", "ChannelIds")),
    channelIds: storedAllOr(vision.ChannelIds, "channel ids"),
  }),
  v.strictObject({ kind: v.literal("frigate"), ...storedEntries(frigate) }),
]);

export const analysers = list(
  v.strictObject({ id: guid, ...storedEntries(without(analyser, "Kind", "Vision", "Frigate")), source }),
  ANALYSERS_MAX,
  "analysers",
);
