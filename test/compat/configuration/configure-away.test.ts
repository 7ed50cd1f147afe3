import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { exportSite, importSite } from "../../../src/site/index.js";
import { type Administration, startAdministration } from "../../support/api/administration.js";
import { IDENTITY, RECIPIENT } from "../../support/away/age-keys.js";

const CELLAR = {
  Name: "Cellar",
  Endpoint: "https://s3.example",
  Bucket: "recordings",
  Prefix: "gate/",
  AccessKeyId: "AKIDEXAMPLE",
  SecretAccessKey: "first-secret",
};

let admin: Administration;

beforeEach(async () => {
  admin = await startAdministration();
});

async function add(change: object = {}): Promise<string> {
  const { status, json } = await admin.call("POST", "/configure/away", [{ ...CELLAR, ...change }]);
  expect(status).toBe(200);
  return (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds[0] ?? "";
}

describe("/configure/away", () => {
  it("tests a target before it is stored, and answers without secrets", async () => {
    const id = await add({ SessionToken: "token", ProxyPassword: "proxy-secret" });
    expect(admin.api.away.checked).toMatchObject([{ id, secretAccessKey: "first-secret", style: "path" }]);
    const { text, json } = await admin.call("GET", `/configure/away/${id}`);
    expect(json).toMatchObject({ Name: "Cellar", Region: "us-east-1", Style: "Path", SecretAccessKey: null });
    for (const secret of ["first-secret", "token", "proxy-secret"]) expect(text).not.toContain(secret);
  });

  it("stores nothing when the test fails, and says why and what to do", async () => {
    admin.api.away.problem = { step: "write", fault: "no-bucket", text: "there is no bucket recordings" };
    const { status, text } = await admin.call("POST", "/configure/away", [CELLAR]);
    expect(status).toBe(400);
    expect(text).toMatch(/target Cellar does not work: there is no bucket recordings/);
    expect(text).toMatch(/IsEnabled: false/);
    expect(admin.store.current.awayTargets).toEqual([]);
  });

  it("answers 503 when the storage cannot be reached", async () => {
    admin.api.away.problem = { step: "write", fault: "unreachable", text: "s3.example cannot be reached" };
    expect((await admin.call("POST", "/configure/away", [CELLAR])).status).toBe(503);
  });

  it("stores a target that is off without a test", async () => {
    admin.api.away.problem = { step: "write", fault: "unreachable", text: "away" };
    await add({ IsEnabled: false });
    expect(admin.api.away.checked).toEqual([]);
  });

  it("does not test again where only the plan or a limit changes", async () => {
    const Id = await add();
    admin.api.away.problem = { step: "write", fault: "unreachable", text: "away" };
    const put = (change: object) => admin.call("PUT", "/configure/away", [{ Id, ...change }]);
    const hours = [{ Day: "Sunday", FromMinute: 0, ToMinute: 60, KilobitsPerSecondMax: 0 }];
    expect((await put({ Content: "Events", KilobitsPerSecondMax: 100, Hours: hours })).status).toBe(200);
    expect(admin.store.current.awayTargets).toMatchObject([
      { plan: { content: "events", from: "now" }, kbpsMax: 100, hours: [{ day: "Sunday", kbpsMax: 0 }] },
    ]);
    expect((await put({ KilobitsPerSecondMax: null })).status).toBe(200);
    expect(admin.store.current.awayTargets).toMatchObject([{ kbpsMax: null }]);
    expect((await put({ Bucket: "other" })).status).toBe(503);
  });

  it("locks, ages and encrypts as it is set; what the bucket must have is tested again", async () => {
    const Id = await add({ LockMode: "Governance", LockDays: 30, LegalHold: true, Recipients: [RECIPIENT] });
    expect(admin.store.current.awayTargets).toMatchObject([
      {
        ...{ lock: { mode: "governance", days: 30, isHeld: true }, keepDays: null, ageBy: "recorder" },
        ...{ recipients: [RECIPIENT], identity: "" },
      },
    ]);
    const put = (change: object) => admin.call("PUT", "/configure/away", [{ Id, ...change }]);
    expect((await put({ Identity: IDENTITY, KeepDays: 90 })).status).toBe(200);
    const { text, json } = await admin.call("GET", `/configure/away/${Id}`);
    expect(text).not.toContain(IDENTITY);
    expect(json).toMatchObject({ KeepDays: 90, AgeBy: "Recorder", Identity: null, Recipients: [RECIPIENT] });
    admin.api.away.problem = { step: "lifecycle", fault: "unsupported", text: "no rules" };
    expect((await put({ LockDays: 31, KeepDays: null })).status).toBe(200);
    expect((await put({ AgeBy: "Bucket", KeepDays: 9 })).status).toBe(400);
    expect((await put({ ClearSecrets: true, Identity: "" })).status).toBe(400);
    admin.api.away.problem = undefined;
    expect((await put({ ClearSecrets: true })).status).toBe(200);
    expect(admin.store.current.awayTargets).toMatchObject([{ identity: "" }]);
  });

  it.each([
    ["a public key with a mistake", { Recipients: [RECIPIENT.replace(/.$/, "q")] }],
    ["a private key in the place of a public one", { Recipients: [IDENTITY] }],
    ["a private key with a mistake", { Identity: IDENTITY.replace(/.$/, "Q") }],
    ["a lock of no days", { LockDays: 0 }],
    ["a word that says nothing of what goes", { Content: "Pictures" }],
  ])("refuses %s", async (_name, change) => {
    const { status, text } = await admin.call("POST", "/configure/away", [{ ...CELLAR, ...change }]);
    expect(status).toBe(400);
    expect(text).not.toContain(IDENTITY.slice(0, -1));
    expect(admin.store.current.awayTargets).toEqual([]);
  });

  it("says of a key with a mistake what is wrong with it", async () => {
    const Recipients = [RECIPIENT.replace(/.$/, "q")];
    const { text } = await admin.call("POST", "/configure/away", [{ ...CELLAR, Recipients }]);
    expect(text).toContain("Recipients[0]: a public key of age whose checksum is right");
  });

  it("tells what the bucket has, and sets the rules that are proposed", async () => {
    const id = await add();
    expect((await admin.call("GET", `/api/away/buckets/${id}`)).json).toMatchObject({
      ...{ Id: id, Name: "Cellar", ObjectLock: "Enabled", HasVersions: true, Rules: [] },
    });
    expect((await admin.call("PUT", `/api/away/buckets/${id}/lifecycle`)).status).toBe(200);
    expect(admin.api.away.rulesSet).toEqual([id]);
    const raised = admin.api.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayRulesSet.id);
    expect(raised).toMatchObject([
      { comment: expect.stringMatching(/^Cellar: /), initiator: { name: "root" } },
    ]);
    admin.api.away.bucketNow = { hasLock: undefined, hasVersions: false, rules: undefined, proposed: [] };
    expect((await admin.call("GET", `/api/away/buckets/${id}`)).json).toMatchObject({
      ...{ ObjectLock: "Unsupported", Rules: null },
    });
    const unknown = "88888888-0000-4000-8000-00000000ffff";
    expect((await admin.call("GET", `/api/away/buckets/${unknown}`)).status).toBe(404);
  });

  it("has plans of single cameras, and refuses unknown ones", async () => {
    const [camera] = admin.store.current.cameras;
    const Id = await add({
      Content: "Protected",
      Cameras: [{ ChannelId: camera?.id, Content: "Everything" }],
    });
    const { json } = await admin.call("GET", `/configure/away/${Id}`);
    expect(json).toMatchObject({
      Cameras: [{ ChannelId: camera?.id, Content: "Everything", Stream: "Recorded" }],
    });
    const unknown = [{ ChannelId: "88888888-0000-4000-8000-00000000ffff" }];
    expect((await admin.call("PUT", "/configure/away", [{ Id, Cameras: unknown }])).status).toBe(404);
  });

  it("keeps secrets that are not given again, and tests with them", async () => {
    const Id = await add({ SessionToken: "token" });
    const put = (change: object) => admin.call("PUT", "/configure/away", [{ Id, ...change }]);
    expect((await put({ Bucket: "other", SecretAccessKey: null })).status).toBe(200);
    expect(admin.api.away.checked.at(-1)).toMatchObject({ bucket: "other", secretAccessKey: "first-secret" });
    expect((await put({ ClearSecrets: true })).status).toBe(200);
    expect(admin.store.current.awayTargets).toMatchObject([
      { sessionToken: "", secretAccessKey: "first-secret" },
    ]);
  });

  it("wants the proxy's password again when the proxy is another one", async () => {
    const proxy = { Proxy: "http://proxy.example:3128", ProxyLogin: "me", ProxyPassword: "proxy-secret" };
    const Id = await add(proxy);
    const put = (change: object) => admin.call("PUT", "/configure/away", [{ Id, ...change }]);
    for (const other of ["http://other.example:3128", "http://proxy.example:3129"]) {
      const { status, text } = await put({ Proxy: other });
      expect([status, text]).toEqual([400, expect.stringMatching(/ProxyPassword: .*enter it again/)]);
    }
    expect(admin.api.away.checked).toHaveLength(1);
    expect((await put({ Proxy: "http://PROXY.example:3128", Region: "other" })).status).toBe(200);
    expect((await put({ Proxy: "http://other.example", ProxyPassword: "another" })).status).toBe(200);
    expect((await put({ Proxy: "http://third.example", ClearSecrets: true })).status).toBe(200);
    expect(admin.store.current.awayTargets).toMatchObject([{ proxyPassword: "" }]);
  });

  it.each([
    ["an endpoint with a path", { Endpoint: "https://s3.example/recordings" }],
    ["an endpoint with a login", { Endpoint: "https://me:secret@s3.example" }],
    ["another protocol", { Endpoint: "ftp://s3.example" }],
    ["a prefix without a slash", { Prefix: "gate" }],
    ["a prefix that leaves its folder", { Prefix: "../" }],
    ["a bucket with a slash", { Bucket: "a/b" }],
    ["a secret with a line break", { SecretAccessKey: "a\r\nX: y" }],
    ["an authority that is none", { Authority: "trust me" }],
    ["a proxy with a login in its address", { Proxy: "http://me:secret@proxy.example" }],
    ["no secret", { SecretAccessKey: null }],
  ])("refuses %s", async (_name, change) => {
    const { status, text } = await admin.call("POST", "/configure/away", [{ ...CELLAR, ...change }]);
    expect(status).toBe(400);
    expect(text).not.toContain("secret@");
    expect(admin.api.away.checked).toEqual([]);
  });

  it("refuses two targets at one place", async () => {
    await add();
    const { status } = await admin.call("POST", "/configure/away", [{ ...CELLAR, Name: "Again" }]);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(admin.store.current.awayTargets).toHaveLength(1);
  });

  it("goes into the exported configuration without secrets, and comes back with them", async () => {
    await add();
    const { document, secrets } = exportSite(admin.store.current);
    expect(JSON.stringify(document)).not.toContain("first-secret");
    const none = { ...admin.store.current, awayTargets: [] };
    const back = importSite({ document, secrets, current: none });
    expect(back.site.awayTargets).toEqual(admin.store.current.awayTargets);
    expect(importSite({ document, current: none }).notes).toContain(
      "away targets without a known secret: Cellar",
    );
  });

  it("names only what changed in the history", async () => {
    const Id = await add();
    await admin.call("PUT", "/configure/away", [{ Id, SecretAccessKey: "second-secret" }]);
    const history = JSON.stringify(await admin.store.history());
    expect(history).toContain("away target Cellar (secret access key) changed");
    expect(history).not.toContain("second-secret");
  });
});

describe("POST /api/away/test", () => {
  it("tests one target, and all that are on", async () => {
    const off = await add({ Name: "Off", IsEnabled: false, Prefix: "off/" });
    const on = await add();
    admin.api.away.problem = { step: "read", fault: "digest", text: "another content" };
    const all = await admin.call("POST", "/api/away/test");
    expect(all.json).toEqual({
      Results: [{ Id: on, Name: "Cellar", Works: false, Step: "read", Problem: "another content" }],
    });
    admin.api.away.problem = undefined;
    const one = await admin.call("POST", "/api/away/test", { Id: off });
    expect(one.json).toMatchObject({ Results: [{ Id: off, Works: true, Problem: null }] });
  });

  it("knows no other target", async () => {
    const unknown = "88888888-0000-4000-8000-00000000ffff";
    expect((await admin.call("POST", "/api/away/test", { Id: unknown })).status).toBe(404);
  });
});
