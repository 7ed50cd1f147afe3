import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ONVIF_MODEL, RTSP_MODEL } from "../../../src/camera/index.js";
import { exportSite, goesElsewhere, SECRET_PLACES, type Site } from "../../../src/site/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { GATE_ID } from "../../support/api/api-fakes.js";

type Body = Readonly<Record<string, unknown>>;

/** A stored secret, and the requests with which somebody who does not know it would have it sent elsewhere. */
interface Case {
  readonly path: string;
  /** A list of objects, each changed by its id. */
  readonly isList: boolean;
  /** Sets it, with the first value. */
  readonly first: Body;
  /** The change of the address, and the member that is asked for again. */
  readonly moves: readonly (readonly [change: Body, member: string])[];
  /** What stays at the place. */
  readonly stays: readonly Body[];
  /** Gives the secret again. */
  readonly again: Body;
  readonly secretOf: (site: Site) => string | undefined;
  readonly status: number;
}

const AUTHORITY = `-----BEGIN CERTIFICATE-----\n${"A".repeat(64)}\n-----END CERTIFICATE-----\n`;
const away = (change: Body): Body => ({ ...change, IsEnabled: false });
const camera = (change: Body): Body => ({ ConnectionSettings: { ModelId: RTSP_MODEL.id, ...change } });
const streams = (url: string): Body =>
  camera({ StreamSettings: { AlternativeStreamSettings: { VideoAdditionalParams: url } } });
const mail = (change: Body): Body => ({ Mail: change });
const webhook = (change: Body): Body => ({ Webhook: change });

/** One for each of `SECRET_PLACES`; two where a place has two kinds of secrets. */
const CASES: Readonly<Record<keyof typeof SECRET_PLACES, readonly Case[]>> = {
  camera: [
    {
      ...{ path: `/configure/channels/${GATE_ID}`, isList: false, status: 400 },
      first: camera({ Hostname: "rtsp://192.0.2.1/one", Password: "the-secret" }),
      moves: [
        [camera({ Hostname: "rtsp://192.0.2.9/one" }), "ConnectionSettings.Password"],
        [camera({ Hostname: "rtsp://192.0.2.1:555/one" }), "ConnectionSettings.Password"],
        [camera({ Hostname: "rtsps://192.0.2.1/one" }), "ConnectionSettings.Password"],
        [camera({ Hostname: "rtsp+http://192.0.2.1:554/one" }), "ConnectionSettings.Password"],
        [camera({ Hostname: "rtsp://other@192.0.2.9/one" }), "ConnectionSettings.Password"],
        [
          camera({ Hostname: "rtsp://192.0.2.9/one", Password: "", Login: "x" }),
          "ConnectionSettings.Password",
        ],
        [camera({ ModelId: ONVIF_MODEL.id, Hostname: "192.0.2.9" }), "ConnectionSettings.Password"],
        [streams("rtsp://192.0.2.9/two"), "ConnectionSettings.Password"],
        [streams(" rtsp://192.0.2.9/two"), "ConnectionSettings.Password"],
        [streams("\u00a0rtsp://192.0.2.9/two"), "ConnectionSettings.Password"],
        [streams("\ufeffRTSP://192.0.2.9/two"), "ConnectionSettings.Password"],
        [streams("rtsp://192.0.2.1.evil.example/two"), "ConnectionSettings.Password"],
        [camera({ Hostname: " rtsp://192.0.2.9/one" }), "ConnectionSettings.Password"],
        [camera({ AltVideoAdditionalParams: "rtsp://192.0.2.9/two" }), "ConnectionSettings.Password"],
        [
          camera({ ExternalNetworkPorts: [{ DefaultPortValue: 554, PortValue: 9554 }] }),
          "ConnectionSettings.Password",
        ],
      ],
      stays: [camera({ Hostname: "RTSP://192.0.2.1:554/other" }), streams("rtsp://192.0.2.1/two")],
      again: camera({ Hostname: "rtsp://192.0.2.9/one", Password: "another" }),
      secretOf: (site) => site.cameras.find(({ id }) => id === GATE_ID)?.connection.password,
    },
    {
      ...{ path: `/configure/channels/${GATE_ID}`, isList: false, status: 400 },
      first: camera({ ModelId: ONVIF_MODEL.id, Hostname: "cam.example", Password: "the-secret" }),
      moves: [
        [camera({ ModelId: ONVIF_MODEL.id, Hostname: "evil.example" }), "ConnectionSettings.Password"],
        [camera({ ModelId: ONVIF_MODEL.id, Hostname: "cam.example:81" }), "ConnectionSettings.Password"],
        [
          camera({
            ...{ ModelId: ONVIF_MODEL.id, Hostname: "cam.example" },
            StreamSettings: { MainStreamSettings: { VideoAdditionalParams: "rtsp://evil.example/" } },
          }),
          "ConnectionSettings.Password",
        ],
      ],
      stays: [
        camera({ ModelId: ONVIF_MODEL.id, Hostname: "CAM.example" }),
        camera({ ModelId: ONVIF_MODEL.id, Hostname: "https://cam.example" }),
      ],
      again: camera({ ModelId: ONVIF_MODEL.id, Hostname: "evil.example", Password: "another" }),
      secretOf: (site) => site.cameras.find(({ id }) => id === GATE_ID)?.connection.password,
    },
    {
      ...{ path: `/configure/channels/${GATE_ID}`, isList: false, status: 400 },
      first: camera({ ModelId: ONVIF_MODEL.id, Hostname: " http://cam.example", Password: "the-secret" }),
      moves: [
        [
          camera({ ModelId: ONVIF_MODEL.id, Hostname: " http://evil.example" }),
          "ConnectionSettings.Password",
        ],
        [
          camera({ ModelId: ONVIF_MODEL.id, Hostname: "\u00a0http://evil.example" }),
          "ConnectionSettings.Password",
        ],
      ],
      stays: [camera({ ModelId: ONVIF_MODEL.id, Hostname: "http://cam.example:80/onvif" })],
      again: camera({ ModelId: ONVIF_MODEL.id, Hostname: " http://evil.example", Password: "another" }),
      secretOf: (site) => site.cameras.find(({ id }) => id === GATE_ID)?.connection.password,
    },
  ],
  monitoring: [
    {
      ...{ path: "/configure/monitoring", isList: false, status: 400 },
      first: { MonitoringUrl: "http://one.example/push", Password: "the-secret" },
      moves: [
        [{ MonitoringUrl: "http://evil.example/push" }, "Password"],
        [{ MonitoringUrl: "http://one.example:81/push" }, "Password"],
        [{ MonitoringUrl: "https://one.example/push" }, "Password"],
        [{ MonitoringUrl: "http://one.example@evil.example/push" }, "Password"],
        [{ ProxySettings: { ProxyServerEnabled: true, ProxyUrl: "http://evil.example" } }, "Password"],
      ],
      stays: [{ MonitoringUrl: "http://ONE.example:80/other?x=1" }],
      again: { MonitoringUrl: "http://evil.example/push", Password: "another" },
      secretOf: ({ monitoring }) => monitoring.password,
    },
  ],
  alarm: [
    {
      ...{ path: "/configure/alarms", isList: true, status: 400 },
      first: {
        ...{ Name: "Mail", Kind: "Mail" },
        Mail: {
          ...{ Host: "mail.example", Sender: "a@b.example", Recipients: ["c@d.example"] },
          Password: "the-secret",
        },
      },
      moves: [
        [mail({ Host: "evil.example" }), "Mail.Password"],
        [mail({ Port: 2525 }), "Mail.Password"],
        [mail({ Security: "None" }), "Mail.Password"],
      ],
      stays: [mail({ Host: "MAIL.example", Login: "other" })],
      again: mail({ Host: "evil.example", Password: "another" }),
      secretOf: ({ alarmTargets: [one] }) =>
        one?.delivery.kind === "mail" ? one.delivery.password : undefined,
    },
    {
      ...{ path: "/configure/alarms", isList: true, status: 400 },
      first: {
        ...{ Name: "Chat", Kind: "Webhook" },
        Webhook: { Url: "https://chat.example/T0K3N", Secret: "the-secret" },
      },
      moves: [
        [webhook({ Url: "https://evil.example/T0K3N" }), "Webhook.Secret"],
        [webhook({ Url: "http://chat.example/T0K3N" }), "Webhook.Secret"],
        [webhook({ Url: "https://chat.example:8443/T0K3N" }), "Webhook.Secret"],
        [webhook({ Url: "https://evil.example/***" }), "Webhook.Url"],
      ],
      stays: [
        webhook({ Url: "https://chat.example/***" }),
        webhook({ Url: "https://chat.example:443/other" }),
      ],
      again: webhook({ Url: "https://evil.example/", Secret: "another" }),
      secretOf: ({ alarmTargets: [one] }) =>
        one?.delivery.kind === "webhook" ? one.delivery.secret : undefined,
    },
  ],
  awayKeys: (["SecretAccessKey", "SessionToken"] as const).map((member) => ({
    ...{ path: "/configure/away", isList: true, status: 400 },
    first: away({
      ...{ Name: "Cellar", Endpoint: "http://s3.example", Bucket: "recordings", AccessKeyId: "AKID" },
      ...{ SecretAccessKey: "a-key", [member]: "the-secret" },
    }),
    moves: [
      [
        away({ Endpoint: "http://evil.example", SecretAccessKey: "x", SessionToken: "x", [member]: null }),
        member,
      ],
      [
        away({ Endpoint: "https://s3.example", SecretAccessKey: "x", SessionToken: "x", [member]: "" }),
        member,
      ],
      [
        away({ Endpoint: "http://s3.example:81", SecretAccessKey: "x", SessionToken: "x", [member]: "" }),
        member,
      ],
      [
        away({ Proxy: "http://evil.example:3128", SecretAccessKey: "x", SessionToken: "x", [member]: "" }),
        member,
      ],
    ],
    stays: [away({ Endpoint: "http://S3.example:80" }), away({ Bucket: "others" })],
    again: away({ Endpoint: "http://evil.example", SecretAccessKey: "another", SessionToken: "another" }),
    secretOf: ({ awayTargets: [one] }: Site) =>
      member === "SessionToken" ? one?.sessionToken : one?.secretAccessKey,
  })),
  awayProxy: [
    {
      ...{ path: "/configure/away", isList: true, status: 400 },
      first: away({
        ...{ Name: "Cellar", Endpoint: "https://s3.example", Bucket: "recordings", AccessKeyId: "AKID" },
        ...{ SecretAccessKey: "a-key", Proxy: "http://proxy.example:3128", ProxyPassword: "the-secret" },
      }),
      moves: [
        [away({ Proxy: "http://evil.example:3128" }), "ProxyPassword"],
        [away({ Proxy: "http://proxy.example:3129" }), "ProxyPassword"],
      ],
      stays: [away({ Proxy: "http://PROXY.example:3128" })],
      again: away({ Proxy: "http://evil.example:3128", ProxyPassword: "another" }),
      secretOf: ({ awayTargets: [one] }) => one?.proxyPassword,
    },
  ],
  analyser: [
    {
      ...{ path: "/configure/analysers", isList: true, status: 400 },
      first: {
        ...{ Name: "Eye", Kind: "Vision" },
        Vision: { Url: "https://eye.example:32168", ApiKey: "the-secret" },
      },
      moves: [
        [{ Vision: { Url: "https://evil.example:32168" } }, "Vision.ApiKey"],
        [{ Vision: { Url: "https://eye.example" } }, "Vision.ApiKey"],
        [{ Vision: { Url: "http://eye.example:32168" } }, "Vision.ApiKey"],
        [{ Vision: { Authority: AUTHORITY } }, "Vision.ApiKey"],
      ],
      stays: [{ Vision: { Url: "https://EYE.example:32168/base" } }],
      again: { Vision: { Url: "https://evil.example", ApiKey: "another" } },
      secretOf: ({ analysers: [one] }) => (one?.source.kind === "vision" ? one.source.apiKey : undefined),
    },
  ],
  directory: [
    {
      ...{ path: "/api/system/directory", isList: false, status: 409 },
      first: {
        ...{ Url: "ldaps://dc.example.org", BaseDn: "dc=example,dc=org", IsEnabled: false },
        ...{ ServiceDn: "cn=reader,dc=example,dc=org", ServicePassword: "the-secret" },
      },
      moves: [
        [{ Url: "ldaps://evil.example.org" }, "ServicePassword"],
        [{ Url: "ldap://dc.example.org" }, "ServicePassword"],
        [{ Url: "ldaps://dc.example.org:3269" }, "ServicePassword"],
        [{ StartTls: false }, "ServicePassword"],
      ],
      stays: [{ Url: "ldaps://DC.example.org:636" }, { BaseDn: "dc=other" }],
      again: { Url: "ldaps://evil.example.org", ServicePassword: "another" },
      secretOf: ({ directory }) => directory?.servicePassword,
    },
  ],
  broker: [
    {
      ...{ path: "/api/system/broker", isList: false, status: 409 },
      first: { Url: "mqtts://broker.example", IsEnabled: false, Login: "nvrd", Password: "the-secret" },
      moves: [
        [{ Url: "mqtts://evil.example" }, "Password"],
        [{ Url: "mqtt://broker.example" }, "Password"],
        [{ Url: "mqtts://broker.example:8884" }, "Password"],
        [{ Login: "other" }, "Password"],
      ],
      stays: [{ Url: "mqtts://BROKER.example:8883" }, { Prefix: "house" }],
      again: { Url: "mqtts://evil.example", Password: "another" },
      secretOf: ({ broker }) => broker?.password,
    },
  ],
};

const ALL = Object.entries(CASES).flatMap(([name, cases]) =>
  cases.map((one, index): [string, Case] => [cases.length > 1 ? `${name} ${index + 1}` : name, one]),
);

/** The recorder with the secret set; `change` makes the body of a change of what has it. */
async function begun({ path, isList, first, secretOf }: Case) {
  const admin = await startAdministration();
  const answer = await admin.call(isList ? "POST" : "PUT", path, isList ? [first] : first);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const [id] = (answer.json as { readonly CreatedObjectsIds?: readonly string[] }).CreatedObjectsIds ?? [];
  const put = (body: Body) => admin.call("PUT", path, isList ? [{ Id: id, ...body }] : body);
  expect(secretOf(admin.store.current)).toBe("the-secret");
  return { admin, put };
}

describe.each(ALL)("the stored secret of %s", (_name, one) => {
  it("is asked for again where it would go to another scheme, host or port, and nothing changes", async () => {
    const { admin, put } = await begun(one);
    const before = admin.store.current;
    for (const [change, member] of one.moves) {
      const { status, json } = await put(change);
      const words = String((json as { readonly ErrorMessage?: string }).ErrorMessage);
      expect([status, words]).toEqual([one.status, expect.stringMatching(wordsOf(member))]);
      expect(words).not.toContain("the-secret");
      expect(admin.store.current).toBe(before);
    }
  });

  it("stays where the address is the same in another spelling, or leads to the same place", async () => {
    const { admin, put } = await begun(one);
    for (const change of one.stays) {
      expect([(await put(change)).status, change]).toEqual([200, change]);
      expect(one.secretOf(admin.store.current)).toBe("the-secret");
    }
  });

  it("gives way to one that is given with the new address", async () => {
    const { admin, put } = await begun(one);
    expect((await put(one.again)).status).toBe(200);
    expect(one.secretOf(admin.store.current)).toBe("another");
  });

  it("is not taken over by a file that has another address for the same id", async () => {
    const { admin, put } = await begun(one);
    const before = admin.store.current;
    await put(one.again);
    const moved = exportSite(admin.store.current).document;
    await admin.store.change(() => before);
    const { status } = await admin.call("POST", "/api/system/configuration", { Document: moved });
    expect([status, one.secretOf(admin.store.current)]).toEqual([200, ""]);
  });
});

it.each([" ", "\n", "\u00a0", "\ufeff"])(
  "the password of a camera is bound to a stream whose address begins with a blank, too: %j",
  async (blank) => {
    const { store } = await startAdministration();
    const gate = store.current.cameras.find(({ id }) => id === GATE_ID);
    if (gate === undefined) throw new Error("the administration has no such camera");
    const placesOf = (additionalParams: string) => {
      const { connection } = gate;
      const streams = {
        ...connection.streams,
        Alternative: { ...connection.streams.Alternative, additionalParams },
      };
      return SECRET_PLACES.camera({ ...gate, connection: { ...connection, streams } });
    };
    const before = placesOf("rtsp://192.0.2.1/two");
    expect(goesElsewhere(before, placesOf(`${blank}rtsp://192.0.2.9/two`))).toBe(true);
    expect(goesElsewhere(before, placesOf(`${blank}rtsp://192.0.2.1/two`))).toBe(false);
  },
);

function wordsOf(member: string): RegExp {
  const words = member.endsWith("Url")
    ? "holds \\*\\*\\* in place"
    : "is that of another \\w+: enter it again";
  return new RegExp(`(?:^|[ .])${member.replace(".", "\\.")}: ${words}`);
}

it("a trial of a camera with another address does not send the stored password", async () => {
  const admin = await startAdministration();
  const Kind = "TryCamera";
  for (const change of [
    { Hostname: "rtsp://192.0.2.9/x" },
    { Hostname: "192.0.2.9", ModelId: ONVIF_MODEL.id },
    { Hostname: "rtsp://192.0.2.9/x", Password: "" },
  ]) {
    const { status, text } = await admin.call("POST", "/api/tasks", { Kind, ChannelId: GATE_ID, ...change });
    expect([status, text]).toEqual([400, expect.stringContaining("Password: is that of another camera")]);
  }
  expect([admin.api.streamTrials.tried, admin.api.devices.logins]).toEqual([[], []]);
});

it("a trial of a directory with another address does not send the password of the account", async () => {
  const [one] = CASES.directory;
  if (one === undefined) throw new Error("no case");
  const { admin } = await begun(one);
  for (const [Settings] of one.moves) {
    const body = { Login: "alice", Password: "hers", Settings };
    const { status, text } = await admin.call("POST", "/api/system/directory/test", body);
    expect([status, text]).toEqual([409, expect.stringContaining("is that of another directory")]);
  }
});

it("the token in a webhook's address is in no answer and in no file without secrets", async () => {
  const admin = await startAdministration();
  for (const [index, Url] of [
    "https://hooks.example/services/T0K3N",
    "https://bot.example/?token=T0K3N",
    "https://chat.example/T0K3N#T0K3N",
  ].entries())
    await admin.call("POST", "/configure/alarms", [{ Name: `${index}`, Kind: "Webhook", Webhook: { Url } }]);
  await admin.call("PUT", "/configure/monitoring", { MonitoringUrl: "https://ping.example/a?key=T0K3N" });
  expect(JSON.stringify(admin.store.current)).toContain("T0K3N");
  for (const path of [
    ...["/configure/alarms", "/configure/monitoring", "/api/alarms", "/api/monitoring"],
    ...["/api/system/configuration", "/api/system/configuration/history"],
  ]) {
    const { status, text } = await admin.call("GET", path);
    expect([path, status, text.includes("T0K3N")]).toEqual([path, 200, false]);
  }
});

it("a file without secrets leaves the addresses of webhooks as they are on its own recorder", async () => {
  const admin = await startAdministration();
  const Webhook = { Url: "https://hooks.example/services/T0K3N", Secret: "key" };
  await admin.call("POST", "/configure/alarms", [{ Name: "Chat", Kind: "Webhook", Webhook }]);
  const before = admin.store.current.alarmTargets;
  const { json } = await admin.call("GET", "/api/system/configuration");
  const { status } = await admin.call("POST", "/api/system/configuration", { Document: json });
  expect([status, admin.store.current.alarmTargets]).toEqual([200, before]);
});

it("the page of the design names each secret that is bound to a place", async () => {
  const page = await readFile(new URL("../../../docs/design/access.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("\n## Stored secrets\n");
  const named = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(SECRET_PLACES));
});
