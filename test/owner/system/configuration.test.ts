import { describe, expect, it } from "vitest";
import type { Site } from "../../../src/site/index.js";
import { GATE_ID, importableSite, MemorySiteStore, ROOT_SECRET } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { awayTarget } from "../../support/away/away-samples.js";
import { forEachTest } from "../../support/base/for-tests.js";

interface Change {
  readonly Revision: number;
  readonly IsChanged: boolean;
  readonly Summary: string;
  readonly Notes: readonly string[];
}
interface ExportedSite {
  readonly cameras: readonly { readonly name: string; readonly connection: object }[];
  readonly users: readonly { readonly id: string; readonly name: string }[];
}

const api = forEachTest(() => startApi({ site: new MemorySiteStore(importableSite()) }));

const post = (path: string, body: unknown, login = ROOT_QUERY) =>
  fetch(api.url(`${path}?${login}`), { method: "POST", body: JSON.stringify(body) });
const change = async (path: string, body: unknown) => (await (await post(path, body)).json()) as Change;
const exported = async () =>
  (await (await api.get("/api/system/configuration")).json()) as { readonly site: ExportedSite };
const rename = (name: string) => (site: Site) => ({
  ...site,
  cameras: site.cameras.map((camera) => (camera.id === GATE_ID ? { ...camera, name } : camera)),
});
const gate = () => api.site.current.cameras.find(({ id }) => id === GATE_ID);

describe("the configuration as a file", () => {
  it("has no passwords, and no logins in addresses", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => ({
        ...camera,
        connection: { ...camera.connection, hostname: "rtsp://viewer:hidden-one@192.0.2.1/main" },
      })),
    }));
    const text = JSON.stringify(await exported());
    expect(text).toContain("rtsp://192.0.2.1/main");
    for (const secret of ["hidden-one", "camera-password", api.site.current.users[0]?.secret ?? "?"])
      expect(text).not.toContain(secret);
  });

  it("is imported as it was exported: nothing changes, passwords and logins of addresses stay", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => ({
        ...camera,
        connection: { ...camera.connection, hostname: "rtsp://viewer:hidden-one@192.0.2.1/main" },
      })),
    }));
    const before = api.site.current;
    const answer = await change("/api/system/configuration", { Document: await exported() });
    expect(answer).toEqual({
      Revision: before.revision,
      IsChanged: false,
      Summary: "nothing changed",
      Notes: [],
    });
    expect(api.site.current).toEqual(before);
  });

  it("says in a dry run what it would change, and changes it otherwise, in the user's name", async () => {
    const document = await exported();
    await api.site.change(rename("Another gate"));
    const { revision } = api.site.current;
    const dry = await change("/api/system/configuration", { Document: document, DryRun: true });
    expect(dry).toMatchObject({ Revision: revision, IsChanged: true, Summary: "camera Gate (name) changed" });
    expect(gate()?.name).toBe("Another gate");
    const done = await change("/api/system/configuration", { Document: document });
    expect(done).toMatchObject({ Revision: revision + 1, IsChanged: true });
    expect(gate()).toMatchObject({ name: "Gate", connection: { password: "camera-password" } });
    expect((await api.revisions.history())[0]?.by?.name).toBe("root");
  });

  it("of another recorder locks whom nobody knows here, but not who imports it", async () => {
    const document = await exported();
    const users = document.site.users.map((user) => ({ ...user, id: user.id.replace(/^6/, "7") }));
    const other = { ...document, site: { ...document.site, users } };
    const answer = await change("/api/system/configuration", { Document: other });
    expect(answer.Notes).toEqual([
      "users who keep the password they have here: root",
      "users locked until they get a password: guard",
    ]);
    expect((await api.get("/api/system/configuration")).status).toBe(200);
    const [root, guard] = api.site.current.users;
    expect([root?.secret === "locked", guard?.secret]).toEqual([false, "locked"]);
  });

  it("says which cameras have one name, and which are one device", async () => {
    await api.site.change((site) => {
      const [first] = site.cameras;
      if (first === undefined) throw new Error("no camera");
      const identity = { deviceIdentity: "urn:uuid:1" };
      const twice = site.cameras.map((camera, at) =>
        at > 1 ? camera : { ...camera, connection: { ...camera.connection, ...identity } },
      );
      return {
        ...site,
        cameras: twice.map((camera, at) => (at === 2 ? { ...camera, name: "GATE" } : camera)),
      };
    });
    const names = api.site.current.cameras.map(({ name }) => name);
    const { Notes } = await change("/api/system/configuration", { Document: await exported(), DryRun: true });
    expect(Notes).toEqual([
      `cameras with one name, which lists and alarms cannot distinguish: ${names[0]}, GATE`,
      `cameras that are the same device, so that it is recorded twice: ${names[0]}, ${names[1]}`,
    ]);
  });

  it("says whose address has a hidden login that nobody knows here, in a dry run too", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) =>
        camera.id === GATE_ID
          ? {
              ...camera,
              connection: {
                ...camera.connection,
                hostname: "rtsp://192.0.2.1/user=admin_password=hidden-one_channel=1",
              },
            }
          : camera,
      ),
    }));
    const document = await exported();
    expect(JSON.stringify(document)).not.toContain("hidden-one");
    expect((await change("/api/system/configuration", { Document: document })).Notes).toEqual([]);
    const cameras = document.site.cameras.map((camera) => ({
      ...camera,
      ...(camera.name === "Gate" ? { id: "77777777-0000-4000-8000-000000000001" } : {}),
    }));
    const other = JSON.parse(
      JSON.stringify({ ...document, site: { ...document.site, cameras } }).replaceAll(
        GATE_ID,
        "77777777-0000-4000-8000-000000000001",
      ),
    ) as object;
    for (const DryRun of [true, false]) {
      const { Notes } = await change("/api/system/configuration", { Document: other, DryRun });
      expect(Notes).toContain("cameras with a hidden login (***) in an address, to be entered again: Gate");
    }
  });

  it.each([
    [{ Document: { site: {} } }, "not an exported configuration"],
    [{ Document: { nvrdConfiguration: 99, site: {} } }, "newer"],
    [{ Document: { nvrdConfiguration: 4, site: { cameras: "none" } } }, "configuration not imported"],
    [{}, "Document"],
  ])("that is none is refused, with what is wrong: %#", async (body, reason) => {
    const response = await post("/api/system/configuration", body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ ErrorMessage: expect.stringContaining(reason) });
  });

  it("is not for who may not administer", async () => {
    const statuses = await Promise.all([
      fetch(api.url("/api/system/configuration?login=guard")),
      fetch(api.url("/api/system/configuration/history?login=guard")),
      post("/api/system/configuration", { Document: {} }, "login=guard"),
      post("/api/system/configuration/revert", { Revision: 7 }, "login=guard"),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});

describe("the history of the configuration", () => {
  it("tells who changed what, the newest first", async () => {
    const by = { userId: "66666666-0000-4000-8000-000000000001", name: "root" };
    await api.site.change(rename("Another gate"), { by, summary: "camera Gate (name) changed" });
    const { revision } = api.site.current;
    const history = (await (await api.get("/api/system/configuration/history")).json()) as object[];
    expect(history[0]).toMatchObject({ Revision: revision, By: "root", IsCurrent: true });
    expect(history[1]).toMatchObject({ Revision: revision - 1, By: null, IsCurrent: false });
    const inRussian = await (await api.get("/api/system/configuration/history?language=ru")).json();
    expect((inRussian as object[])[0]).toMatchObject({ Summary: "камеры Gate (название): изменены" });
  });

  it("brings a former configuration back, with the passwords of now", async () => {
    const { revision } = api.site.current;
    const withPassword = (site: Site) => ({
      ...rename("Another gate")(site),
      users: site.users.map((user) => (user.name === "guard" ? { ...user, secret: ROOT_SECRET } : user)),
    });
    await api.site.change(withPassword);
    const dry = await change("/api/system/configuration/revert", { Revision: revision, DryRun: true });
    expect(dry).toMatchObject({ IsChanged: true, Summary: "camera Gate (name) changed" });
    expect(gate()?.name).toBe("Another gate");
    await change("/api/system/configuration/revert", { Revision: revision });
    expect(gate()?.name).toBe("Gate");
    expect(api.site.current.users.find(({ name }) => name === "guard")?.secret).toBe(ROOT_SECRET);
  });

  it("gives an away target that comes back its secrets of then, and one that stayed those of now", async () => {
    const [gone, stayed] = [
      awayTarget({ id: "88888888-0000-4000-8000-000000000001", proxyPassword: "proxy-of-then" }),
      awayTarget({ id: "88888888-0000-4000-8000-000000000002", name: "attic", bucket: "other" }),
    ];
    await api.site.change((site) => ({ ...site, awayTargets: [gone, stayed] }));
    const { revision } = api.site.current;
    const present = { ...stayed, secretAccessKey: "secret-of-now" };
    await api.site.change((site) => ({ ...site, awayTargets: [present] }));
    await change("/api/system/configuration/revert", { Revision: revision });
    expect(api.site.current.awayTargets).toEqual([gone, present]);
  });

  it("knows no revision that is not stored", async () => {
    expect((await post("/api/system/configuration/revert", { Revision: 9999 })).status).toBe(404);
    expect((await post("/api/system/configuration/revert", { Revision: "last" })).status).toBe(400);
  });
});
