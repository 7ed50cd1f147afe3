import { createHash } from "node:crypto";
import type { AuditEntry, Credentials, Directory } from "../../../src/access/index.js";
import { hashPassword, SiteAccess } from "../../../src/access/index.js";
import { type DeriveKey, deriveWithScrypt } from "../../../src/access/password-secret.js";
import { newGuid } from "../../../src/base/index.js";
import {
  allRights,
  createFirstSite,
  DEFAULT_GROUP_PARTS,
  type Site,
  type User,
  type UserGroup,
} from "../../../src/site/index.js";
import { ManualClock } from "../base/manual-clock.js";
import { silentLog } from "../site/site-samples.js";

export const md5 = (password: string) => createHash("md5").update(password).digest("hex");

/** SiteAccess over a configuration in memory, with scrypt calls counted. */
export class AccessBench {
  readonly clock = new ManualClock();
  readonly access: SiteAccess;
  deriveCalls = 0;
  deriveAtOnce = 0;
  deriveAtOnceMax = 0;
  current: Site;
  readonly audit: AuditEntry[] = [];

  /** The derivation of the users' secrets, counted. */
  readonly derive: DeriveKey = async (password, salt, cost) => {
    this.deriveCalls += 1;
    this.deriveAtOnce += 1;
    this.deriveAtOnceMax = Math.max(this.deriveAtOnceMax, this.deriveAtOnce);
    try {
      // The cost is what makes it slow, and these tests count: a light one tells right from wrong as well.
      return await deriveWithScrypt(password, salt, { ...cost, N: 16 });
    } finally {
      this.deriveAtOnce -= 1;
    }
  };

  private constructor(site: Site, directory: Directory | undefined) {
    this.current = site;
    this.access = new SiteAccess({
      site: this,
      clock: this.clock,
      log: silentLog,
      derive: this.derive,
      ...(directory === undefined ? {} : { directory }),
    });
    this.access.onAudit((entry) => this.audit.push(entry));
  }

  /** Users: `root` with the password "secret", `open` without one, both senior; `guard` ("guard") of an ordinary group. */
  static async create(directory?: Directory): Promise<AccessBench> {
    const first = createFirstSite({ serverName: "test", nowUs: 0 });
    const administrators = first.groups[0]?.id ?? "";
    const guards = guardGroup();
    const users = [
      await userOf("root", administrators, "secret"),
      await userOf("guard", guards.id, "guard"),
      { id: newGuid(), name: "open", groupId: administrators, secret: null },
    ];
    return new AccessBench({ ...first, groups: [...first.groups, guards], users }, directory);
  }

  /** Applies a change as the store does: a new configuration, of a new revision. */
  change(edit: (site: Site) => Site): void {
    this.current = { ...edit(this.current), revision: this.current.revision + 1 };
  }

  changeUser(name: string, change: Partial<User>): void {
    this.change((site) => ({
      ...site,
      users: site.users.map((user) => (user.name === name ? { ...user, ...change } : user)),
    }));
  }

  async setPassword(name: string, password: string): Promise<void> {
    const { secret } = await userOf(name, "", password);
    this.changeUser(name, { secret });
  }

  secretOf(name: string): string | null {
    return this.current.users.find((user) => user.name === name)?.secret ?? null;
  }

  changeGroup(name: string, change: Partial<UserGroup>): void {
    this.change((site) => ({
      ...site,
      groups: site.groups.map((group) => (group.name === name ? { ...group, ...change } : group)),
    }));
  }

  /** As `login`, while the clock runs until the answer is there. */
  async loginInTime(credentials: Partial<Credentials>): Promise<string> {
    let outcome: string | undefined;
    const login = this.login(credentials).then((text) => {
      outcome = text;
      return text;
    });
    while (outcome === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.advance(10);
    }
    return login;
  }

  /** The outcome of a login: the user's name, or the error's code. */
  async login(credentials: Partial<Credentials>): Promise<string> {
    const full = this.credentials(credentials);
    try {
      return (this.access.recall(full) ?? (await this.access.verify(full))).user.name;
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  credentials(change: Partial<Credentials> = {}): Credentials {
    return { login: "root", password: md5("secret"), userType: undefined, address: "192.0.2.7", ...change };
  }
}

async function userOf(name: string, groupId: string, password: string): Promise<User> {
  const derive: DeriveKey = (text, salt, cost) => deriveWithScrypt(text, salt, { ...cost, N: 16 });
  return { id: newGuid(), name, groupId, secret: await hashPassword(md5(password), derive) };
}

function guardGroup(): UserGroup {
  return {
    id: newGuid(),
    name: "Guards",
    comment: null,
    seniorAdministrators: false,
    ptzPriority: "Low",
    ...DEFAULT_GROUP_PARTS,
    rights: allRights(),
    realtimeChannels: [],
    archiveChannels: [],
  };
}
