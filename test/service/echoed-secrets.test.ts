import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { EchoingServer } from "../support/http/echoing-server.js";
import { Service } from "../support/service/service.js";

/** Secrets that go to servers which say them again. */
const SECRETS = {
  token: "token-Secret-20",
  webhook: "webhook-Secret-21",
  mail: "mail-Secret-22",
  monitoring: "monitoring-Secret-23",
  proxy: "proxy-Secret-24",
  awayKey: "away-Secret-25-0123456789",
  session: "session-Secret-26-0123456789",
  analyser: "analyser-Secret-27",
} as const;
const SPELLINGS = Object.values(SECRETS).flatMap((value) => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replace(/=+$/, ""),
  Buffer.from(`recorder:${value}`).toString("base64").replace(/=+$/, ""),
  Buffer.from(`\0recorder\0${value}`).toString("base64").replace(/=+$/, ""),
]);

let directory: TemporaryDirectory;
let web: EchoingServer;
let mail: EchoingServer;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("echoed-secrets");
  web = await EchoingServer.start("http");
  mail = await EchoingServer.start("mail");
  service = await Service.start({
    ...{ dataDir: directory.join("data"), command: "demo", settings: { logLevel: "trace" } },
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([web.stop(), mail.stop()]);
  directory.remove();
});

it("what a server says of what it was sent stands in no answer, event or log", async () => {
  const answers: string[] = [];
  const call = async (method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<void> => {
    const answer = await service.get(path, { method, ...(body === undefined ? {} : { body }) });
    answers.push(`${path} ${answer.status} ${answer.body.toString()}`);
  };
  const at = `http://127.0.0.1:${web.port}`;
  await call("POST", "/configure/alarms", [
    { Name: "Chat", Kind: "Webhook", Webhook: { Url: `${at}/${SECRETS.token}`, Secret: SECRETS.webhook } },
    {
      ...{ Name: "Owner", Kind: "Mail" },
      Mail: {
        ...{ Host: "127.0.0.1", Port: mail.port, Security: "None", Login: "recorder" },
        ...{ Sender: "a@b.example", Recipients: ["c@d.example"], Password: SECRETS.mail },
      },
    },
  ]);
  await call("PUT", "/configure/monitoring", {
    ...{ MonitoringUrl: `${at}/push`, Password: SECRETS.monitoring, MonitoringEnabled: true },
  });
  const away = (Name: string, IsEnabled: boolean, proxy: string) => [
    {
      ...{ Name, IsEnabled, Endpoint: at, Bucket: "recordings", AccessKeyId: "AKID" },
      ...{ SecretAccessKey: SECRETS.awayKey, SessionToken: SECRETS.session },
      ...(proxy === "" ? {} : { Proxy: proxy, ProxyLogin: "recorder", ProxyPassword: SECRETS.proxy }),
    },
  ];
  await call("POST", "/configure/away", away("Cellar", false, at));
  await call("POST", "/configure/analysers", [
    { Name: "Eye", Kind: "Vision", Vision: { Url: `${at}/v1`, ApiKey: SECRETS.analyser } },
  ]);
  expect(answers.filter((text) => !/^\S+ 200 /.test(text))).toEqual([]);
  // It is tried before it is saved, and refused.
  await call("POST", "/configure/away", away("Attic", true, ""));
  await call("POST", "/configure/away", away("Barn", true, at));
  await call("POST", "/api/alarms/test");
  const analysers = await service.json<{ Id: string }[]>("/api/analysers");
  await call("POST", "/api/analysers/test", { Id: analysers[0]?.Id });
  for (const path of ["/api/alarms", "/api/away", "/api/away/targets", "/api/analysers", "/api/monitoring"])
    await call("GET", path);
  for (const path of ["/api/health", "/metrics", "/configure/alarms", "/configure/away", "/configex"])
    await call("GET", path);
  await call("GET", "/specialarchiveevents?starttime=01.01.2020%2000:00:00&endtime=01.01.2100%2000:00:00");
  answers.push(gunzipSync((await service.get("/api/support")).body).toString("latin1"), service.log);
  for (const secret of [SECRETS.token, SECRETS.session, SECRETS.analyser])
    expect(web.received).toContain(secret);
  expect(mail.received).toContain("AUTH");
  const found = SPELLINGS.flatMap((value) =>
    answers.flatMap((text) => {
      const where = text.indexOf(value);
      return where < 0 ? [] : [`${value}: ${text.slice(Math.max(0, where - 200), where + 100)}`];
    }),
  );
  expect(found).toEqual([]);
});
