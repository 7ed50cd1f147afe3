import type * as v from "valibot";
import { type Guid, NvrdError } from "../../base/index.js";
import {
  changed,
  GROUP_RIGHTS,
  GROUPS_MAX,
  type GroupRight,
  group,
  groupTexts,
  type ObjectOf,
  shown,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  guidOrNone,
  type InputPlace,
  type Route,
} from "../../route/index.js";
import { allRights, type Site, type UserGroup } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(group, { Id: guidOrNone });
type GroupInput = v.InferOutput<typeof schema>;
type Channels = UserGroup["realtimeChannels"];
type Access = Pick<UserGroup, "rights" | "realtimeChannels" | "archiveChannels">;

/** What is kept as it is sent. */
const PLAIN = without(group, "Name", "Rights", "ChannelsAccessOptions");

/** What a new group may do: nothing, and it has no channels. */
const NO_ACCESS: Access = {
  rights: Object.fromEntries(GROUP_RIGHTS.map((right) => [right, false])) as Record<GroupRight, boolean>,
  realtimeChannels: [],
  archiveChannels: [],
};

const DESCRIPTION: CollectionDescription = {
  title: "Group",
  text: ["Every user belongs to one group. A group has rights, and lists of channels."],
  members: { Id: "Leave it out of POST.", ...notesOf(group, groupTexts) },
  inUse: "The group has users.",
  examples: {
    id: "$GROUP",
    post: [
      'GROUP=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/groups" --data \'[{',
      '  "Name": "Night guards",',
      '  "Rights": { "CanPTZ": true, "CanReceiveMainStream": true, "CanReceiveSound": true },',
      '  "ChannelsAccessOptions": { "AllRealtimeAllowed": true, "ChannelsArchiveAllowed": [] },',
      '  "DirectoryGroups": ["CN=Guards,OU=Groups,DC=example,DC=com"]',
      "}]' | member CreatedObjectsIds)",
    ],
    put: [
      'REVISION=$(curl -fsSu "$AUTH" -o /dev/null -D - "$NVRD/configure/groups" | tr -dc "[:print:]\\n" | sed -n "s/^ETag: //p")',
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/groups" -H "If-Match: $REVISION" --data \'[{',
      '  "Id": "\'$GROUP\'", "Rights": { "CanPTZ": false } }]\'',
    ],
  },
};

/** /configure/groups: user groups with their rights and channels. */
export const GROUP_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<UserGroup, GroupInput, GroupInput>({
    noun: "group",
    path: "/configure/groups",
    description: DESCRIPTION,
    countMax: GROUPS_MAX,
    schema,
    itemsOf: (site) => site.groups,
    withItems: (site, items) => ({ ...site, groups: items }),
    describe: describeGroup,
    prepare: async (input) => input,
    make: (input, base, identity, place) => {
      const before = base ?? NO_ACCESS;
      const { gridTypes, directoryGroups, ...plain } = changed(PLAIN, input, base);
      return {
        ...identity,
        ...plain,
        gridTypes: once(gridTypes),
        directoryGroups: once(directoryGroups),
        ...(plain.seniorAdministrators ? everything(input, place) : limited(input, before, place)),
      };
    },
    checkUnused: ({ id, name }, site) => {
      const names = site.users.filter((user) => user.groupId === id).map((user) => user.name);
      if (names.length === 0) return;
      const some = names.slice(0, USERS_NAMED_MAX).join(", ") + (names.length > USERS_NAMED_MAX ? ", …" : "");
      throw new NvrdError("IN_USE", `the group ${name} has users (${names.length}: ${some})`, {
        hint: "assign them another group first, or delete them",
      });
    },
    forget: (site, id) => ({
      ...site,
      views: site.views.map((view) =>
        view.groupIds === "all" ? view : { ...view, groupIds: view.groupIds.filter((other) => other !== id) },
      ),
    }),
  }),
);

const USERS_NAMED_MAX = 5;

function describeGroup(
  { id, name, rights, archiveChannels, realtimeChannels, ...plain }: UserGroup,
  site: Site,
): ObjectOf<typeof group> & { readonly Id: Guid } {
  const idsOf = (channels: Channels) =>
    channels === "all" ? site.cameras.map((camera) => camera.id) : channels;
  return {
    Id: id,
    Name: name,
    ...shown(PLAIN, plain),
    Rights: Object.fromEntries(GROUP_RIGHTS.map((right) => [right, rights[right]])) as typeof rights,
    ChannelsAccessOptions: {
      ChannelsArchiveAllowed: idsOf(archiveChannels),
      ChannelsRealtimeAllowed: idsOf(realtimeChannels),
      AllArchiveAllowed: archiveChannels === "all",
      AllRealtimeAllowed: realtimeChannels === "all",
    },
  };
}

/** Senior administrators have every right and channel; contradictions are faults. */
function everything(input: GroupInput, place: InputPlace): Access {
  const rights = allRights();
  for (const right of GROUP_RIGHTS) {
    const value = input.Rights?.[right] ?? undefined;
    if (value !== undefined && value !== rights[right])
      place.faults.add(
        `${place.path}.Rights.${right}`,
        `senior administrators have every right: ${rights[right]}`,
        "CONFLICT",
      );
  }
  const access = input.ChannelsAccessOptions;
  for (const kind of ["Archive", "Realtime"] as const) {
    if (access?.[`All${kind}Allowed`] === false || lacksSome(access?.[`Channels${kind}Allowed`], place.site))
      place.faults.add(
        `${place.path}.ChannelsAccessOptions.Channels${kind}Allowed`,
        "senior administrators have every channel",
        "CONFLICT",
      );
  }
  return { rights, realtimeChannels: "all", archiveChannels: "all" };
}

function limited(input: GroupInput, before: Access, place: InputPlace): Access {
  const rights = { ...before.rights };
  for (const right of GROUP_RIGHTS) rights[right] = input.Rights?.[right] ?? rights[right];
  return {
    rights,
    realtimeChannels: channelsOf("Realtime", input, before.realtimeChannels, place),
    archiveChannels: channelsOf("Archive", input, before.archiveChannels, place),
  };
}

/**
 * The channels of a group. A list together with `All…Allowed: true` must be complete, as returned by GET; a complete list alone
 * keeps "all channels, including future ones" if it was set.
 */
function channelsOf(
  kind: "Archive" | "Realtime",
  input: GroupInput,
  before: Channels,
  place: InputPlace,
): Channels {
  const ids = input.ChannelsAccessOptions?.[`Channels${kind}Allowed`] ?? undefined;
  const all = input.ChannelsAccessOptions?.[`All${kind}Allowed`] ?? undefined;
  const member = `ChannelsAccessOptions.Channels${kind}Allowed`;
  if (ids !== undefined) checkChannels(ids, member, place);
  if (all === true) {
    if (lacksSome(ids, place.site))
      place.faults.add(`${place.path}.${member}`, `contradicts All${kind}Allowed: true`, "CONFLICT");
    return "all";
  }
  if (ids === undefined)
    return all === false && before === "all" ? place.site.cameras.map(({ id }) => id) : before;
  return all === undefined && before === "all" && !lacksSome(ids, place.site) ? "all" : ids;
}

function lacksSome(ids: readonly Guid[] | null | undefined, site: Site): boolean {
  return ids !== undefined && ids !== null && site.cameras.some(({ id }) => !ids.includes(id));
}

/** The trimmed texts without duplicates and empty ones. */
function once(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((item) => item.trim()).filter((item) => item !== ""))];
}
