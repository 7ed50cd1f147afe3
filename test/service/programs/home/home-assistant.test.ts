import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../../support/base/not-here.js";
import { PATIENCE_MS } from "../../../support/base/patience.js";
import { MqttHome } from "../../../support/mqtt/home.js";
import { HomeAssistant } from "../../../support/mqtt/home-assistant.js";

/** `hass`, where `npm run torture -- home-assistant` runs. */
const program = process.env.NVRD_TEST_HASS;
const missing = program === undefined ? "npm run torture -- home-assistant" : undefined;
/** Home Assistant starts slowly on a busy machine, and first installs what its parts need. */
const LONG_MS = 8 * PATIENCE_MS;

/** The parts of the house, in each order in which they may come back after a power cut. */
const ORDERS = [
  ["broker", "recorder", "assistant"],
  ["broker", "assistant", "recorder"],
  ["recorder", "broker", "assistant"],
  ["recorder", "assistant", "broker"],
  ["assistant", "broker", "recorder"],
  ["assistant", "recorder", "broker"],
] as const;

describe.skipIf(missing !== undefined)(`Home Assistant${notHere(missing)}`, () => {
  let home: MqttHome;
  let assistant: HomeAssistant;

  beforeAll(async () => {
    home = await MqttHome.create();
    await home.startRecorder();
    await home.addGate();
    assistant = await HomeAssistant.create(program ?? "", home.directory.join("hass"), home.broker.port);
    await assistant.start();
  }, LONG_MS);

  afterAll(async () => {
    await assistant?.stop();
    await home?.close();
  });

  const until = (id: string, state: string) =>
    expect.poll(() => assistant.state(id), { timeout: PATIENCE_MS, message: id }).toBe(state);

  const turn = async (on: boolean) => {
    await assistant.call("switch", on ? "turn_on" : "turn_off", "switch.gate_record");
    await until("switch.gate_record", on ? "on" : "off");
    await until("binary_sensor.gate_recording", on ? "on" : "off");
  };

  it("shows the camera and the recorder as devices with their states", async () => {
    await until("binary_sensor.gate_connected", "on");
    await until("binary_sensor.gate_motion", "off");
    await until("switch.gate_record", "off");
    await expect
      .poll(async () => (await assistant.states()).map(({ entity_id }) => entity_id).join(" "), {
        timeout: PATIENCE_MS,
      })
      .toMatch(/archive_depth/);
    const ids = (await assistant.states()).map(({ entity_id }) => entity_id);
    for (const part of ["_problem", "_problems", "_write_errors", "_clock", "update."])
      expect(
        ids.some((id) => id.includes(part)),
        part,
      ).toBe(true);
    expect(assistant.log).not.toMatch(/ERROR.*mqtt/i);
  });

  it("shows motion and its picture", async () => {
    home.move(true);
    await until("binary_sensor.gate_motion", "on");
    await expect
      .poll(() => assistant.state("image.gate_last_motion"), { timeout: PATIENCE_MS })
      .toMatch(/^20/);
    const picture = await assistant.picture("image.gate_last_motion");
    expect(picture.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    home.move(false);
    await until("binary_sensor.gate_motion", "off");
  });

  it("switches the recording, and calls a preset", async () => {
    await turn(true);
    await turn(false);
    await expect
      .poll(async () => (await assistant.states()).map(({ entity_id }) => entity_id).join(" "), {
        timeout: PATIENCE_MS,
      })
      .toMatch(/button\.gate_preset/);
    const button = (await assistant.states()).find(({ entity_id }) =>
      entity_id.startsWith("button.gate_preset"),
    );
    await assistant.call("button", "press", button?.entity_id ?? "");
    await expect
      .poll(() => home.camera.calls.some((call) => call.includes("GotoPreset")), { timeout: PATIENCE_MS })
      .toBe(true);
  });

  it.each(ORDERS)(
    "after a restart in the order %s, %s, %s all is as before",
    async (...order) => {
      const parts = {
        broker: home.broker,
        assistant,
        recorder: { start: () => home.startRecorder(), stop: () => home.stopRecorder() },
      };
      for (const name of order) await parts[name].stop();
      for (const name of order) await parts[name].start();
      await until("binary_sensor.gate_connected", "on");
      await turn(true);
      await turn(false);
    },
    LONG_MS,
  );
});
