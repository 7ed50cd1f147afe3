import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { NOTIFY_BYTES_MAX, NotificationConsumer } from "../../../src/camera/index.js";
import { until } from "../../support/api/api-harness.js";
import {
  changed,
  endCameraEvents,
  input,
  moving,
  type StartOptions,
  startCameraEvents,
} from "../../support/camera/camera-events-harness.js";
import { post } from "../../support/camera/onvif-camera-notify.js";

afterEach(endCameraEvents);

const PUSHES = { events: "base-notification" } as const;
const REFUSES = { quirk: "fault-not-supported", on: "CreatePullPointSubscription" } as const;

async function subscribed(options: StartOptions = PUSHES) {
  const running = await startCameraEvents(options);
  const { notifier } = running.device;
  await until("the subscription", () => notifier.open === 1 && running.asked("SetSynchronizationPoint") > 0);
  const consumer = (): string => notifier.consumers[0] ?? "";
  return { ...running, notifier, consumer };
}

describe("what a camera pushes", () => {
  it("is reported once, though the camera sends it twice", async () => {
    const { device, notifier, words, asked } = await subscribed();
    notifier.sendings = 2;
    device.emit(moving(true));
    device.emit({
      topic: "tns1:RuleEngine/LineDetector/Crossed",
      source: { VideoSourceConfigurationToken: "vsc_1", Rule: "Fence" },
      data: { ObjectId: "17" },
    });
    device.emit(input(true));
    await until("the input", () => words().some((word) => word.includes("input")));
    await until("all answers", () => notifier.answers.length === 6);
    expect(words()).toEqual([
      "1 motion Door on",
      "1 lineCrossed Fence happened (ObjectId 17)",
      "1 input DI_1 on",
    ]);
    expect(notifier.answers).toEqual(Array.from({ length: 6 }, () => 200));
    expect(asked("CreatePullPointSubscription")).toBe(0);
  });

  it("is reported once where it only happens and is sent twice, and again when it happens again", async () => {
    const { notifier, consumer, words } = await subscribed();
    const crossed = (second: number): string =>
      notifier
        .notify([{ topic: "tns1:RuleEngine/LineDetector/Crossed", source: { Rule: "Fence" }, data: {} }])
        .replace(/ PropertyOperation="\w+"/, "")
        .replace(/UtcTime="[^"]+"/, `UtcTime="2026-05-01T12:00:0${second}Z"`);
    for (const second of [1, 1, 2]) expect(await post(consumer(), crossed(second))).toBe(200);
    expect(await post(consumer(), notifier.notify([input(true)]))).toBe(200);
    await until("the input", () => words().some((word) => word.includes("input")));
    expect(words()).toEqual([
      "1 lineCrossed Fence happened",
      "1 lineCrossed Fence happened",
      "1 input DI_1 on",
    ]);
  });

  it("happens again though the camera's clock stands still and its text is the same, a while later", async () => {
    const { notifier, consumer, words, pass } = await subscribed();
    const rung = notifier
      .notify([{ topic: "tns1:RuleEngine/MyRuleDetector/Visitor", source: {}, data: {} }])
      .replace(/ PropertyOperation="\w+"/, "")
      .replace(/UtcTime="[^"]+"/, 'UtcTime="1970-01-01T00:00:00Z"');
    for (const afterMs of [0, 1000, 60_000]) {
      await pass(afterMs);
      expect(await post(consumer(), rung)).toBe(200);
    }
    expect(await post(consumer(), notifier.notify([input(true)]))).toBe(200);
    await until("the input", () => words().some((word) => word.includes("input")));
    expect(words()).toEqual([
      "1 doorbell MyRuleDetector happened",
      "1 doorbell MyRuleDetector happened",
      "1 input DI_1 on",
    ]);
  });

  it.each(["dahua", "noname", "encoder", "hanwha"] as const)("is read as %s writes it", async (maker) => {
    const { device, words } = await subscribed({ ...PUSHES, maker });
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect(words()).toEqual(["1 motion Door on"]);
  });

  it("is taken from a camera that refuses pull points and was not known to", async () => {
    const { device, words, asked } = await subscribed({ quirks: [REFUSES], pushesEvents: true });
    device.emit(input(true));
    await until("the input", () => words().length > 0);
    expect(asked("CreatePullPointSubscription")).toBe(1);
  });
});

describe("a subscription to what a camera pushes", () => {
  it("is renewed as often as asked for, and not made anew, whatever the camera's clock shows", async () => {
    // Without a login each question is one.
    const options = { ...PUSHES, auth: "none", clockOffsetMs: -20 * 365 * 86_400_000 } as const;
    const { device, notifier, asked, words, received } = await subscribed(options);
    device.change({ ...options, clockOffsetMs: 86_400_000 });
    await until("a renewal", () => asked("Renew") >= 1);
    notifier.lifetimeMs = 3_600_000;
    await until("two further ones", () => asked("Renew") >= 3);
    device.emit(moving(true));
    await until("the motion", () => words().length > 0);
    expect([asked("Subscribe"), received()]).toEqual([1, 1]);
  });

  it("is made anew after a reboot: what changed meanwhile is reported, what did not is not", async () => {
    const { device, notifier, words, received, reported, consumer } = await subscribed();
    for (const state of [moving(true), input(true), changed(true)]) notifier.set(state);
    await until("all states", () => words().length >= 3 && received() > 0);
    const before = consumer();
    await device.stop();
    notifier.set(moving(false));
    reported.length = 0;
    await device.listen();
    await until("the motion's end", () => words().length > 0);
    notifier.set(input(false));
    await until("the input's end", () => words().length > 1);
    expect(words()).toEqual(["1 motion Door off", "1 input DI_1 off"]);
    expect(consumer()).not.toBe(before);
    expect(await post(before, notifier.notify([input(true)]))).not.toBe(200);
  });

  it("and its port end with the service", async () => {
    const { events, notifier, consumer } = await subscribed();
    const address = consumer();
    expect(await post(address, notifier.notify([]))).toBe(200);
    await events.stop();
    expect(notifier.open).toBe(0);
    expect(await post(address, "")).toBe("ECONNREFUSED");
  });

  it("and its port end when the camera is removed", async () => {
    const { site, events, notifier, consumer } = await subscribed();
    const address = consumer();
    await site.setCameras([]);
    await until("the end", () => notifier.open === 0);
    await events.stop();
    expect(await post(address, "")).toBe("ECONNREFUSED");
  });

  it("waits for its port, and says whose it is meanwhile", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { device, logged, words } = await startCameraEvents({ ...PUSHES, cameraEventPort: port });
    await until("the words", () => logged.some((line) => line.includes("are not received")));
    expect(logged.join()).toContain(`port ${port} of 127.0.0.1 cannot be listened on`);
    expect(device.notifier.open).toBe(0);
    other.close();
    await until("the subscription", () => device.notifier.open === 1);
    expect(new URL(device.notifier.consumers[0] ?? "").port).toBe(String(port));
    device.emit(input(true));
    await until("the input", () => words().length > 0);
  });
});

it("where only secure connections are allowed, nothing is pushed, and that is said", async () => {
  const options = { ...PUSHES, tls: true, secureOnly: true };
  const { logged, asked } = await startCameraEvents(options);
  await until("the words", () =>
    logged.some((line) => line.includes("only pushes its events, without encryption")),
  );
  expect(asked("Subscribe")).toBe(0);
});

describe("the port of pushed events", () => {
  it("hears the camera alone", async () => {
    const { notifier, consumer, device, words, logged } = await subscribed();
    const forged = notifier.notify([moving(true)]);
    expect(await post(consumer(), forged, "127.0.0.2")).toBe("ECONNRESET");
    device.emit(input(true));
    await until("the input", () => words().length > 0);
    expect(words()).toEqual(["1 input DI_1 on"]);
    expect(logged.filter((line) => line.includes("was refused") && line.includes("127.0.0.2"))).toHaveLength(
      1,
    );
  });

  it("knows only the path that the camera was given", async () => {
    const { notifier, consumer, device, words, logged } = await subscribed();
    const { origin, pathname } = new URL(consumer());
    const forged = notifier.notify([moving(true)]);
    for (const path of ["/", "/notify", "/notify/", `${pathname}/`, `${pathname}?a`])
      expect([path, await post(origin + path, forged)]).toEqual([path, 404]);
    expect((await fetch(consumer())).status).toBe(405);
    device.emit(input(true));
    await until("the input", () => words().length > 0);
    expect(words()).toEqual(["1 input DI_1 on"]);
    expect(logged.join()).not.toContain(pathname);
  });

  it("takes no long body, and goes on after one and after what it cannot read", async () => {
    const { notifier, consumer, device, words, logged } = await subscribed();
    const long = `<a>${" ".repeat(NOTIFY_BYTES_MAX)}</a>`;
    expect([413, "ECONNRESET", "EPIPE"]).toContain(await post(consumer(), long));
    const bomb = `<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>`;
    for (const body of [
      Buffer.alloc(1000, 0xff),
      "",
      bomb,
      "<a>",
      notifier.notify([moving(true)]).slice(0, -9),
    ])
      expect(await post(consumer(), body)).toBe(200);
    device.emit(input(true));
    await until("the input", () => words().length > 0);
    expect(words()).toEqual(["1 input DI_1 on"]);
    expect(logged.filter((line) => line.includes("cannot be read"))).toHaveLength(1);
  });

  it("takes no endless body, whose length was not stated", async () => {
    const { consumer, device, words } = await subscribed();
    const { port, pathname } = new URL(consumer());
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => socket.destroy());
    socket.write(`POST ${pathname} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const feeding = setInterval(() => socket.write(chunk), 1);
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(feeding);
    expect(socket.bytesWritten).toBeLessThan(64 * NOTIFY_BYTES_MAX);
    device.emit(input(true));
    await until("the input", () => words().length > 0);
  });

  it("lets the camera have no more than a few connections, and a bounded number of messages wait", async () => {
    const { notifier, consumer, device, words } = await subscribed();
    const { port } = new URL(consumer());
    const sockets = Array.from({ length: 8 }, () => connect(Number(port), "127.0.0.1"));
    let closed = 0;
    for (const socket of sockets) {
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        closed += 1;
      });
      socket.resume();
    }
    await until("the surplus to be closed", () => closed === 4);
    for (const socket of sockets) socket.destroy();
    await until("all to be closed", () => closed === 8);
    const large = notifier.notify([moving(true)]).padEnd(NOTIFY_BYTES_MAX - 8);
    // Four of them are all that may wait; these come sooner than they are read.
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(consumer(), large)));
    expect(answers).toContain(200);
    device.emit(input(true));
    await until("the input", () => words().some((word) => word.includes("input")));
    expect(words().filter((word) => word.includes("motion"))).toEqual(["1 motion Door on"]);
  });
});

it("each camera has a path of its own at one port, which closes behind the last", async () => {
  const taken: string[] = [];
  const consumer = new NotificationConsumer({ port: 0, log: createLog({ level: "silent" }) });
  const expectFrom = (device: string) =>
    consumer.expect({
      local: "127.0.0.1",
      device,
      take: (body) => taken.push(`${device} ${body.toString()}`) > 0,
    });
  const [one, other] = await Promise.all([expectFrom("127.0.0.2"), expectFrom("127.0.0.3")]);
  expect(new URL(one.address).port).toBe(new URL(other.address).port);
  expect(await post(one.address, "own", "127.0.0.2")).toBe(200);
  expect(await post(one.address, "another's", "127.0.0.3")).toBe(404);
  await one.close();
  expect(await post(one.address, "late", "127.0.0.3")).toBe(404);
  expect(await post(other.address, "own", "127.0.0.3")).toBe(200);
  expect(taken).toEqual(["127.0.0.2 own", "127.0.0.3 own"]);
  await other.close();
  expect(await post(other.address, "late", "127.0.0.3")).toBe("ECONNREFUSED");
});
