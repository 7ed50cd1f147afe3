import { signal } from "@preact/signals";
import type { GroupRight, group, InputOf, ObjectOf, user } from "../../../contract/index.js";
import { request, requestJson } from "../../state/request.js";

/** Rights that this recorder acts on, in the order of a form. docs/ref/rights.md says what each guards. */
export const RIGHTS = [
  "CanReceiveMainStream",
  "CanReceiveSound",
  "CanGetTranscodedVideoFromMobileServer",
  "CanPTZ",
  "CanUseArchiveExport",
  "CanManageRec",
  "CanAccessUnifiedLog",
  "CanAccessToAllUsersInUnifiedLog",
  "CanAccessEditingAnalystPluginsInClient",
  "CanChangePassword",
] as const satisfies readonly GroupRight[];
export type RightName = (typeof RIGHTS)[number];

/** Which cameras a group may watch, live or recorded. */
export interface CameraChoice {
  /** All of them, those that are added later too. */
  readonly all: boolean;
  readonly ids: readonly string[];
}

/** A group as the page changes it. */
export interface GroupDraft {
  readonly name: string;
  readonly rights: ReadonlySet<RightName>;
  readonly live: CameraChoice;
  readonly recorded: CameraChoice;
}

export interface Group extends GroupDraft {
  readonly id: string;
  readonly isAdministrators: boolean;
  readonly isForbidden: boolean;
}

/** A user as `/configure/users` has it. */
export type User = ObjectOf<typeof user> & { readonly Id: string };

/** As `/configure/groups` has it. */
type GroupObject = ObjectOf<typeof group> & { readonly Id: string };

interface Everybody {
  readonly groups: readonly Group[];
  readonly users: readonly User[];
  /** Of the configuration that both come from. */
  readonly revision: string;
}

/** Undefined until they are known. */
export const everybody = signal<Everybody | undefined>(undefined);

const GROUPS = "/configure/groups";
const USERS = "/configure/users";

/** Reads groups and users, both of one revision. Rejects with RequestError. */
export async function readEverybody(): Promise<void> {
  const [groups, users] = await Promise.all([readList<GroupObject>(GROUPS), readList<User>(USERS)]);
  if (groups.revision !== users.revision) return readEverybody();
  const { revision } = users;
  everybody.value = { groups: groups.items.map(groupOf), users: users.items, revision };
}

async function readList<Item>(path: string): Promise<{ items: readonly Item[]; revision: string }> {
  const response = await request(path);
  const revision = /\d+/.exec(response.headers.get("ETag") ?? "")?.[0] ?? "";
  return { items: (await response.json()) as readonly Item[], revision };
}

function groupOf(object: GroupObject): Group {
  const { ChannelsAccessOptions: access, Rights: rights } = object;
  return {
    id: object.Id,
    name: object.Name,
    isAdministrators: object.IsSeniorAdministrators,
    isForbidden: rights.IsAllForbidden,
    rights: new Set(RIGHTS.filter((name) => rights[name])),
    live: { all: access.AllRealtimeAllowed, ids: access.ChannelsRealtimeAllowed },
    recorded: { all: access.AllArchiveAllowed, ids: access.ChannelsArchiveAllowed },
  };
}

/** The members that the page knows; others stay as they are. */
function objectOf({ name, rights, live, recorded }: GroupDraft): InputOf<typeof group> {
  return {
    Name: name,
    Rights: Object.fromEntries(RIGHTS.map((right) => [right, rights.has(right)])),
    ChannelsAccessOptions: {
      AllRealtimeAllowed: live.all,
      AllArchiveAllowed: recorded.all,
      ...(live.all ? {} : { ChannelsRealtimeAllowed: live.ids }),
      ...(recorded.all ? {} : { ChannelsArchiveAllowed: recorded.ids }),
    },
  };
}

/** The id of a new group. */
export async function addGroup(draft: GroupDraft): Promise<string> {
  const { CreatedObjectsIds } = await requestJson<{ readonly CreatedObjectsIds: readonly string[] }>(GROUPS, {
    method: "POST",
    body: [objectOf(draft)],
  });
  return CreatedObjectsIds[0] ?? "";
}

export async function changeGroup(id: string, draft: GroupDraft): Promise<void> {
  await changeAt(GROUPS, { Id: id, ...objectOf(draft) });
}

export async function removeGroup(id: string): Promise<void> {
  await request(`${GROUPS}/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** A new user; an empty password is refused by the form. */
export async function addUser(name: string, password: string, groupId: string): Promise<void> {
  const body = [{ Name: name, Password: password, GroupId: groupId }];
  await request(USERS, { method: "POST", body });
}

/** Changes the members given; an empty password stays as it is. */
export async function changeUser(id: string, change: InputOf<typeof user>): Promise<void> {
  await changeAt(USERS, { Id: id, ...change });
}

export async function removeUser(id: string): Promise<void> {
  await request(`${USERS}/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Only what the form was filled in from is changed: with another revision the service answers 409. */
async function changeAt(path: string, object: object): Promise<void> {
  const { revision = "" } = everybody.value ?? {};
  await request(`${path}?revision=${revision}`, { method: "PUT", body: [object] });
}
