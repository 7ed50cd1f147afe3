import { afterEach, describe, expect, it } from "vitest";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";

const BROKER = { Url: "mqtts://broker.example", Login: "nvrd", Password: "the broker's own" };
let api: ApiHarness;

afterEach(() => api.stop());

const ask = (method: string, path: string, body?: object, query = ROOT_QUERY) =>
  fetch(api.url(`/api/system/broker${path}?${query}`), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const put = (body: object, query?: string) => ask("PUT", "", body, query);
const faultOf = async (response: Response) => [response.status, await response.text()] as const;

describe("the MQTT broker", () => {
  it("is nobody's at first", async () => {
    api = await startApi();
    expect(await (await ask("GET", "")).json()).toEqual({
      ...{ Source: "None", Url: null, IsConnected: false, Since: null, Problem: null },
      ...{ Settings: null, SettingsFileUrl: null },
    });
  });

  it("is set, changed and taken out by administrators, without a word of its password", async () => {
    api = await startApi();
    expect((await put(BROKER, "login=guard")).status).toBe(403);
    expect(await (await put(BROKER)).json()).toMatchObject({
      Source: "Configuration",
      Settings: { ...BROKER, Password: null, Prefix: "nvrd", DiscoveryPrefix: "homeassistant" },
    });
    await put({ Prefix: "house/nvrd", DiscoveryPrefix: "", UserName: "root" });
    expect(api.site.current.broker).toMatchObject({
      ...{ url: BROKER.Url, login: "nvrd", password: BROKER.Password },
      ...{ prefix: "house/nvrd", discoveryPrefix: "", userName: "root" },
    });
    expect((await ask("DELETE", "")).status).toBe(200);
    expect(api.site.current.broker).toBeUndefined();
    expect(JSON.stringify([api.logLines, api.events.raised])).not.toContain(BROKER.Password);
  });

  it.each([
    ["another host", { Url: "mqtts://elsewhere.example" }],
    ["another port", { Url: "mqtts://broker.example:8884" }],
    ["no TLS", { Url: "mqtt://broker.example" }],
    ["another login", { Login: "other" }],
  ])("gets no password that was entered for another one: %s", async (_what, change) => {
    api = await startApi();
    await put(BROKER);
    for (const request of [put(change), ask("POST", "/test", change)])
      expect(await faultOf(await request)).toEqual([
        409,
        expect.stringContaining("Password: is that of another server: enter it again"),
      ]);
    expect(api.broker.tried).toEqual([]);
    expect((await put({ ...change, Password: "its own" })).status).toBe(200);
  });

  it("loses the password with the login", async () => {
    api = await startApi();
    await put(BROKER);
    await put({ Login: "" });
    expect(api.site.current.broker?.password).toBe("");
  });

  it.each([
    ["an address of another kind", { Url: "http://broker.example" }, 400, "mqtt://host or mqtts://host"],
    ["a login in the address", { Url: "mqtt://me:secret@broker.example" }, 400, "no login"],
    ["a prefix with a wildcard", { ...BROKER, Prefix: "nvrd/#" }, 400, "levels of letters"],
    ["no address", { Login: "nvrd" }, 409, "Url: is required where there is none yet"],
    ["a user that there is not", { ...BROKER, UserName: "nobody" }, 409, "UserName: there is no such user"],
  ])("is refused with %s", async (_what, body, status, text) => {
    api = await startApi();
    expect(await faultOf(await put(body))).toEqual([status, expect.stringContaining(text)]);
  });

  it("is changed where its user was removed since", async () => {
    api = await startApi();
    await put({ ...BROKER, UserName: "guard" });
    await api.site.change((site) => ({ ...site, users: site.users.filter(({ name }) => name !== "guard") }));
    expect((await put({ Prefix: "house", UserName: "guard" })).status).toBe(200);
    expect((await put({ UserName: "" })).status).toBe(200);
    expect((await put({ UserName: "guard" })).status).toBe(409);
  });

  it("is tried with what is stored and what is given, and nothing is changed", async () => {
    api = await startApi();
    await put(BROKER);
    expect(await (await ask("POST", "/test", { Prefix: "tried" })).json()).toEqual({
      IsAccepted: true,
      Problem: null,
    });
    api.broker.problem = "it refuses the login or its password";
    expect(await (await ask("POST", "/test", {})).json()).toEqual({
      IsAccepted: false,
      Problem: "it refuses the login or its password",
    });
    expect(api.broker.tried.map(({ prefix, password }) => [prefix, password])).toEqual([
      ["tried", BROKER.Password],
      ["nvrd", BROKER.Password],
    ]);
    expect(api.site.current.broker?.prefix).toBe("nvrd");
  });
});
