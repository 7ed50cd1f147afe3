import type { Guid } from "../../base/index.js";
import { checkChannels, type InputPlace } from "../../route/index.js";

/** All channels, or a list of them, as a body says it. */
interface ChannelsInput {
  readonly AllChannels?: boolean | null | undefined;
  readonly ChannelIds?: readonly Guid[] | null | undefined;
}

/** The channels after a body. `member`: where it names them. Adds faults. */
export function channelsAfter(
  { AllChannels: all, ChannelIds }: ChannelsInput,
  before: "all" | readonly Guid[],
  place: InputPlace,
  member = "ChannelIds",
): "all" | readonly Guid[] {
  const ids = ChannelIds ?? undefined;
  if (ids !== undefined) checkChannels(ids, member, place);
  if (all === true) {
    if (ids !== undefined && ids.length > 0)
      place.faults.add(`${place.path}.${member}`, "contradicts AllChannels: true");
    return "all";
  }
  if (all === false) return ids ?? (before === "all" ? [] : before);
  // GET returns an empty list with AllChannels: true, and programs send back what they received.
  if (ids === undefined || (ids.length === 0 && before === "all")) return before;
  return ids;
}
