import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { PushBrowser } from "../../support/alarm/push-receiver.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID } from "../../support/api/api-fakes.js";

const LIST = "/api/push/subscriptions";
const subscription = (part: object = {}): object => ({
  ...{ Name: "Phone", Endpoint: "https://push.example/s3cret", Keys: new PushBrowser().keys },
  ...part,
});

const OFF_CURVE = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString("base64url");

interface Item {
  readonly Id: string;
  readonly [name: string]: unknown;
}

it("a browser is subscribed, changed and removed, and its address is shown by its host alone", async () => {
  const admin = await startAdministration();
  const { json, text } = await admin.call(
    "POST",
    LIST,
    subscription({ ChannelIds: [GATE_ID], Language: "ru" }),
  );
  const { Id, ...made } = json as Item;
  expect(made).toMatchObject({
    ...{ Name: "Phone", Host: "push.example", Login: "root", IsOwn: true, Language: "ru", Events: "Errors" },
    ...{ AllChannels: false, ChannelIds: [GATE_ID], RecorderEvents: true, LastResult: null },
    QuietHours: { IsOn: false, From: "22:00", To: "06:00", ErrorsAnyway: true },
  });
  expect(text).not.toContain("s3cret");
  const change = { Events: "ErrorsAndAlarms", QuietHours: { IsOn: true } };
  await admin.call("PUT", `${LIST}/${Id}`, change);
  expect((await admin.call("GET", LIST)).json).toMatchObject([
    { Id, Events: "ErrorsAndAlarms", ChannelIds: [GATE_ID], QuietHours: { IsOn: true } },
  ]);
  const SendingHours = { IsOn: true, Week: { Sunday: [{ From: "00:00", To: "24:00" }] }, Otherwise: "Never" };
  await admin.call("PUT", `${LIST}/${Id}`, { SendingHours });
  expect((await admin.call("GET", LIST)).json).toMatchObject([
    { Id, Events: "ErrorsAndAlarms", QuietHours: { IsOn: false }, SendingHours },
  ]);
  expect((await admin.call("POST", `${LIST}/${Id}/test`)).json).toMatchObject({
    IsSent: true,
    Problem: null,
  });
  expect((await admin.call("DELETE", `${LIST}/${Id}`)).status).toBe(200);
  expect((await admin.call("GET", LIST)).json).toEqual([]);
});

it.each([
  ["an address without TLS", { Endpoint: "http://push.example/" }, /^Endpoint: /],
  ["a key that is none", { Keys: { ...new PushBrowser().keys, P256dh: "AAAA" } }, /^Keys\.P256dh: /],
  ["a key beside the curve", { Keys: { ...new PushBrowser().keys, P256dh: OFF_CURVE } }, /^Keys\.P256dh: /],
  ["a secret of another length", { Keys: { ...new PushBrowser().keys, Auth: "AAAA" } }, /^Keys\.Auth: /],
  ["quiet hours that never begin", { QuietHours: { IsOn: true, From: "06:00" } }, /^QuietHours\.To: /],
  ["a channel that there is not", { ChannelIds: ["0d9c0000-0000-4000-8000-00000000dead"] }, /^ChannelIds: /],
])("%s is refused", async (_, part, expected) => {
  const admin = await startAdministration();
  const { status, json } = await admin.call("POST", LIST, subscription(part));
  expect(status).toBeGreaterThanOrEqual(400);
  expect((json as { ErrorMessage: string }).ErrorMessage).toMatch(expected);
});

it("another user neither sees nor changes a subscription; an administrator sees and removes it", async () => {
  const admin = await startAdministration();
  const { json } = await admin.call("POST", LIST, subscription());
  const { Id } = json as Item;
  const [, guest] = admin.site.users;
  if (guest === undefined) throw new Error("the sample has another user");
  await admin.call("PUT", "/configure/users", [{ Id: guest.id, Password: "a long sentence of hers" }]);
  const asGuest = async (method: string, path: string, body?: object) => {
    const Authorization = `Basic ${Buffer.from(`${guest.name}:a long sentence of hers`).toString("base64")}`;
    return await fetch(admin.api.url(path), {
      ...{ method, headers: { Authorization, "Content-Type": "application/json" } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  expect(await (await asGuest("GET", LIST)).json()).toEqual([]);
  expect((await asGuest("PUT", `${LIST}/${Id}`, { Events: "Errors" })).status).toBe(404);
  expect((await asGuest("DELETE", `${LIST}/${Id}`)).status).toBe(404);
  const own = (await (
    await asGuest("POST", LIST, subscription({ Endpoint: "https://push.example/guest" }))
  ).json()) as Item;
  expect((await admin.call("PUT", `${LIST}/${own.Id}`, { Events: "Errors" })).status).toBe(404);
  expect((await admin.call("DELETE", `${LIST}/${own.Id}`)).status).toBe(200);
});

it("who subscribed, changed and removed which browser is reported as an event, without its address", async () => {
  const admin = await startAdministration();
  const { json } = await admin.call("POST", LIST, subscription({ Name: "Phone" }));
  const { Id } = json as Item;
  await admin.call("PUT", `${LIST}/${Id}`, { Events: "Errors" });
  await admin.call("DELETE", `${LIST}/${Id}`);
  const { pushSubscribed, pushChanged, pushUnsubscribed } = EVENT_TYPES;
  const types = [pushSubscribed.id, pushChanged.id, pushUnsubscribed.id];
  const raised = admin.api.events.raised.filter(({ typeId }) => types.includes(typeId as never));
  expect(raised.map(({ typeId }) => typeId)).toEqual(types);
  const [root] = admin.site.users;
  for (const event of raised)
    expect(event).toMatchObject({
      comment: "Phone, push.example",
      initiator: { type: 1, id: root?.id, name: "root" },
    });
});
