import type * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { DEFAULT_GROUP_PARTS, SITE_LIMITS, siteValues, type View } from "../../site/index.js";
import {
  checkChannels,
  collection,
  given,
  guidOrNone,
  guids,
  type InputPlace,
  members,
  nameText,
} from "../route/index.js";

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  GridType: given(siteValues.line(SITE_LIMITS.gridTypeLengthMax)),
  ChannelIds: given(guids(SITE_LIMITS.viewChannelsMax, "channels")),
  GroupIds: given(guids(SITE_LIMITS.groupsMax, "groups")),
  AllGroups: given(siteValues.flag),
});

type ViewInput = v.InferOutput<typeof schema>;

/** /configure/views: screen profiles. */
export const views = collection<View, ViewInput, ViewInput>({
  noun: "view",
  path: "/configure/views",
  countMax: SITE_LIMITS.viewsMax,
  schema,
  itemsOf: (site) => site.views,
  withItems: (site, items) => ({ ...site, views: items }),
  describe: (view) => ({
    Id: view.id,
    Name: view.name,
    GridType: view.gridType,
    ChannelIds: view.channelIds,
    AllGroups: view.groupIds === "all",
    GroupIds: view.groupIds === "all" ? [] : view.groupIds,
  }),
  prepare: async (input) => input,
  make: (input, base, identity, place) => {
    if (input.ChannelIds) checkChannels(input.ChannelIds, "ChannelIds", place, { mayRepeat: true });
    return {
      ...identity,
      gridType: input.GridType ?? base?.gridType ?? DEFAULT_GROUP_PARTS.gridTypes[0] ?? "",
      channelIds: input.ChannelIds ?? base?.channelIds ?? [],
      groupIds: groupsOf(input, base?.groupIds ?? "all", place),
    };
  },
});

function groupsOf(input: ViewInput, before: View["groupIds"], place: InputPlace): View["groupIds"] {
  const ids: readonly Guid[] | undefined = input.GroupIds ?? undefined;
  const at = `${place.path}.GroupIds`;
  const known = new Set(place.site.groups.map((group) => group.id));
  for (const id of ids ?? []) if (!known.has(id)) place.faults.add(at, `no group has the id ${id}`);
  if (ids !== undefined && new Set(ids).size < ids.length) place.faults.add(at, "a group is named twice");
  if (input.AllGroups === true) {
    if (ids !== undefined && ids.length > 0) place.faults.add(at, "says otherwise than AllGroups: true");
    return "all";
  }
  if (ids !== undefined) return ids;
  return input.AllGroups === false && before === "all" ? [] : before;
}
