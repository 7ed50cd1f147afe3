import type { Guid } from "../base/index.js";
import type { Site, User, UserGroup } from "../site/index.js";
import type { Principal } from "./types.js";

/** The users of one revision of the configuration, and what each may do. */
export class SitePrincipals {
  readonly site: Site;
  readonly #usersByName: ReadonlyMap<string, User>;
  readonly #groupsById: ReadonlyMap<Guid, UserGroup>;
  readonly #principals = new Map<Guid, Principal>();

  constructor(site: Site) {
    this.site = site;
    this.#usersByName = new Map(site.users.map((user) => [user.name, user]));
    this.#groupsById = new Map(site.groups.map((group) => [group.id, group]));
  }

  user(name: string): User | undefined {
    return this.#usersByName.get(name);
  }

  /** The principal of a user of this revision; undefined when its group is missing, which the store's checks rule out. */
  principal(user: User): Principal | undefined {
    const known = this.#principals.get(user.id);
    const group = this.#groupsById.get(user.groupId);
    if (known !== undefined || group === undefined) return known;
    const principal = new GroupPrincipal(user, group);
    this.#principals.set(user.id, principal);
    return principal;
  }
}

class GroupPrincipal implements Principal {
  readonly user: User;
  readonly group: UserGroup;
  readonly #realtime: (channelId: Guid) => boolean;
  readonly #archive: (channelId: Guid) => boolean;

  constructor(user: User, group: UserGroup) {
    this.user = user;
    this.group = group;
    this.#realtime = membership(group, group.realtimeChannels);
    this.#archive = membership(group, group.archiveChannels);
  }

  mayWatchRealtime(channelId: Guid): boolean {
    return this.#realtime(channelId);
  }

  mayWatchArchive(channelId: Guid): boolean {
    return this.#archive(channelId);
  }

  maySee(channelId: Guid): boolean {
    return this.#realtime(channelId) || this.#archive(channelId);
  }
}

function membership(group: UserGroup, channels: "all" | readonly Guid[]): (channelId: Guid) => boolean {
  if (group.rights.IsAllForbidden) return () => false;
  if (group.seniorAdministrators || channels === "all") return () => true;
  const allowed = new Set(channels);
  return (channelId) => allowed.has(channelId);
}
