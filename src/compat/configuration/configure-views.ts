import type * as v from "valibot";
import type { Guid } from "../../base/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  given,
  givenMember,
  guidOrNone,
  guids,
  type InputPlace,
  type JsonSchema,
  members,
  nameText,
  type Route,
  when,
} from "../../route/index.js";
import { DEFAULT_GROUP_PARTS, SITE_LIMITS, siteValues, type View } from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  GridType: given(siteValues.line(SITE_LIMITS.gridTypeLengthMax)),
  ChannelIds: given(guids(SITE_LIMITS.viewChannelsMax, "channels")),
  GroupIds: given(guids(SITE_LIMITS.groupsMax, "groups")),
  AllGroups: given(siteValues.flag),
});

type ViewInput = v.InferOutput<typeof schema>;

/** Some groups. */
const SOME: JsonSchema = { type: "array", minItems: 1 };

const DESCRIPTION: CollectionDescription = {
  title: "View",
  text: ["Views are screen profiles: cameras in a grid."],
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST.",
    GridType: "The screen grid.",
    ChannelIds: "In the grid's order. A channel may occur repeatedly.",
    AllGroups: { description: "Every group may use it.", default: true },
    GroupIds: "The groups that may use it.",
  },
  rules: [when(givenMember("AllGroups", { const: true }), { not: givenMember("GroupIds", SOME) })],
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVRD/configure/views"'],
    getOne: ['curl -fu "$AUTH" "$NVRD/configure/views/$VIEW"'],
    post: [
      'VIEW=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/views" --data \'[{',
      '  "Name": "Doors", "GridType": "GridType4", "ChannelIds": ["\'$CHANNEL\'"] }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'GROUP=$(curl -fsSu "$AUTH" "$NVRD/configure/groups" | member Id)',
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/views" --data \'[{',
      '  "Id": "\'$VIEW\'", "AllGroups": false,',
      '  "GroupIds": ["\'$GROUP\'"] }]\'',
    ],
    remove: ['curl -fu "$AUTH" -X DELETE "$NVRD/configure/views/$VIEW"'],
  },
};

/** /configure/views: screen profiles. */
export const VIEW_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<View, ViewInput, ViewInput>({
    noun: "view",
    path: "/configure/views",
    description: DESCRIPTION,
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
  }),
);

function groupsOf(input: ViewInput, before: View["groupIds"], place: InputPlace): View["groupIds"] {
  const ids: readonly Guid[] | undefined = input.GroupIds ?? undefined;
  const at = `${place.path}.GroupIds`;
  const known = new Set(place.site.groups.map((group) => group.id));
  for (const id of ids ?? [])
    if (!known.has(id)) place.faults.add(at, `no group has the id ${id}`, "NOT_FOUND");
  if (ids !== undefined && new Set(ids).size < ids.length)
    place.faults.add(at, "a group is named twice", "CONFLICT");
  if (input.AllGroups === true) {
    if (ids !== undefined && ids.length > 0) place.faults.add(at, "contradicts AllGroups: true");
    return "all";
  }
  if (ids !== undefined) return ids;
  return input.AllGroups === false && before === "all" ? [] : before;
}
