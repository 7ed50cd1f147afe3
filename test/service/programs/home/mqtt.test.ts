import { afterAll, beforeAll, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../support/base/patience.js";
import { MqttHome } from "../../../support/mqtt/home.js";
import { Observer } from "../../../support/mqtt/observer.js";
import { ROOT_PASSWORD } from "../../../support/service/service.js";

interface Health {
  readonly Mqtt: { readonly IsConnected: boolean; readonly Problem: string | null } | null;
  readonly Problems: readonly { readonly Code: string }[];
}

let home: MqttHome;
let observer: Observer;
let base: string;
let gate: string;
let gateId: string;

beforeAll(async () => {
  home = await MqttHome.create();
  await home.startRecorder();
  gateId = await home.addGate();
  const { SenderId } = await home.service.json<{ SenderId: string }>("/configex?responsetype=json");
  base = `nvrd/${SenderId}`;
  gate = `${base}/channels/${gateId}`;
  observer = await Observer.connect(home.broker.url);
});

afterAll(async () => {
  await observer?.close();
  await home?.close();
});

const health = () => home.service.json<Health>("/api/health");

it("a camera's states are at the broker, and its recording is switched from there", async () => {
  await observer.until(`${gate}/connected`, (text) => text === "ON");
  expect((await health()).Mqtt).toMatchObject({ IsConnected: true, Problem: null });
  await observer.until(`${gate}/recording/switchable`, (text) => text === "online");
  await observer.until(`${gate}/recording`, (text) => text === "OFF");
  await observer.send(`${gate}/recording/set`, "ON");
  await observer.until(`${gate}/recording`, (text) => text === "ON");
  await observer.until(`${base}/events`, () =>
    observer.texts(`${base}/events`).join().includes("recording ON"),
  );
});

it("motion comes with a picture of it", async () => {
  home.move(true);
  await observer.until(`${gate}/motion`, (text) => text === "ON");
  await observer.until(`${gate}/motion/picture`, (text) => text !== "");
  const picture = observer.messages.find(({ topic }) => topic === `${gate}/motion/picture`)?.payload;
  expect(picture?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  home.move(false);
  await observer.until(`${gate}/motion`, (text) => text === "OFF");
});

it("the camera's presets are buttons, and a command calls one", async () => {
  const device = `homeassistant/device/nvrd_${gateId.replaceAll("-", "")}/config`;
  const text = await observer.until(device, (config) => config.includes("payload_press"));
  const { components } = JSON.parse(text) as { components: Record<string, { payload_press?: string }> };
  const preset = Object.values(components).find(({ payload_press }) => payload_press !== undefined);
  await observer.send(`${gate}/preset/set`, preset?.payload_press ?? "");
  await observer.until(`${gate}/preset/answer`, (answer) => answer.includes('"Ok":true'));
  expect(home.camera.calls.some((call) => call.includes("GotoPreset"))).toBe(true);
});

it("an event has the same content as on /event", async () => {
  const listener = await fetch(`http://127.0.0.1:${home.service.httpPort}/event`, {
    headers: { authorization: `Basic ${Buffer.from(`root:${ROOT_PASSWORD}`).toString("base64")}` },
  });
  const reader = listener.body?.getReader();
  const event = {
    EventId: "c9d6d086-c965-4cf8-aef6-85b3894e3a4a",
    ChannelId: gateId,
    plateText: "A123BC77",
    Comment: 'a "quoted" } comment',
  };
  await home.service.json("/api/events", { method: "POST", body: [event] });
  const item = await observer.until(`${base}/events`, (text) => text.includes("A123BC77"));
  let received = "";
  while (!received.includes("A123BC77") || !received.trimEnd().endsWith("}"))
    received += Buffer.from((await reader?.read())?.value ?? new Uint8Array(0)).toString();
  await reader?.cancel();
  expect(received).toContain(item);
  expect(JSON.parse(item)).toMatchObject({ plateText: "A123BC77", ChannelName: "Gate" });
});

it("without its broker the recorder records on, and says what is wrong", async () => {
  await home.broker.stop();
  await expect
    .poll(async () => (await health()).Mqtt, { timeout: PATIENCE_MS })
    .toMatchObject({ IsConnected: false, Problem: expect.stringContaining("refuses the connection") });
  expect((await health()).Problems.map(({ Code }) => Code)).toContain("mqtt-lost");
  const before = (await home.service.fragments(gateId)).at(-1)?.toUs ?? 0;
  await expect
    .poll(async () => (await home.service.fragments(gateId)).at(-1)?.toUs ?? 0, { timeout: PATIENCE_MS })
    .toBeGreaterThan(before);
  await home.broker.start();
  await observer.until(`${base}/status`, (text) => text === "online");
  await expect.poll(async () => (await health()).Mqtt?.IsConnected, { timeout: PATIENCE_MS }).toBe(true);
});

it("killed, it is offline by its last will, and back after the next start", async () => {
  await home.service.kill();
  await observer.until(`${base}/status`, (text) => text === "offline");
  await home.startRecorder();
  await observer.until(`${base}/status`, (text) => text === "online");
  await observer.until(`${gate}/connected`, (text) => text === "ON");
});
