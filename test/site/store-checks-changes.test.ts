import { describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import {
  allRights,
  type Camera,
  DEFAULT_GROUP_PARTS,
  type SecurityObject,
  type Site,
  type User,
  type UserGroup,
} from "../../src/site/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, sampleCamera, startStore } from "../support/site/site-samples.js";

const store = forEachTest(async () => startStore(await temporaryDirectory()));

const withCamera = (change: Partial<Camera>) => (site: Site) => addCamera(change)(site);
const withConnection = (change: Partial<Camera["connection"]>) => (site: Site) =>
  addCamera({ connection: { ...sampleCamera(site).connection, ...change } })(site);
const withGroup = (change: Partial<UserGroup>) => (site: Site) => ({
  ...site,
  groups: [
    ...site.groups,
    {
      id: newGuid(),
      name: "Guards",
      comment: null,
      seniorAdministrators: false,
      ptzPriority: "Low",
      ...DEFAULT_GROUP_PARTS,
      rights: allRights(),
      realtimeChannels: [],
      archiveChannels: [],
      ...change,
    },
  ],
});
const withUser = (change: Partial<User>) => (site: Site) => ({
  ...site,
  users: [
    ...site.users,
    { id: newGuid(), name: "guard", groupId: site.groups[0]?.id ?? "", secret: null, ...change },
  ],
});
const folders = (depth: number): SecurityObject => ({
  id: newGuid(),
  name: "f",
  channelIds: [],
  children: depth === 0 ? [] : [folders(depth - 1)],
});
const withTree = (root: SecurityObject) => (site: Site) => ({ ...site, rootSecurityObject: root });

const refusals: [string, (site: Site) => Site, RegExp][] = [
  ["an id used twice", (site) => withCamera({ id: site.server.id })(site), /used twice/],
  ["an id that is no GUID", withCamera({ id: "1" }), /cameras\[0\]\.id: accepted: a GUID/],
  ["the empty GUID", withCamera({ id: "00000000-0000-0000-0000-000000000000" }), /all zeros/],
  ["an empty name", withCamera({ name: "  " }), /cameras\[0\]\.name.*not empty/],
  ["a name that is too long", withCamera({ name: "n".repeat(129) }), /at most 128/],
  ["a name with a control character", withCamera({ name: "a\u0000b" }), /control characters/],
  ["a name XML cannot carry", withCamera({ name: "a\ud800b" }), /control characters/],
  ["a latitude without a longitude", withCamera({ latitude: 1 }), /both or neither/],
  ["a latitude out of range", withCamera({ latitude: 90.5, longitude: 0 }), /-90 to 90/],
  ["a longitude out of range", withCamera({ latitude: 0, longitude: 181 }), /-180 to 180/],
  ["a latitude that is no number", withCamera({ latitude: Number.NaN, longitude: 0 }), /degrees/],
  [
    "an unknown member",
    withCamera({ colour: "red" } as Partial<Camera>),
    /cameras\[0\]\.colour: unknown member/,
  ],
  ["a role given to two streams", withRoleTwice, /the role Archive is given to Main and Alternative/],
  ["a disabled main stream", withMainDisabled, /main stream cannot be disabled/],
  [
    "a folder with an unknown channel",
    withTree({ ...folders(0), channelIds: [newGuid()] }),
    /no channel has the id/,
  ],
  ["folders that are too deep", withTree(folders(17)), /levels/],
  ["folders without end", withTree(folders(4000)), /levels/],
  ["a user of an unknown group", withUser({ groupId: newGuid() }), /no group has the id/],
  ["a user name twice, in another case", withUser({ name: "ROOT" }), /two users have the name root/],
  [
    "a secret that is none",
    withUser({ secret: "plain-text" }),
    /users\[1\]\.secret: accepted: a stored secret/,
  ],
  [
    "a group with an unknown channel",
    withGroup({ realtimeChannels: [newGuid()] }),
    /groups\[1\].realtimeChannels/,
  ],
  [
    "senior administrators without a right",
    withGroup({ seniorAdministrators: true }),
    /every right and channel/,
  ],
  ["another server id", (site) => ({ ...site, server: { ...site.server, id: newGuid() } }), /cannot change/],
  [
    "minimum days above the maximum",
    (site) => addCamera({ archive: { ...sampleCamera(site).archive, minDays: 9, maxDays: 3 } })(site),
    /minDays is greater/,
  ],
];

function withRoleTwice(site: Site): Site {
  const { streams } = sampleCamera(site).connection;
  return withConnection({
    streams: { ...streams, Alternative: { ...streams.Alternative, roles: ["Archive"] } },
  })(site);
}

function withMainDisabled(site: Site): Site {
  const { streams } = sampleCamera(site).connection;
  return withConnection({ streams: { ...streams, Main: { ...streams.Main, enabled: false } } })(site);
}

describe("LmdbSiteStore checks changes", () => {
  it.each(refusals)("refuses %s", async (_name, edit, reason) => {
    const before = store.current;
    const refused = store.change(edit);
    await expect(refused).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringMatching(reason),
    });
    expect(store.current).toBe(before);
  });

  it("takes 256 cameras and refuses one more", async () => {
    const many = (count: number) => (site: Site) => {
      const cameras = Array.from({ length: count }, (_value, index) =>
        sampleCamera(site, { name: `Camera ${index}` }),
      );
      return { ...site, cameras };
    };
    await expect(store.change(many(257))).rejects.toMatchObject({
      message: expect.stringContaining("256 cameras"),
    });
    await expect(store.change(many(256))).resolves.toMatchObject({ revision: 2 });
  });

  it("refuses to take away the last senior administrator who can log in", async () => {
    await store.change((site) => ({ ...site, users: site.users.map((user) => ({ ...user, secret: null })) }));
    await expect(store.change((site) => ({ ...site, users: [] }))).rejects.toMatchObject({
      message: expect.stringContaining("at least one senior administrator"),
    });
    const locked = (site: Site) => ({
      ...site,
      users: site.users.map((user) => ({ ...user, secret: "locked" })),
    });
    await expect(store.change(locked)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("says nothing of a camera's password when it refuses it", async () => {
    const refused = store.change(withConnection({ password: "hunter2\n".repeat(100) }));
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining("hunter2") });
  });

  it("does not let an edit choose the revision, the time or the id", async () => {
    const before = store.current;
    const site = await store.change((current) => ({
      ...current,
      id: newGuid(),
      revision: 99,
      appliedAtUs: 1,
    }));
    expect(site).toMatchObject({ id: before.id, revision: 2 });
    expect(site.appliedAtUs).toBeGreaterThan(before.appliedAtUs - 1);
  });
});
