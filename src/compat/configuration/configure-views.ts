import type * as v from "valibot";
import { changed, part, shown, VIEWS_MAX, view, viewTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  givenMember,
  guidOrNone,
  type InputPlace,
  type JsonSchema,
  type Route,
  when,
} from "../../route/index.js";
import type { View } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(view, { Id: guidOrNone });
type ViewInput = v.InferOutput<typeof schema>;

const GRID = part(view, "GridType", "ChannelIds", "IsFilled", "RotationSeconds");

/** Some groups. */
const SOME: JsonSchema = { type: "array", minItems: 1 };

const DESCRIPTION: CollectionDescription = {
  title: "View",
  text: ["Views are screen profiles: cameras in a grid."],
  members: { Id: "Leave it out of POST.", ...notesOf(view, viewTexts) },
  rules: [when(givenMember("AllGroups", { const: true }), { not: givenMember("GroupIds", SOME) })],
  examples: {
    id: "$VIEW",
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
  },
};

/** /configure/views: screen profiles. */
export const VIEW_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<View, ViewInput, ViewInput>({
    noun: "view",
    path: "/configure/views",
    description: DESCRIPTION,
    countMax: VIEWS_MAX,
    schema,
    itemsOf: (site) => site.views,
    withItems: (site, items) => ({ ...site, views: items }),
    describe: ({ id, name, groupIds, ...kept }) => ({
      Id: id,
      Name: name,
      ...shown(GRID, kept),
      AllGroups: groupIds === "all",
      GroupIds: groupIds === "all" ? [] : groupIds,
    }),
    prepare: async (input) => input,
    make: (input, base, identity, place) => {
      if (input.ChannelIds) checkChannels(input.ChannelIds, "ChannelIds", place, { mayRepeat: true });
      return {
        ...identity,
        ...changed(GRID, input, base),
        groupIds: groupsOf(input, base?.groupIds ?? "all", place),
      };
    },
  }),
);

function groupsOf(input: ViewInput, before: View["groupIds"], place: InputPlace): View["groupIds"] {
  const ids = input.GroupIds ?? undefined;
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
