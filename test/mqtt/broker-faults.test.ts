import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { WAITING_MESSAGES_MAX } from "../../src/mqtt/mqtt-outbox.js";
import { PACKET_BYTES_MAX, PACKETS_PER_TICK } from "../../src/mqtt/paced-socket.js";
import { GATE_ID } from "../support/api/api-fakes.js";
import { forEachTest } from "../support/base/for-tests.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { BASE, BridgeHarness } from "../support/mqtt/bridge-harness.js";
import {
  ACCEPTED,
  AedesBroker,
  type Broker,
  type BrokerOptions,
  Mosquitto,
  ScriptedBroker,
  type ScriptedConnection,
} from "../support/mqtt/brokers.js";
import { Observer } from "../support/mqtt/observer.js";

const GATE = `${BASE}/channels/${GATE_ID}`;
const COMMAND = `${GATE}/recording/set`;

const recorder = forEachTest(() => new BridgeHarness());

const problem = (expected: RegExp) =>
  expect.poll(() => recorder.bridge.health.problem ?? "", { timeout: PATIENCE_MS }).toMatch(expected);

/** PUBLISH with QoS 0 (MQTT 3.1.1, 3.3). */
function publish(topic: string, payload: string): Buffer {
  const name = Buffer.from(topic);
  const rest = Buffer.concat([
    Buffer.from([name.length >> 8, name.length & 0xff]),
    name,
    Buffer.from(payload),
  ]);
  const length: number[] = [];
  for (let left = rest.length; ; left >>= 7) {
    if (left < 0x80) {
      length.push(left);
      break;
    }
    length.push((left & 0x7f) | 0x80);
  }
  return Buffer.concat([Buffer.from([0x30, ...length]), rest]);
}

/** A broker that takes the login, and then grants the subscription and does as `goOn` says: the connection works. */
function working(goOn: (connection: ScriptedConnection, granted: Buffer) => void): Promise<ScriptedBroker> {
  return ScriptedBroker.start((connection) => {
    connection.say(ACCEPTED);
    void connection.granted.then((granted) => goOn(connection, granted));
  });
}

it("nobody listens: it is said in words, and in the event log once", async () => {
  recorder.start("mqtt://127.0.0.1:1");
  await problem(/refuses the connection/);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const lost = recorder.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.mqttLost.id);
  expect(lost).toHaveLength(1);
  expect(lost[0]?.comment).toMatch(/^mqtt:\/\/127\.0\.0\.1:1: it refuses/);
});

/** Brokers that have nothing to do with each other. */
const BROKERS = [
  ["mosquitto", (options: BrokerOptions) => Mosquitto.create(options)],
  ["aedes", (options: BrokerOptions) => AedesBroker.create(options)],
] as const;

it.each(BROKERS)("%s: a wrong login is named, without the password", async (_, create) => {
  const broker: Broker = await create({ login: { name: "nvrd", password: "right-password" } });
  await broker.start();
  broker.directory.write({ wrong: "wrong-password\n", right: "right-password\n" });
  recorder.start(broker.url, { broker: { login: "nvrd", passwordFile: broker.file("wrong") } });
  await problem(/the login or its password|with this login/);
  expect(JSON.stringify(recorder.events.raised)).not.toContain("wrong-password");
  await recorder.stop();
  recorder.start(broker.url, { broker: { login: "nvrd", passwordFile: broker.file("right") } });
  await expect.poll(() => recorder.bridge.health.isConnected, { timeout: PATIENCE_MS }).toBe(true);
  await broker.stop();
});

it.each(BROKERS)(
  "%s over TLS: the own authority and the client certificate are used; each that is wrong is named",
  async (_, create) => {
    const broker: Broker = await create({ tls: true });
    await broker.start();
    const caFile = broker.file("ca.pem");
    const own = { certificateFile: broker.file("client.pem"), keyFile: broker.file("client.key") };
    const wrong = [
      [{ ...own }, /give the authority that signed it/],
      [{ ...own, caFile: broker.file("other-ca.pem") }, /authority/],
      [{ caFile }, /certificate|closed/],
      [{ ...own, caFile: broker.file("none.pem") }, /none\.pem cannot be read/],
    ] as const;
    for (const [settings, expected] of wrong) {
      recorder.start(broker.url, { broker: settings });
      await problem(expected);
      expect(recorder.bridge.health.isConnected).toBe(false);
      await recorder.stop();
    }
    recorder.start(broker.url, { broker: { ...own, caFile } });
    await expect.poll(() => recorder.bridge.health.isConnected, { timeout: PATIENCE_MS }).toBe(true);
    await broker.stop();
  },
);

it("a broker that takes the connection and says nothing is given up, and stopping does not wait for it", async () => {
  const broker = await ScriptedBroker.start(() => undefined);
  recorder.start(broker.url);
  await expect.poll(() => broker.connections, { timeout: PATIENCE_MS }).toBe(1);
  await problem(/did not answer within 15 s/);
  await expect.poll(() => broker.connections, { timeout: PATIENCE_MS }).toBe(2);
  await recorder.stop();
  broker.stop();
});

it("a broker that confirms nothing holds a bounded number of events, the newest ones", async () => {
  const broker = await working(({ say }, granted) => say(granted));
  recorder.start(broker.url);
  const isPublished = () => Buffer.concat(broker.received).includes(`${GATE}/info`);
  await expect.poll(isPublished, { timeout: PATIENCE_MS }).toBe(true);
  expect(recorder.bridge.health.isConnected).toBe(true);
  for (let index = 0; index < WAITING_MESSAGES_MAX + 200; index++)
    recorder.events.raise({
      typeId: EVENT_TYPES.cameraBack.id,
      channelId: GATE_ID,
      comment: `event ${index}`,
    });
  const { waitingMessages, droppedMessages } = recorder.bridge.health;
  expect(waitingMessages).toBe(WAITING_MESSAGES_MAX);
  expect(droppedMessages).toBeGreaterThanOrEqual(180);
  await recorder.stop();
  broker.stop();
});

it.each([
  ["in the middle of a packet", Buffer.from([0x30, 0x20, 0x00])],
  ["after bytes that are no packet", Buffer.from([0xf0, 0x02, 0xff, 0xff])],
  ["before it has said anything", Buffer.alloc(0)],
])("a connection that is cut %s is made again", async (_when, bytes) => {
  const broker = await ScriptedBroker.start(({ say, end }) => {
    if (bytes.length > 0) say(Buffer.concat([ACCEPTED, bytes]));
    setTimeout(end, 20);
  });
  recorder.start(broker.url);
  await expect.poll(() => broker.connections, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(2);
  expect(recorder.bridge.health.problem).not.toBeNull();
  await recorder.stop();
  broker.stop();
});

it("a further topic that is refused is asked for again with the next change, and stays a problem", async () => {
  let say: (bytes: Uint8Array) => boolean = () => false;
  const broker = await ScriptedBroker.start((connection) => {
    ({ say } = connection);
    say(ACCEPTED);
  });
  /** Waits for the n-th subscription that begins with the topic, and answers it, one code a topic. */
  const answer = async (topic: string, nth: number, codes: readonly number[]): Promise<void> => {
    const parts = () => Buffer.concat(broker.received).toString("latin1").split(topic);
    await expect.poll(() => parts().length, { timeout: PATIENCE_MS }).toBe(nth + 1);
    const before = Buffer.from(parts().slice(0, nth).join(topic), "latin1");
    // The topic's length and the packet's id stand before it (MQTT 3.1.1, 3.8).
    say(Buffer.from([0x90, 2 + codes.length, ...before.subarray(-4, -2), ...codes]));
  };
  recorder.start(broker.url);
  recorder.bridge.listen(["frigate/events"], () => undefined);
  await answer(`${BASE}/channels/+/recording/set`, 1, [1, 1, 1, 1]);
  await answer("frigate/events", 1, [0x80]);
  const refusal = () => recorder.bridge.problem ?? "";
  await expect.poll(refusal, { timeout: PATIENCE_MS }).toMatch(/the subscription failed/);
  recorder.bridge.listen(["frigate/events", "other/events"], () => undefined);
  await answer("frigate/events", 2, [0x80, 0x01]);
  await expect.poll(refusal, { timeout: PATIENCE_MS }).toMatch(/the subscription failed/);
  recorder.bridge.listen(["other/events"], () => undefined);
  await expect.poll(refusal, { timeout: PATIENCE_MS }).toBe("");
  await recorder.stop();
  broker.stop();
});

it("a packet that is too long ends the connection before it has come", async () => {
  const head = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);
  const broker = await working(({ say }, granted) => say(Buffer.concat([granted, head])));
  recorder.start(broker.url);
  await problem(new RegExp(`more than ${PACKET_BYTES_MAX} bytes`));
  await recorder.stop();
  broker.stop();
});

it("a connection that ends together with the broker's consent is made again, and then all states are published", async () => {
  const tooLong = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);
  const broker = await working(({ say }, granted) =>
    say(broker.connections === 1 ? Buffer.concat([granted, tooLong]) : granted),
  );
  recorder.start(broker.url);
  const isPublished = () => Buffer.concat(broker.received).includes(`${GATE}/info`);
  await expect.poll(() => broker.connections, { timeout: PATIENCE_MS }).toBe(2);
  await expect.poll(isPublished, { timeout: PATIENCE_MS }).toBe(true);
  expect(recorder.bridge.health).toMatchObject({ isConnected: true, problem: null });
  await recorder.stop();
  broker.stop();
});

it("a flood of commands is read at a pace, and few are carried out", async () => {
  const flood = Buffer.concat(Array.from({ length: 1000 }, () => publish(COMMAND, "ON")));
  const broker = await working(({ say, onDrain }, granted) => {
    say(granted);
    const more = (): void => {
      while (say(flood));
    };
    onDrain(more);
    more();
  });
  recorder.start(broker.url);
  const { bridge } = recorder;
  await expect.poll(() => bridge.health.commandsRefused, { timeout: PATIENCE_MS }).toBeGreaterThan(100);
  const before = bridge.health;
  const beganMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const ticks = (performance.now() - beganMs) / 100 + 2;
  const { commandsDone, commandsRefused } = bridge.health;
  const read = commandsDone + commandsRefused - before.commandsDone - before.commandsRefused;
  expect(read).toBeLessThanOrEqual(ticks * PACKETS_PER_TICK);
  const carried = recorder.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.mqttCommand.id);
  expect(carried.length).toBeLessThan(100);
  await recorder.stop();
  broker.stop();
});

it("a command that is not to be carried out is answered with the reason", async () => {
  const broker = await Mosquitto.create();
  await broker.start();
  const observer = await Observer.connect(broker.url);
  recorder.start(broker.url, { user: "guard" });
  await observer.until(`${BASE}/status`, (text) => text === "online");
  const cases: readonly (readonly [topic: string, payload: string, code: string])[] = [
    ["recording", "maybe", "BAD_REQUEST"],
    ["recording", '{"Value":', "BAD_REQUEST"],
    ["recording", `{"Value":"ON","Id":"${"x".repeat(70)}"}`, "BAD_REQUEST"],
    ["recording", "x".repeat(2000), "BAD_REQUEST"],
    ["preset", "left", "BAD_REQUEST"],
  ];
  for (const [kind, payload, code] of cases) {
    observer.states.delete(`${GATE}/${kind}/answer`);
    await observer.send(`${GATE}/${kind}/set`, payload);
    const text = await observer.until(`${GATE}/${kind}/answer`, (answer) => answer !== "");
    expect(JSON.parse(text), payload.slice(0, 20)).toMatchObject({ Ok: false, Error: { Code: code } });
  }
  expect(recorder.recording.manualSwitch(GATE_ID)).toBeUndefined();
  expect(recorder.ptz.requests).toEqual([]);
  await recorder.stop();
  await observer.send(COMMAND, "ON", true);
  recorder.start(broker.url);
  observer.states.delete(`${GATE}/recording/answer`);
  const text = await observer.until(`${GATE}/recording/answer`, (answer) => answer.includes("retained"));
  expect(JSON.parse(text)).toMatchObject({ Ok: false });
  expect(recorder.recording.manualSwitch(GATE_ID)).toBeUndefined();
  await observer.close();
  await broker.stop();
});

it("a scenario is run by a command, for a channel too, and with a confirmation where it needs one", async () => {
  const broker = await Mosquitto.create();
  await broker.start();
  const observer = await Observer.connect(broker.url);
  const id = "88888888-0000-4000-8000-000000000002";
  await recorder.site.change((site) => ({
    ...site,
    userScenarios: [
      {
        ...{ id, name: "Night", needConfirmation: true, channelIds: [GATE_ID] },
        actions: [{ kind: "record", channelId: null, seconds: 5 }],
      },
    ],
  }));
  recorder.start(broker.url);
  await observer.until(`${BASE}/status`, (text) => text === "online");
  const topic = `${BASE}/scenarios/${id}`;
  const answered = async (payload: object | string): Promise<unknown> => {
    observer.states.delete(`${topic}/answer`);
    await observer.send(`${topic}/set`, typeof payload === "string" ? payload : JSON.stringify(payload));
    return JSON.parse(await observer.until(`${topic}/answer`, (text) => text !== ""));
  };
  expect(await answered("RUN")).toMatchObject({ Ok: false, Error: { Code: "CONFLICT" } });
  expect(await answered("stop")).toMatchObject({ Ok: false, Error: { Code: "BAD_REQUEST" } });
  expect(recorder.recording.timed).toEqual([]);
  expect(await answered({ Value: GATE_ID, Confirmed: true })).toMatchObject({ Ok: true });
  expect(await answered({ Value: "RUN", Confirmed: true })).toMatchObject({ Ok: true });
  expect(recorder.recording.timed).toHaveLength(2);
  const written = recorder.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.mqttCommand.id);
  expect(written).toHaveLength(4);
  await observer.close();
  await broker.stop();
});

it("without a user no command is carried out", async () => {
  const broker = await Mosquitto.create();
  await broker.start();
  const observer = await Observer.connect(broker.url);
  recorder.start(broker.url, { user: null });
  await observer.until(`${GATE}/info`, (text) => text !== "");
  await observer.send(COMMAND, "ON");
  const text = await observer.until(`${GATE}/recording/answer`, (answer) => answer !== "");
  expect(JSON.parse(text)).toMatchObject({
    Ok: false,
    Error: { Code: "FORBIDDEN", Hint: "see the setting mqttUser" },
  });
  expect(recorder.recording.manualSwitch(GATE_ID)).toBeUndefined();
  await observer.close();
  await broker.stop();
});
