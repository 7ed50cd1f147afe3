import * as v from "valibot";
import { type Guid, NvrdError } from "../../base/index.js";
import {
  type CollectionDescription,
  channelIds,
  checkChannels,
  collection,
  collectionRoutes,
  given,
  guidOrNone,
  type InputPlace,
  members,
  nameText,
  type Route,
} from "../../route/index.js";
import {
  allRights,
  DEFAULT_GROUP_PARTS,
  GROUP_RIGHTS,
  type GroupRight,
  SITE_LIMITS,
  type Site,
  siteValues,
  type UserGroup,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag, line, list, text } = siteValues;

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  Comment: v.optional(v.nullable(text(SITE_LIMITS.commentLengthMax))),
  IsSeniorAdministrators: given(flag),
  PtzPriority: given(line(SITE_LIMITS.ptzPriorityLengthMax)),
  GridTypesAllowed: given(list(line(SITE_LIMITS.gridTypeLengthMax), SITE_LIMITS.gridTypesMax, "grid types")),
  DirectoryGroups: given(
    list(line(SITE_LIMITS.directoryGroupLengthMax), SITE_LIMITS.directoryGroupsMax, "directory groups"),
  ),
  Rights: given(members(v.entriesFromList(GROUP_RIGHTS, given(flag)))),
  ChannelsAccessOptions: given(
    members({
      ChannelsArchiveAllowed: given(channelIds),
      ChannelsRealtimeAllowed: given(channelIds),
      AllArchiveAllowed: given(flag),
      AllRealtimeAllowed: given(flag),
    }),
  ),
});

type GroupInput = v.InferOutput<typeof schema>;
type Channels = UserGroup["realtimeChannels"];

const NO_RIGHTS = Object.fromEntries(GROUP_RIGHTS.map((right) => [right, false])) as Record<
  GroupRight,
  boolean
>;

/** The defaults of a new group: no rights and no channels. */
const NEW_GROUP: Omit<UserGroup, "id" | "name"> = {
  comment: null,
  seniorAdministrators: false,
  ptzPriority: "Low",
  ...DEFAULT_GROUP_PARTS,
  rights: NO_RIGHTS,
  realtimeChannels: [],
  archiveChannels: [],
};

const DESCRIPTION: CollectionDescription = {
  title: "Group",
  text: ["Every user belongs to one group. A group has rights, and lists of channels."],
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names must be unique, ignoring case.",
    Comment: "May be null.",
    IsSeniorAdministrators:
      "True gives every right and every channel; contradicting `Rights` or lists are refused.",
    PtzPriority: 'The priority for moving cameras: see [`/ptz`](#get-and-post-ptz). `"Low"` for a new group.',
    GridTypesAllowed: "Screen grids.",
    DirectoryGroups: "Names or DNs of directory groups. Their members log in with this group.",
    Rights:
      "The rights by name, each true or false; [rights](rights.md) describes them. A new group has none.",
    "ChannelsAccessOptions.ChannelsRealtimeAllowed":
      "Channels that may be watched live. GET lists all if all are allowed. A new group has none.",
    "ChannelsAccessOptions.ChannelsArchiveAllowed":
      "Channels that may be watched in the archive. GET lists all if all are allowed. A new group has none.",
    "ChannelsAccessOptions.AllRealtimeAllowed":
      "All channels, including future ones. False without a list: the present ones.",
    "ChannelsAccessOptions.AllArchiveAllowed":
      "All channels, including future ones. False without a list: the present ones.",
  },
  inUse: "The group has users.",
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVRD/configure/groups"'],
    getOne: ['curl -fu "$AUTH" "$NVRD/configure/groups/$GROUP"'],
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
    remove: ['curl -fu "$AUTH" -X DELETE "$NVRD/configure/groups/$GROUP"'],
  },
};

/** /configure/groups: user groups with their rights and channels. */
export const GROUP_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<UserGroup, GroupInput, GroupInput>({
    noun: "group",
    path: "/configure/groups",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.groupsMax,
    schema,
    itemsOf: (site) => site.groups,
    withItems: (site, items) => ({ ...site, groups: items }),
    describe: describeGroup,
    prepare: async (input) => input,
    make: (input, base, identity, place) => {
      const before = base ?? NEW_GROUP;
      const seniorAdministrators = input.IsSeniorAdministrators ?? before.seniorAdministrators;
      return {
        ...identity,
        comment: input.Comment === undefined ? before.comment : input.Comment,
        seniorAdministrators,
        ptzPriority: input.PtzPriority ?? before.ptzPriority,
        gridTypes: once(input.GridTypesAllowed ?? before.gridTypes),
        directoryGroups: once(input.DirectoryGroups ?? before.directoryGroups),
        ...(seniorAdministrators ? everything(input, place) : limited(input, before, place)),
      };
    },
    checkUnused: (group, site) => {
      const names = site.users.filter((user) => user.groupId === group.id).map((user) => user.name);
      if (names.length === 0) return;
      const some = names.slice(0, USERS_NAMED_MAX).join(", ") + (names.length > USERS_NAMED_MAX ? ", …" : "");
      throw new NvrdError("IN_USE", `the group ${group.name} has users (${names.length}: ${some})`, {
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

function describeGroup(group: UserGroup, site: Site): unknown {
  const idsOf = (channels: Channels) => (channels === "all" ? site.cameras.map(({ id }) => id) : channels);
  return {
    Id: group.id,
    Name: group.name,
    Comment: group.comment,
    IsSeniorAdministrators: group.seniorAdministrators,
    PtzPriority: group.ptzPriority,
    GridTypesAllowed: group.gridTypes,
    DirectoryGroups: group.directoryGroups,
    Rights: Object.fromEntries(GROUP_RIGHTS.map((right) => [right, group.rights[right]])),
    ChannelsAccessOptions: {
      ChannelsArchiveAllowed: idsOf(group.archiveChannels),
      ChannelsRealtimeAllowed: idsOf(group.realtimeChannels),
      AllArchiveAllowed: group.archiveChannels === "all",
      AllRealtimeAllowed: group.realtimeChannels === "all",
    },
  };
}

/** Senior administrators have every right and channel; contradictions are faults. */
function everything(
  input: GroupInput,
  place: InputPlace,
): Pick<UserGroup, "rights" | "realtimeChannels" | "archiveChannels"> {
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

function limited(
  input: GroupInput,
  before: Omit<UserGroup, "id" | "name">,
  place: InputPlace,
): Pick<UserGroup, "rights" | "realtimeChannels" | "archiveChannels"> {
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
