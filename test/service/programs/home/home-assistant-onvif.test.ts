import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../../support/base/not-here.js";
import { PATIENCE_MS } from "../../../support/base/patience.js";
import { TemporaryDirectory } from "../../../support/base/temporary-directory.js";
import { HomeAssistant } from "../../../support/mqtt/home-assistant.js";
import { GUEST, OnvifHouse } from "../../../support/onvif/onvif-house.js";

/** The recorder as an ONVIF device of Home Assistant's own integration. */

/** `hass`, where `npm run torture -- home-assistant` runs. */
const program = process.env.NVRD_TEST_HASS;
const missing = program === undefined ? "npm run torture -- home-assistant" : undefined;
/** Home Assistant starts slowly on a busy machine, and first installs what its parts need. */
const LONG_MS = 8 * PATIENCE_MS;

describe.skipIf(missing !== undefined)(`Home Assistant's ONVIF integration${notHere(missing)}`, () => {
  let directory: TemporaryDirectory;
  let house: OnvifHouse;
  let assistant: HomeAssistant;

  beforeAll(async () => {
    directory = new TemporaryDirectory("hass-onvif");
    house = await OnvifHouse.create({ onvifDiscovery: "on" }, "0.0.0.0");
    assistant = await HomeAssistant.create(program ?? "", directory.join("hass"));
    await assistant.start();
  }, LONG_MS);

  afterAll(async () => {
    await assistant?.stop();
    await house?.close();
    directory?.remove();
  });

  const ids = async (domain: string) =>
    (await assistant.states())
      .map(({ entity_id }) => entity_id)
      .filter((id) => id.startsWith(`${domain}.`))
      .sort();
  const until = (id: string, state: string) =>
    expect.poll(() => assistant.state(id), { timeout: PATIENCE_MS, message: id }).toBe(state);

  it(
    "finds the recorder on the network, and sets it up with the login of one of its users",
    async () => {
      const begun = await assistant.beginFlow("onvif");
      expect(begun).toMatchObject({ type: "form", step_id: "user" });
      const found = await assistant.goOn(begun, { auto: true });
      expect(found).toMatchObject({ type: "form", step_id: "device" });
      expect(JSON.stringify(found.data_schema)).toContain("[nvrd]");
      const manual = await assistant.goOn(found, { host: "Manually configure ONVIF device" });
      expect(manual).toMatchObject({ type: "form", step_id: "configure" });
      const place = { name: "Recorder", host: "127.0.0.1", port: house.service.httpPort };
      const wrong = await assistant.goOn(manual, {
        ...place,
        username: GUEST.login,
        password: "another one",
      });
      expect(wrong).toMatchObject({ type: "form", errors: { password: "auth_failed" } });
      const login = { username: GUEST.login, password: GUEST.password };
      const done = await assistant.goOn(wrong, { ...place, ...login });
      expect(done, JSON.stringify(done)).toMatchObject({ type: "create_entry" });
    },
    LONG_MS,
  );

  it("shows the streams of the cameras that this user sees, and their stills", async () => {
    await expect.poll(() => ids("camera"), { timeout: PATIENCE_MS }).toHaveLength(2);
    for (const id of await ids("camera")) {
      const still = await assistant.still(id);
      expect(still.subarray(0, 2), id).toEqual(Buffer.from([0xff, 0xd8]));
    }
  });

  it("shows motion as it begins and ends", async () => {
    await expect
      .poll(async () => (await ids("binary_sensor")).join(" "), { timeout: PATIENCE_MS })
      .toMatch(/motion/);
    const id = (await ids("binary_sensor")).find((one) => one.includes("motion")) ?? "";
    await until(id, "off");
    house.move(true);
    await until(id, "on");
    house.move(false);
    await until(id, "off");
  });

  it("moves the camera", async () => {
    const [id = ""] = await ids("camera");
    await assistant.call("onvif", "ptz", id, {
      move_mode: "ContinuousMove",
      pan: "LEFT",
      continuous_duration: 0.5,
    });
    await expect
      .poll(() => house.camera.calls.join(" "), { timeout: PATIENCE_MS })
      .toContain("ContinuousMove");
  });

  it(
    "has motion again after a restart of the recorder",
    async () => {
      await house.restart();
      const id = (await ids("binary_sensor")).find((one) => one.includes("motion")) ?? "";
      // The recorder listens to the camera again, and Home Assistant to the recorder, at times of their own.
      const moved = () => {
        house.move(true);
        return assistant.state(id);
      };
      await expect.poll(moved, { timeout: LONG_MS / 2, interval: 1000, message: id }).toBe("on");
      house.move(false);
      await until(id, "off");
    },
    LONG_MS,
  );

  it("has nothing to complain of", () => {
    const complaints = assistant.log
      .split("\n")
      .filter((line) => /(ERROR|WARNING).*(onvif|zeep)/i.test(line))
      // The wrong password and the restart; and it has no entity for lost connections, which it says of each device.
      .filter((line) => !/auth|Unauthorized|refused|Cannot connect|No registered handler/i.test(line));
    expect(complaints).toEqual([]);
  });
});
