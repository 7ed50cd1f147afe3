import { afterEach, describe, expect, it } from "vitest";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";

let api: ApiHarness;

afterEach(() => api.stop());

const ask = (method: string, body?: object, query = ROOT_QUERY) =>
  fetch(api.url(`/api/system/onvif-device?${query}`), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe("the users of the ONVIF device", () => {
  it("are nobody at first", async () => {
    api = await startApi();
    expect(await (await ask("GET")).json()).toEqual({
      ...{ Source: "None", IsRunning: false, Path: "/onvif/device_service", Users: [], Settings: null },
    });
  });

  it("are set by administrators, and shown with whether they can log in", async () => {
    api = await startApi();
    api.onvifDevice.ready.add("root");
    expect((await ask("PUT", { UserNames: ["root"] }, "login=guard")).status).toBe(403);
    expect(await (await ask("PUT", { UserNames: ["root", "guard"] })).json()).toMatchObject({
      Source: "Configuration",
      Users: [
        { Name: "root", IsReady: true },
        { Name: "guard", IsReady: false },
      ],
      Settings: { UserNames: ["root", "guard"], IsForAllUsers: false, IsAnnounced: true },
    });
    await ask("PUT", { IsAnnounced: false });
    expect(api.site.current.onvifDevice).toEqual({
      ...{ userNames: ["root", "guard"], isForAllUsers: false, isAnnounced: false },
    });
    expect(await (await ask("DELETE")).json()).toMatchObject({ Source: "None", Settings: null, Users: [] });
  });

  it("are users that there are", async () => {
    api = await startApi();
    const refused = await ask("PUT", { UserNames: ["root", "nobody"] });
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining("UserNames[1]: there is no such user"),
    ]);
    expect(api.site.current.onvifDevice).toBeUndefined();
  });

  it("may hold one who was removed since", async () => {
    api = await startApi();
    await ask("PUT", { UserNames: ["guard"] });
    await api.site.change((site) => ({ ...site, users: site.users.filter(({ name }) => name !== "guard") }));
    expect((await ask("PUT", { UserNames: ["guard", "root"] })).status).toBe(200);
  });
});
