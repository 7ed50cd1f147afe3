// A broker that is set while the recorder runs, with Debian's mosquitto.
import { afterAll, beforeAll, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../support/base/patience.js";
import { TemporaryDirectory } from "../../../support/base/temporary-directory.js";
import { Mosquitto } from "../../../support/mqtt/brokers.js";
import { Observer } from "../../../support/mqtt/observer.js";
import { Service } from "../../../support/service/service.js";

const LOGIN = { name: "nvrd", password: "the broker's own" };
const directory = new TemporaryDirectory("broker-by-api");
let open: Mosquitto;
let shut: Mosquitto;
let service: Service;
let status: string;

interface State {
  readonly Source: string;
  readonly Url: string | null;
  readonly IsConnected: boolean;
  readonly Problem: string | null;
}
const state = () => service.json<State>("/api/system/broker");
const put = (body: object) => service.json<State>("/api/system/broker", { method: "PUT", body });
const attempt = (body: object) => service.json("/api/system/broker/test", { method: "POST", body });
const connected = () =>
  expect.poll(async () => (await state()).IsConnected, { timeout: PATIENCE_MS }).toBe(true);

beforeAll(async () => {
  [open, shut] = await Promise.all([Mosquitto.create(), Mosquitto.create({ login: LOGIN })]);
  await Promise.all([open.start(), shut.start()]);
  service = await Service.start({ dataDir: directory.join("data") });
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  status = `nvrd/${SenderId}/status`;
});

afterAll(async () => {
  await service?.stop();
  await Promise.all([open, shut].map((broker) => broker?.stop()));
  directory.remove();
});

it("a broker is tried before it is set: what is wrong is said, and nothing is published", async () => {
  const observer = await Observer.connect(open.url);
  expect(await attempt({ Url: open.url })).toEqual({ IsAccepted: true, Problem: null });
  expect(await attempt({ Url: shut.url, Login: LOGIN.name, Password: "guessed" })).toEqual({
    IsAccepted: false,
    Problem: expect.stringMatching(/^it (refuses the login|does not allow the connection)/),
  });
  expect(await attempt({ Url: shut.url, Login: LOGIN.name, Password: LOGIN.password })).toMatchObject({
    IsAccepted: true,
  });
  expect(await attempt({ Url: "mqtt://127.0.0.1:1" })).toEqual({
    IsAccepted: false,
    Problem: "it refuses the connection: no broker listens there",
  });
  expect(observer.messages).toEqual([]);
  await observer.close();
  expect((await state()).Source).toBe("None");
});

it("the recorder is at a broker as soon as it is set, and leaves it for another one", async () => {
  const observer = await Observer.connect(open.url);
  await put({ Url: open.url });
  await observer.until(status, (text) => text === "online");
  await connected();
  await put({ Url: shut.url, Login: LOGIN.name, Password: LOGIN.password });
  await observer.until(status, (text) => text === "offline");
  const other = await Observer.connect(shut.url, { username: LOGIN.name, password: LOGIN.password });
  await other.until(status, (text) => text === "online");
  await connected();
  expect(await state()).toMatchObject({ Source: "Configuration", Url: shut.url, Problem: null });
  await other.close();
  await observer.close();
});

it("a restart finds it again, and what is switched off stays off", async () => {
  await service.stop();
  service = await Service.start({ dataDir: directory.join("data") });
  await connected();
  await put({ IsEnabled: false });
  await expect.poll(async () => (await state()).Url, { timeout: PATIENCE_MS }).toBeNull();
  const health = () => service.json<{ readonly Mqtt: unknown }>("/api/health");
  await expect.poll(async () => (await health()).Mqtt, { timeout: PATIENCE_MS }).toBeNull();
});
