import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { EchoingCamera } from "../support/camera/echoing-camera.js";
import { RefusingCamera } from "../support/camera/refusing-camera.js";
import { md5, ROOT_PASSWORD, Service } from "../support/service/service.js";

/** Every secret of the run, in every spelling that could give it away. */
const SECRETS = new Map([
  ["root's password", ROOT_PASSWORD],
  ["root's MD5", md5(ROOT_PASSWORD)],
  ["root's MD5 in upper case", md5(ROOT_PASSWORD).toUpperCase()],
  ["root's Basic header", Buffer.from(`root:${md5(ROOT_PASSWORD)}`).toString("base64")],
  ["the camera's password", "camera-Secret-1"],
  ["the password in the camera's URL", "url-Secret-2"],
  ["the camera's Basic header", Buffer.from("viewer:camera-Secret-1").toString("base64")],
  ["a user's password", "user-Secret-3"],
  ["a user's MD5", md5("user-Secret-3")],
  ["a user's new password", "user-Secret-4"],
  ["a user's new MD5", md5("user-Secret-4")],
  ["a guessed password", "guessed-Secret-5"],
  ["a directory user's password", "directory-Secret-6"],
  ["a directory user's password in Base64", Buffer.from("directory-Secret-6").toString("base64")],
  ["a broken password", "broken-Secret-7"],
  ["the monitoring password", "monitoring-Secret-8"],
  ["the service account's password", "service-Secret-9"],
  ["the key of a webhook", "webhook-Secret-10"],
  ["the password of a mail server", "mail-Secret-11"],
  ["the password in a camera's path", "path-Secret-12"],
  ["the password in a camera's query", "query-Secret-13"],
  ["the password at the MQTT broker", "broker-Secret-14"],
]);
const secret = (name: string): string => SECRETS.get(name) ?? "";

let directory: TemporaryDirectory;
let camera: RefusingCamera;
let echo: EchoingCamera;
let service: Service;
const answers: string[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-access-secrets");
  directory.write({
    "service-password": secret("the service account's password"),
    "broker-password": secret("the password at the MQTT broker"),
  });
  camera = await RefusingCamera.start();
  echo = await EchoingCamera.start();
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: {
      logLevel: "trace",
      // Nobody listens on the discard port: each login finds the directory down.
      ldapUrl: "ldap://127.0.0.1:9",
      ldapTls: "none",
      ldapBaseDn: "dc=example,dc=org",
      ldapServiceDn: "cn=reader,dc=example,dc=org",
      ldapServicePasswordFile: directory.join("service-password"),
      // The broker of no one either.
      mqttUrl: "mqtt://127.0.0.1:9",
      mqttLogin: "recorder",
      mqttPasswordFile: directory.join("broker-password"),
    },
  });
});

afterAll(async () => {
  await service?.stop();
  await camera?.stop();
  await echo?.stop();
  directory?.remove();
});

async function ask(
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const { body, headers = {} } = options;
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(`http://127.0.0.1:${service.httpPort}${path}`, {
    method,
    headers,
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = `${JSON.stringify([...response.headers])} ${await response.text()}`;
  answers.push(answer);
  return { status: response.status, answer };
}

const basic = (login: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`,
});
const root = `login=root&password=${md5(ROOT_PASSWORD)}`;
const asRoot = { headers: basic("root", md5(ROOT_PASSWORD)) };

/** Cameras that want their login in the path or the query, and everything that the service says of them. */
async function showEchoingCameras(): Promise<void> {
  const word = secret("the password in a camera's path");
  const at = `rtsp://127.0.0.1:${echo.port}`;
  const cameras = [
    `${at}/user=admin_password=${word}_channel=1_stream=0.sdp?real_stream`,
    `${at}/moved/user=admin&password=${word}&channel=2`,
    `${at}/astray/admin:${word}/ch3`,
    `${at}/admin/${word}@ch4`,
    `${at}/live?usr=admin&pwd=${secret("the password in a camera's query")}`,
  ];
  const ids = await service.addCameras(cameras.map((url, index) => ({ name: `Echo ${index}`, url })));
  const lost = async (): Promise<number> => {
    const health = await service.json<{ Problems: { Text: string }[] }>("/api/health");
    return health.Problems.filter(({ Text }) => Text.includes("Echo")).length;
  };
  await expect.poll(lost).toBe(cameras.length);
  for (const id of ids) {
    await ask("GET", `/configure/channels/${id}`, asRoot);
    await ask("GET", `/api/channels/${id}/status`, asRoot);
    await ask("GET", `/site?channelid=${id}`, asRoot);
    await ask("GET", `/video?channelid=${id}`, asRoot);
  }
  const times = "starttime=01.01.2020 00:00:00&endtime=01.01.2100 00:00:00";
  for (const path of [
    "/configure/channels",
    "/api/health",
    "/metrics",
    "/hddstatus",
    "/command?type=getchannelsstates&responsetype=json",
    `/specialarchiveevents?${times}`,
  ])
    await ask("GET", path, asRoot);
  answers.push(gunzipSync((await service.get("/api/support")).body).toString("latin1"));
}

it("a whole run's log and answers hold no secret", async () => {
  const site = await service.json<{ SenderId: string; UserGroup: { Id: string } }>(
    "/configex?responsetype=json",
  );
  const [id = ""] = await service.addCameras([
    { name: "Gate", url: camera.url, login: "viewer", password: secret("the camera's password") },
    {
      name: "Yard",
      url: camera.url.replace("rtsp://", `rtsp://viewer:${secret("the password in the camera's URL")}@`),
    },
  ]);
  const user = { Name: "guard", GroupId: site.UserGroup.Id, Password: secret("a user's password") };
  expect((await ask("POST", `/configure/users?${root}`, { body: [user] })).status).toBe(200);
  const guard = `login=guard&password=${md5(user.Password)}`;
  const newPassword = { Password: secret("a user's new password") };
  expect((await ask("PUT", `/api/password?${guard}`, { body: newPassword })).status).toBe(200);
  const monitoring = { Password: secret("the monitoring password") };
  await ask("PUT", `/configure/monitoring?${root}`, { body: monitoring });
  // Nobody listens on the discard port: each message fails, and the failure is reported.
  const webhook = { Url: "http://127.0.0.1:9/", Secret: secret("the key of a webhook") };
  const mail = {
    ...{ Host: "127.0.0.1", Port: 9, Security: "None", Login: "nvr", Sender: "a@b.example" },
    ...{ Recipients: ["c@d.example"], Password: secret("the password of a mail server") },
  };
  const alarms = [
    { Name: "Chat", Kind: "Webhook", Webhook: webhook },
    { Name: "Owner", Kind: "Mail", Mail: mail },
  ];
  expect((await ask("POST", `/configure/alarms?${root}`, { body: alarms })).status).toBe(200);
  const tested = await ask("POST", `/api/alarms/test?${root}`);
  expect(tested.answer).toMatch(/refuses the connection.*refuses the connection/);
  await ask("GET", `/api/alarms?${root}`);
  for (const path of ["users", "groups", "channels", `channels/${id}`, "monitoring", "alarms"])
    expect((await ask("GET", `/configure/${path}`, asRoot)).status).toBe(200);
  for (const path of [
    "/configex?",
    "/configex?responsetype=json&",
    "/openapi.json?",
    "/command?type=gettime&",
  ])
    await ask("GET", `${path}${root}`);

  // What is refused: at the door, by the password, by the directory, by the body.
  const guess = secret("a guessed password");
  for (const path of [
    `/configex?login=root&password=${guess}`,
    `/configex?login=nobody&password=${guess}`,
    `/configex?login=root&password=%zz${secret("a broken password")}`,
    `/configex?login=root&password=${guess}&PASSWORD=${secret("a broken password")}`,
    `/nothing?login=root&password=${guess}`,
  ])
    expect((await ask("GET", path)).status).toBeGreaterThanOrEqual(400);
  await ask("GET", "/configex", { headers: basic("root", guess) });
  const plain = secret("a directory user's password");
  const base64 = encodeURIComponent(secret("a directory user's password in Base64"));
  const typed = { ...basic("alice@example.org", plain), UserType: "ActiveDirectory" };
  expect((await ask("GET", "/configex", { headers: typed })).status).toBe(503);
  expect(
    (await ask("GET", `/configex?login=alice@example.org&usertype=ActiveDirectory&password=${base64}`))
      .status,
  ).toBe(503);
  expect((await ask("GET", "/configex", { headers: basic("alice@example.org", plain) })).status).toBe(503);
  const broken = `{"Password":"${secret("a broken password")}"`;
  expect((await ask("POST", `/configure/users?${root}`, { body: broken })).status).toBe(400);
  const wrong = { ...user, Name: 5, PasswordMd5: secret("a guessed password") };
  expect((await ask("POST", `/configure/users?${root}`, { body: [wrong] })).status).toBe(400);
  const hostname = `rtsp://viewer:${secret("the password in the camera's URL")}@:0/`;
  const connection = {
    ModelId: "x",
    Hostname: hostname,
    Login: "viewer",
    Password: secret("the camera's password"),
  };
  expect(
    (await ask("POST", `/configure/channels?${root}`, { body: [{ ConnectionSettings: connection }] })).status,
  ).toBe(400);
  await service.process.waitFor(/lost|refused|unauthori[sz]ed/i);
  await showEchoingCameras();
  await service.stop();

  const log = service.log;
  expect(log.length).toBeGreaterThan(1000);
  for (const [name, value] of SECRETS) {
    expect(log.includes(value), `${name} stands in the log`).toBe(false);
    for (const answer of answers)
      expect(answer.includes(value), `${name} stands in an answer: ${answer}`).toBe(false);
  }
});

it("what must keep a secret is readable by the service alone", () => {
  const files = readdirSync(directory.join("data"), { recursive: true, encoding: "utf8" });
  const holders = files
    .map((name) => join(directory.join("data"), name))
    .filter(
      (file) => statSync(file).isFile() && readFileSync(file).includes(secret("the camera's password")),
    );
  expect(holders).not.toEqual([]);
  for (const file of holders) expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
});
