import { createHash } from "node:crypto";
import type { Guid } from "../base/index.js";
import { LOCKED_SECRET, type Site, type User, type UserGroup } from "../site/index.js";
import { guidOfHash } from "./guid-of-hash.js";
import type { DirectoryUser } from "./ldap/directory.js";
import { firstDnValue, normalizeDn } from "./ldap/ldap-names.js";
import type { Principal } from "./types.js";

/** The users of one revision of the configuration, and their rights. */
export class SitePrincipals {
  readonly site: Site;
  readonly #usersByName: ReadonlyMap<string, User>;
  readonly #usersById: ReadonlyMap<Guid, User>;
  readonly #groupsById: ReadonlyMap<Guid, UserGroup>;
  readonly #principals = new Map<Guid, Principal>();
  /** By the directory's answer, which is cached as one object. */
  readonly #directoryPrincipals = new WeakMap<DirectoryUser, Principal>();

  constructor(site: Site) {
    this.site = site;
    this.#usersByName = new Map(site.users.map((user) => [user.name, user]));
    this.#usersById = new Map(site.users.map((user) => [user.id, user]));
    this.#groupsById = new Map(site.groups.map((group) => [group.id, group]));
  }

  user(name: string): User | undefined {
    return this.#usersByName.get(name);
  }

  userById(id: Guid): User | undefined {
    return this.#usersById.get(id);
  }

  /** The principal of a user of this revision; undefined if its group is missing, which the store's checks prevent. */
  principal(user: User): Principal | undefined {
    const known = this.#principals.get(user.id);
    const group = this.#groupsById.get(user.groupId);
    if (known !== undefined || group === undefined) return known;
    const principal = new GroupPrincipal(user, group);
    this.#principals.set(user.id, principal);
    return principal;
  }

  /**
   * The principal of a directory user, with the first group in the configuration that is mapped to one of the user's directory
   * groups. Undefined if there is none.
   */
  directoryPrincipal(login: string, directoryUser: DirectoryUser): Principal | undefined {
    const known = this.#directoryPrincipals.get(directoryUser);
    if (known !== undefined) return known;
    const names = groupNames(directoryUser.groups);
    const group = this.site.groups.find(({ directoryGroups }) =>
      directoryGroups.some((name) => names.has(groupKey(name))),
    );
    if (group === undefined) return undefined;
    const id = directoryUserId(directoryUser.dn);
    const user: User = { id, name: login, groupId: group.id, secret: LOCKED_SECRET };
    const principal = new GroupPrincipal(user, group, directoryUser);
    this.#directoryPrincipals.set(directoryUser, principal);
    return principal;
  }
}

/** The names by which a user group may refer to a directory group: its complete distinguished name, or only its first value. */
function groupNames(dns: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const dn of dns) {
    names.add(groupKey(dn));
    const value = firstDnValue(dn);
    if (value !== undefined) names.add(valueKey(value));
  }
  return names;
}

function groupKey(name: string): string {
  const dn = normalizeDn(name);
  return dn === undefined ? valueKey(name) : `dn ${dn}`;
}

function valueKey(value: string): string {
  return `value ${value.trim().normalize("NFC").toLowerCase()}`;
}

/** An id derived from the entry's name. */
function directoryUserId(dn: string): Guid {
  return guidOfHash(
    createHash("sha256")
      .update(normalizeDn(dn) ?? dn)
      .digest(),
  );
}

class GroupPrincipal implements Principal {
  readonly user: User;
  readonly group: UserGroup;
  readonly directoryUser?: DirectoryUser;
  readonly #realtime: (channelId: Guid) => boolean;
  readonly #archive: (channelId: Guid) => boolean;

  constructor(user: User, group: UserGroup, directoryUser?: DirectoryUser) {
    this.user = user;
    this.group = group;
    if (directoryUser !== undefined) this.directoryUser = directoryUser;
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
