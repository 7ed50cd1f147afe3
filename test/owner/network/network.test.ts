import { expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { ROOT_MD5 } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { TRIAL_TOKEN } from "../../support/api/memory/memory-network.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return await fetch(api.url(`/api/network${path}?login=root&password=${ROOT_MD5}`), {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

it("GET /api/network shows the interfaces, and who configures them", async () => {
  expect(await (await send("GET", "")).json()).toMatchObject({
    ...{ Name: "nvrd-1", TimeZone: "Europe/Berlin", CanChange: true, Trial: null },
    Interfaces: [
      {
        ...{ Name: "eth0", HasLink: true, SpeedMbps: 1000, ConfiguredBy: "networkd", CanChange: true },
        Addresses: [{ Address: "192.168.1.5/24", Origin: "Dhcp" }],
      },
      {
        Name: "eth1",
        HasLink: false,
        ConfiguredBy: "ifupdown",
        CanChange: false,
        Reason: "ifupdown configures eth1",
      },
    ],
  });
});

it("PUT /api/network begins a trial with 202 and a token", async () => {
  const answer = await send("PUT", "", {
    Interface: "eth0",
    IPv4: { Method: "Fixed", Address: "192.168.1.20/24", Gateway: "192.168.1.1" },
  });
  expect(answer.status).toBe(202);
  expect(await answer.json()).toMatchObject({
    Token: TRIAL_TOKEN,
    Trial: { RemainingSeconds: 90, Addresses: ["192.168.1.20"], Settings: { IPv6: { Method: "Automatic" } } },
  });
  expect(api.network.asked).toMatchObject([{ begin: { interface: "eth0" }, by: { name: "root" } }]);
});

it("PUT /api/network is 409 where the trial is ended before it is answered, and says where to look", async () => {
  const begin = api.network.begin.bind(api.network);
  api.network.begin = async (plan, by) => {
    const token = await begin(plan, by);
    await api.network.end(by);
    return token;
  };
  const answer = await send("PUT", "", { Interface: "eth0", IPv4: { Method: "Dhcp" } });
  expect(answer.status).toBe(409);
  expect(await answer.text()).toMatch(/ended before it was answered.*GET \/api\/network/s);
});

it.each([
  ["no interface", {}, /Interface: is required/],
  ["a path as interface", { Interface: "../eth0" }, /Interface/],
  ["another method", { Interface: "eth0", IPv4: { Method: "Magic" } }, /IPv4\.Method: Dhcp, Fixed, Off/],
  [
    "a fixed address without one",
    { Interface: "eth0", IPv4: { Method: "Fixed" } },
    /IPv4\.Address: is required/,
  ],
  [
    "an address for DHCP",
    { Interface: "eth0", IPv4: { Method: "Dhcp", Address: "1.2.3.4/8" } },
    /only Method Fixed/,
  ],
  ["a line break in a time server", { Interface: "eth0", Ntp: ["a\n[Network]"] }, /Ntp\[0\]/],
])("PUT /api/network with %s is refused", async (_, body, reason) => {
  const answer = await send("PUT", "", body);
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { ErrorMessage: string }).ErrorMessage).toMatch(reason);
  expect(api.network.asked).toEqual([]);
});

it("a confirmation needs the token alone, and pages of other addresses can read its answer", async () => {
  const answer = await fetch(api.url("/api/network/confirm"), {
    method: "POST",
    headers: { Origin: "http://192.168.1.5:8080" },
    body: JSON.stringify({ Token: TRIAL_TOKEN }),
  });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(api.network.asked).toMatchObject([
    { confirm: TRIAL_TOKEN, localAddresses: ["127.0.0.1"], asked: "127.0.0.1" },
  ]);
  api.network.refusal = new NvrdError("CONFLICT", "this trial is over", { hint: "" });
  const refused = await fetch(api.url("/api/network/confirm"), {
    method: "POST",
    body: JSON.stringify({ Token: TRIAL_TOKEN }),
  });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([409, "*"]);
});

it("DELETE /api/network/trial and PUT /api/network/box are done under the user's name", async () => {
  expect((await send("DELETE", "/trial")).status).toBe(200);
  const box = await send("PUT", "/box", { Name: "depot" });
  expect(await box.json()).toEqual({ Name: "nvrd-1", TimeZone: "Europe/Berlin" });
  expect(api.network.asked).toMatchObject([
    { end: true, by: { name: "root" } },
    { box: { name: "depot", timeZone: null }, by: { name: "root" } },
  ]);
  expect((await send("PUT", "/box", { Name: "-depot" })).status).toBe(400);
  expect((await send("PUT", "/box", {})).status).toBe(400);
});
