import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID } from "../../support/api/api-fakes.js";

const HOOK = { Name: "Chat", Kind: "Webhook", Webhook: { Url: "https://chat.example/T0K3N", Secret: "key" } };
const MAIL = {
  ...{ Name: "Owner", Kind: "Mail" },
  Mail: {
    Host: "mail.example",
    Sender: "nvr@example.org",
    Recipients: ["owner@example.org"],
    Password: "secret",
  },
};

const createdId = (json: unknown): string =>
  (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds[0] ?? "";

it("a new target tells errors of all cameras and of the recorder", async () => {
  const admin = await startAdministration();
  const { json } = await admin.call("POST", "/configure/alarms", [HOOK]);
  expect((await admin.call("GET", `/configure/alarms/${createdId(json)}`)).json).toEqual({
    Id: createdId(json),
    Name: "Chat",
    IsEnabled: true,
    Kind: "Webhook",
    Events: "Errors",
    EventTypeIds: [],
    AllChannels: true,
    ChannelIds: [],
    RecorderEvents: true,
    PerHourMax: 60,
    QuietHours: { IsOn: false, From: "22:00", To: "06:00", ErrorsAnyway: true },
    SendingHours: { IsOn: false, Week: null, Otherwise: "Later", ErrorsAnyway: true },
    Webhook: {
      ...{ Url: "https://chat.example/***", Secret: null },
      ...{ Form: "Nvrd", To: "", HasPicture: true, PageUrl: "" },
    },
    Mail: null,
    Syslog: null,
  });
});

it.each([
  ["Tls", 465],
  ["StartTls", 587],
  ["None", 25],
])("mail over %s goes to port %i unless another is given", async (Security, port) => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [{ ...MAIL, Mail: { ...MAIL.Mail, Security } }]);
  expect(admin.site.alarmTargets[0]?.delivery).toMatchObject({ port });
});

it("what GET answered can be sent back as it is, and changes nothing", async () => {
  const admin = await startAdministration();
  const syslog = {
    Name: "Log",
    Kind: "Syslog",
    Syslog: { Host: "::1", Transport: "Tls" },
    ChannelIds: [GATE_ID],
  };
  await admin.call("POST", "/configure/alarms", [HOOK, MAIL, syslog]);
  const before = admin.site.alarmTargets;
  const { json } = await admin.call("GET", "/configure/alarms");
  expect((await admin.call("PUT", "/configure/alarms", json)).status).toBe(200);
  expect(admin.site.alarmTargets).toEqual(before);
  expect(before.map(({ channelIds }) => channelIds)).toEqual(["all", "all", [GATE_ID]]);
});

it("a secret is kept until another comes or it is taken away", async () => {
  const admin = await startAdministration();
  const id = createdId((await admin.call("POST", "/configure/alarms", [HOOK])).json);
  const secretAfter = async (change: object) => {
    expect((await admin.call("PUT", "/configure/alarms", [{ Id: id, ...change }])).status).toBe(200);
    return admin.site.alarmTargets[0]?.delivery;
  };
  expect(await secretAfter({ Webhook: { Secret: "" } })).toMatchObject({ secret: "key" });
  expect(await secretAfter({ Webhook: { Secret: "other" } })).toMatchObject({ secret: "other" });
  expect(await secretAfter({ ClearSecrets: true })).toMatchObject({ secret: "" });
});

it("another kind begins anew: no secret goes from one to the other", async () => {
  const admin = await startAdministration();
  const id = createdId((await admin.call("POST", "/configure/alarms", [HOOK])).json);
  await admin.call("PUT", "/configure/alarms", [{ Id: id, ...MAIL, Mail: { ...MAIL.Mail, Password: null } }]);
  expect(admin.site.alarmTargets[0]?.delivery).toMatchObject({ kind: "mail", password: "" });
});

it("a deleted camera is reported no more", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [{ ...HOOK, ChannelIds: [GATE_ID] }]);
  expect((await admin.call("DELETE", `/configure/channels/${GATE_ID}`)).status).toBe(200);
  expect(admin.site.alarmTargets[0]?.channelIds).toEqual([]);
});

it.each<[object, string]>([
  [{ Name: "A" }, "[0].Kind: is required"],
  [{ Name: "A", Kind: "Pager" }, "[0].Kind: Webhook, Mail, Syslog"],
  [{ Name: "A", Kind: "Webhook" }, "[0].Webhook.Url: is required"],
  [{ ...HOOK, Webhook: { Url: "ftp://a/" } }, "[0].Webhook.Url: an http:// or https:// URL"],
  [{ ...HOOK, Webhook: { Url: "http://u:p@a/" } }, "[0].Webhook.Url: a URL without user and password"],
  [{ Name: "A", Kind: "Mail" }, "[0].Mail.Host: is required"],
  [{ ...MAIL, Mail: { ...MAIL.Mail, Recipients: [] } }, "[0].Mail.Recipients: at least one recipient"],
  [{ ...MAIL, Mail: { ...MAIL.Mail, Sender: "a@b\r\nBcc: c@d" } }, "[0].Mail.Sender"],
  [{ ...MAIL, Mail: { ...MAIL.Mail, Sender: "a,b@c" } }, "[0].Mail.Sender: a mail address"],
  [{ ...MAIL, Mail: { ...MAIL.Mail, Host: "a b" } }, "[0].Mail.Host: a host name or an address"],
  [
    { Name: "A", Kind: "Syslog", Syslog: { Host: "a", Facility: 24 } },
    "[0].Syslog.Facility: a whole number 0 to 23",
  ],
  [{ ...HOOK, Events: "Chosen" }, "[0].EventTypeIds: is required with Events: Chosen"],
  [{ ...HOOK, Events: "Errors", EventTypeIds: [EVENT_TYPES.login.id] }, "contradicts Events: Errors"],
  [{ ...HOOK, EventTypeIds: [GATE_ID] }, "no event type has the id"],
  [{ ...HOOK, ChannelIds: [EVENT_TYPES.login.id] }, "no channel has the id"],
  [{ ...HOOK, AllChannels: true, ChannelIds: [GATE_ID] }, "contradicts AllChannels: true"],
  [{ ...HOOK, PerHourMax: 0 }, "[0].PerHourMax: a whole number 1 to 3600"],
])("%j is refused", async (target, reason) => {
  const admin = await startAdministration();
  const answer = await admin.call("POST", "/configure/alarms", [target]);
  const status = /^no .* has the id/.test(reason) ? 404 : 400;
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(reason)]);
  expect(answer.text).not.toMatch(/T0K3N|secret|key/);
});

it("a test is sent to the named target, and its outcome answered", async () => {
  const admin = await startAdministration();
  const id = createdId((await admin.call("POST", "/configure/alarms", [HOOK, MAIL])).json);
  expect((await admin.call("POST", "/api/alarms/test", { Id: id })).json).toEqual({
    Results: [{ Id: id, Name: "Chat", IsSent: true, Problem: null }],
  });
  const all = await admin.call("POST", "/api/alarms/test");
  expect((all.json as { Results: { Name: string }[] }).Results.map(({ Name }) => Name)).toEqual([
    "Chat",
    "Owner",
  ]);
  expect(admin.api.alarmMessages.map(({ target, isTest }) => [target, isTest])).toEqual([
    ["Chat", true],
    ["Chat", true],
    ["Owner", true],
  ]);
  expect((await admin.call("POST", "/api/alarms/test", { Id: GATE_ID })).status).toBe(404);
});

it("GET /api/alarms says how each target's messages go", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [HOOK]);
  expect((await admin.call("GET", "/api/alarms")).json).toEqual([
    {
      Id: admin.site.alarmTargets[0]?.id,
      Name: "Chat",
      IsEnabled: true,
      IsFailing: false,
      IsLimited: false,
      IsQuiet: false,
      WaitingEvents: 0,
      OmittedEvents: 0,
      LastSentTime: null,
      LastResult: null,
      Problem: null,
    },
  ]);
});

it("GET /api/alarms says how the last message went, also a test", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [HOOK]);
  await admin.call("POST", "/api/alarms/test", {});
  expect((await admin.call("GET", "/api/alarms")).json).toMatchObject([
    { LastResult: { IsTest: true, IsSent: true, Problem: null } },
  ]);
});

it("quiet hours are kept, changed in part, and switched off", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [
    { ...HOOK, QuietHours: { IsOn: true, From: "23:30", To: "05:45" } },
  ]);
  const [{ id = "" } = {}] = admin.site.alarmTargets;
  expect(admin.site.alarmTargets[0]?.quietHours).toEqual({
    fromMinute: 1410,
    toMinute: 345,
    areErrorsTold: true,
  });
  await admin.call("PUT", "/configure/alarms", [{ Id: id, QuietHours: { ErrorsAnyway: false } }]);
  expect((await admin.call("GET", `/configure/alarms/${id}`)).json).toMatchObject({
    QuietHours: { IsOn: true, From: "23:30", To: "05:45", ErrorsAnyway: false },
  });
  await admin.call("PUT", "/configure/alarms", [{ Id: id, QuietHours: { IsOn: false } }]);
  expect(admin.site.alarmTargets[0]).not.toHaveProperty("quietHours");
});

it.each([
  [{ IsOn: true, From: "24:30" }, 400],
  [{ IsOn: true, From: "9:00" }, 400],
  [{ IsOn: true, From: "06:00", To: "06:00" }, 409],
])("quiet hours of %j are refused", async (QuietHours, status) => {
  const admin = await startAdministration();
  const answer = await admin.call("POST", "/configure/alarms", [{ ...HOOK, QuietHours }]);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain("QuietHours");
});

const OFFICE = [{ From: "08:00", To: "18:00" }];
const hoursOf = (part: object = {}) => ({ IsOn: true, Week: { Monday: OFFICE, Friday: OFFICE }, ...part });

it("the hours of a week are kept, changed in part, and switched off", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [{ ...HOOK, SendingHours: hoursOf() }]);
  const [{ id = "" } = {}] = admin.site.alarmTargets;
  const day = [{ fromMinute: 480, toMinute: 1080 }];
  expect(admin.site.alarmTargets[0]?.sendingHours).toEqual({
    week: { Monday: day, Friday: day },
    ...{ areOthersKept: true, areErrorsTold: true },
  });
  await admin.call("PUT", "/configure/alarms", [{ Id: id, SendingHours: { Otherwise: "Never" } }]);
  expect((await admin.call("GET", `/configure/alarms/${id}`)).json).toMatchObject({
    SendingHours: { ...hoursOf(), Otherwise: "Never", ErrorsAnyway: true },
  });
  await admin.call("PUT", "/configure/alarms", [{ Id: id, SendingHours: { IsOn: false } }]);
  expect(admin.site.alarmTargets[0]).not.toHaveProperty("sendingHours");
});

it("the hours of a week and quiet hours take turns", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [{ ...HOOK, QuietHours: { IsOn: true } }]);
  const [{ id = "" } = {}] = admin.site.alarmTargets;
  await admin.call("PUT", "/configure/alarms", [{ Id: id, SendingHours: hoursOf() }]);
  expect(admin.site.alarmTargets[0]).not.toHaveProperty("quietHours");
  const target = (await admin.call("GET", `/configure/alarms/${id}`)).json as object;
  await admin.call("PUT", "/configure/alarms", [target]);
  expect(admin.site.alarmTargets[0]).toHaveProperty("sendingHours");
  await admin.call("PUT", "/configure/alarms", [{ Id: id, QuietHours: { IsOn: true } }]);
  expect(admin.site.alarmTargets[0]).not.toHaveProperty("sendingHours");
  expect(admin.site.alarmTargets[0]).toHaveProperty("quietHours");
});

it.each([
  ["no week", { Week: null }, 400, "Week: is required"],
  ["a week without hours", { Week: {} }, 409, "Week: has no hours"],
  ["a misspelled day", { Week: { Mondays: OFFICE } }, 400, "Mondays: unknown member"],
  ["a time that is none", { Week: { Monday: [{ From: "8:00", To: "18:00" }] } }, 400, "Monday[0].From"],
  ["a range beyond midnight", { Week: { Monday: [{ From: "22:00", To: "06:00" }] } }, 409, "next day"],
  ["two that overlap", { Week: { Monday: [...OFFICE, { From: "17:00", To: "19:00" }] } }, 409, "overlap"],
  ["another word for other hours", { Otherwise: "Sometimes" }, 400, "Otherwise: Later, Never"],
] as const)("hours of a week with %s are refused", async (_, part, status, text) => {
  const admin = await startAdministration();
  const answer = await admin.call("POST", "/configure/alarms", [{ ...HOOK, SendingHours: hoursOf(part) }]);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
});

it("both at once are refused", async () => {
  const admin = await startAdministration();
  const both = { SendingHours: hoursOf(), QuietHours: { IsOn: true } };
  const answer = await admin.call("POST", "/configure/alarms", [{ ...HOOK, ...both }]);
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("contradicts QuietHours")]);
});

const NTFY = {
  ...{ Name: "Phone", Kind: "Webhook" },
  Webhook: { Url: "https://ntfy.sh", Form: "Ntfy", To: "gate_alarms" },
};

it.each([
  ["Ntfy", { To: "no topic" }, "Webhook.To: a topic"],
  ["Telegram", { To: "42" }, "Webhook.Secret: the token"],
  ["Pushover", { To: "short", Secret: "token" }, "Webhook.To: the key of a user"],
  ["Ntfy", { To: "gate", PageUrl: "nvr" }, "Webhook.PageUrl: an http"],
  ["Nobody", {}, "Webhook.Form: "],
] as const)("a target of %s with %j is refused by its member", async (Form, given, fault) => {
  const admin = await startAdministration();
  const Webhook = { ...NTFY.Webhook, Form, To: "", ...given };
  const { status, json } = await admin.call("POST", "/configure/alarms", [{ ...NTFY, Webhook }]);
  expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(fault)]);
});

it("a token of a service does not go to another address", async () => {
  const admin = await startAdministration();
  const Webhook = { ...NTFY.Webhook, Form: "Telegram", To: "42", Url: "https://api.telegram.org" };
  const target = { ...NTFY, Webhook: { ...Webhook, Secret: "123:token" } };
  const Id = createdId((await admin.call("POST", "/configure/alarms", [target])).json);
  const change = (part: object) => admin.call("PUT", "/configure/alarms", [{ Id, Webhook: part }]);
  expect((await change({ Url: "https://evil.example" })).status).toBe(400);
  expect((await change({ To: "-43", HasPicture: false })).status).toBe(200);
  expect(admin.site.alarmTargets[0]?.delivery).toMatchObject({
    ...{ form: "telegram", to: "-43", hasPicture: false, secret: "123:token" },
    url: "https://api.telegram.org",
  });
});

it("a target without a service is kept as earlier versions did", async () => {
  const admin = await startAdministration();
  await admin.call("POST", "/configure/alarms", [HOOK]);
  expect(admin.site.alarmTargets[0]?.delivery).toEqual({
    ...{ kind: "webhook", url: "https://chat.example/T0K3N", secret: "key" },
  });
});
