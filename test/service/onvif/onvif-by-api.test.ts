import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { ask } from "../../support/onvif/soap-questions.js";
import { Service } from "../../support/service/service.js";

const GUEST = { login: "hass", password: "a long sentence of theirs" };
const directory = new TemporaryDirectory("onvif-by-api");
let service: Service;

interface State {
  readonly IsRunning: boolean;
  readonly Users: readonly { readonly Name: string; readonly IsReady: boolean }[];
}
const state = () => service.json<State>("/api/system/onvif-device");
const put = (body: object) => service.json<State>("/api/system/onvif-device", { method: "PUT", body });
const asked = async () => {
  const origin = `http://127.0.0.1:${service.httpPort}`;
  const { status, text } = await ask(origin, "device_service", "GetDeviceInformation", { login: GUEST });
  return [status, text.includes("<tds:Manufacturer>nvrd<")];
};
const LET_IN = [200, true];
const isRunning = (expected: boolean) =>
  expect.poll(async () => (await state()).IsRunning, { timeout: PATIENCE_MS }).toBe(expected);
const kept = () => {
  const file = directory.join("data", "onvif-passwords.json");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

beforeAll(async () => {
  service = await Service.start({ dataDir: directory.join("data") });
  const [group] = await service.json<{ Id: string; SeniorAdministrators: boolean }[]>("/configure/groups");
  const users = [{ Name: GUEST.login, GroupId: group?.Id, Password: GUEST.password }];
  await service.json("/configure/users", { method: "POST", body: users });
});

afterAll(async () => {
  await service?.stop();
  directory.remove();
});

it("a user is let in over ONVIF as soon as named, and has logged in once", async () => {
  expect(await asked()).not.toEqual(LET_IN);
  expect(await put({ UserNames: [GUEST.login], IsAnnounced: false })).toMatchObject({
    Users: [{ Name: GUEST.login }],
  });
  await isRunning(true);
  const authorization = `Basic ${Buffer.from(`${GUEST.login}:${GUEST.password}`).toString("base64")}`;
  await fetch(`http://127.0.0.1:${service.httpPort}/configex`, { headers: { authorization } });
  expect((await state()).Users).toEqual([{ Name: GUEST.login, IsReady: true }]);
  expect(await asked()).toEqual(LET_IN);
});

it("a restart keeps it", async () => {
  await service.stop();
  service = await Service.start({ dataDir: directory.join("data") });
  expect(await asked()).toEqual(LET_IN);
});

it("who is not named any more is not let in, and the password is forgotten", async () => {
  expect(kept()).toContain(GUEST.password);
  await put({ UserNames: [] });
  await isRunning(false);
  expect(await asked()).not.toEqual(LET_IN);
  await expect.poll(kept, { timeout: PATIENCE_MS }).not.toContain(GUEST.password);
});
