import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { BoxList } from "../../src/fleet/hub/box-list.js";
import type { Hub } from "../../src/fleet/index.js";
import { createHubAuthority, createHubCertificate } from "../../src/fleet/join/certificates.js";
import { HUB_NAME } from "../../src/fleet/join/hub-name.js";
import { forEachTest } from "../support/base/for-tests.js";
import { until } from "../support/base/until.js";
import { LOOK } from "../support/fleet/fleet-bench.js";
import { SharedHubs } from "../support/fleet/shared-hubs.js";
import { silentLog } from "../support/site/site-samples.js";

const DAY_US = 86_400_000_000;

const bench = forEachTest(() => SharedHubs.start(2));

function hubAt(at: number): Hub {
  const hub = bench.hubs[at];
  if (hub === undefined) throw new Error(`there is no hub ${at}`);
  return hub;
}

describe("several hubs that share their logins", () => {
  it("say to each other which sessions have ended", async () => {
    hubAt(0).sessionChanged("key");

    await expect.poll(() => bench.sessionsElsewhere).toEqual(["1 key"]);
  });

  it("take what another one remembers of a login that was begun there", async () => {
    expect(await hubAt(0).takeTicket("of 1")).toBe("proofs of 1");
    expect(await hubAt(0).takeTicket("of nobody")).toBeUndefined();
  });
});

describe("several hubs over one list", () => {
  it("are all connected to by a box that has joined at one of them", async () => {
    const box = await bench.joined(hubAt(0));

    expect(box.membership.state?.hubs).toEqual(
      bench.hubs.map(({ port }) => ({ hub: `127.0.0.1:${port}`, isConnected: true })),
    );
    for (const hub of bench.hubs)
      expect(await bench.ask(hub, box)).toEqual({ status: 200, body: "hello alice" });
  });

  it("reach a box that is connected to others of them, without a connection of their own", async () => {
    const third = await bench.addHub();
    const boxes = [await bench.joined(hubAt(0)), await bench.joined(hubAt(1)), await bench.joined(third)];

    for (const hub of bench.hubs)
      for (const box of boxes)
        expect(await bench.ask(hub, box)).toEqual({ status: 200, body: "hello alice" });
    const direct = boxes.flatMap((box) => box.membership.state?.hubs ?? []).map(({ hub }) => hub);
    expect(direct).toHaveLength(6);
  });

  it("have a box where it was placed at one of them, until it is placed elsewhere", async () => {
    const box = await bench.joined(hubAt(0));
    const position = { latitude: 59.93, longitude: 30.31 };

    expect(await hubAt(1).place(box.id, position)).toBe(true);
    await until("it is told", () => hubAt(0).box(box.id)?.position !== undefined, {
      seen: () => hubAt(0).boxes(),
    });
    const third = await bench.addHub();

    for (const hub of [hubAt(0), hubAt(1), third]) expect(hub.box(box.id)?.position).toEqual(position);
    expect(await hubAt(0).place(box.id, undefined)).toBe(true);
    await until("it is told", () => third.box(box.id)?.position === undefined, { seen: () => third.boxes() });
    expect(await third.place("00000001-0000-4000-8000-0000000000ff", position)).toBe(false);
  });

  it("hear of a change that was made before they were connected to", async () => {
    const box = await bench.joined(hubAt(0));
    const position = { latitude: -33.92, longitude: 18.42 };
    const third = await bench.addHub();
    const port = third.port ?? 0;
    await third.stop();
    await until("it is missed", () => hubAt(0).peersThere === 1, { seen: () => hubAt(0).peersThere });
    const back = bench.addHub(port);
    // What it has read at its start is from before: this is changed while it is not connected to.
    await until("it has read", () => (bench.hubs.at(-1)?.box(box.id)?.id ?? "") === box.id, {
      seen: () => bench.hubs.at(-1)?.boxes(),
    });
    expect(await hubAt(0).place(box.id, position)).toBe(true);
    const again = await back;

    await until("it is told", () => again.box(box.id)?.position !== undefined, { seen: () => again.boxes() });
    expect(again.box(box.id)?.position).toEqual(position);
  });

  it("are not led by what was read before a change to believe what was before it", async () => {
    const box = await bench.joined(hubAt(0));
    const position = { latitude: 1, longitude: 2 };
    const store = bench.newStore();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const list = new BoxList({
      ...{ directory: "", onGone: () => undefined, clock: bench.clock, log: silentLog },
      store: {
        names: (folder) => store.names(folder),
        write: (name, text) => store.write(name, text),
        remove: (name) => store.remove(name),
        close: () => store.close(),
        async read(name) {
          const text = await store.read(name);
          if (isHeld) {
            isHeld = false;
            await held;
          }
          return text;
        },
      },
    });
    await list.start();
    isHeld = true;
    const older = list.changedElsewhere(box.id);
    await until("it is read", () => !isHeld);
    expect(await list.place(box.id, position)).toBe(true);
    release();
    await older;

    expect(list.get(box.id)?.position).toEqual(position);
    await list.stop();
    store.close();
  });

  it("say of a box what it says of itself, wherever it is connected", async () => {
    const third = await bench.addHub();
    const box = await bench.joined(hubAt(0));
    const elsewhere = bench.hubs.find(
      ({ port }) => !box.membership.state?.hubs.some(({ hub }) => hub.endsWith(`:${port}`)),
    );

    expect(third.peersThere).toBe(2);
    await until("it is told", () => elsewhere?.box(box.id)?.version === "1.2.3", {
      seen: () => elsewhere?.boxes(),
    });
    expect(elsewhere?.box(box.id)).toMatchObject({
      name: "Warehouse",
      health: "recording",
      silence: undefined,
    });
  });

  it("still reach a box when one of them is stopped", async () => {
    const box = await bench.joined(hubAt(0));
    const [first, second] = [hubAt(0), hubAt(1)];

    await bench.stopHub(first);

    expect(await bench.ask(second, box)).toEqual({ status: 200, body: "hello alice" });
    expect(box.membership.state).toMatchObject({ isConnected: true });
  });

  it("still reach a box of three when one that it is connected to is stopped", async () => {
    const third = await bench.addHub();
    const box = await bench.joined(hubAt(0));
    const [first] = box.membership.state?.hubs ?? [];
    const stopped = bench.hubs.find(({ port }) => first?.hub.endsWith(`:${port}`));

    if (stopped !== undefined) await bench.stopHub(stopped);

    for (const hub of bench.hubs) expect(await bench.ask(hub, box)).toMatchObject({ status: 200 });
    expect(bench.hubs).toHaveLength(2);
    expect(third.port).toBeGreaterThan(0);
  });

  it("know their boxes after all of them were started anew without a disk", async () => {
    const box = await bench.joined(hubAt(0));
    const ports = bench.hubs.map(({ port }) => port);
    for (const hub of [...bench.hubs]) await bench.stopHub(hub);
    for (const port of ports) await bench.addHub(port);

    await until(
      "it is there again",
      () => bench.hubs.every((hub) => hub.box(box.id)?.silence === undefined),
      {
        seen: () => [bench.hubs.map((hub) => hub.boxes()), box.membership.state],
      },
    );
    expect(await bench.ask(hubAt(1), box)).toMatchObject({ status: 200 });
  });

  it("say of a box that is away that it was there, also after all of them were started anew", async () => {
    const box = await bench.joined(hubAt(0));
    await until("it is told", () => bench.hubs.every((hub) => hub.box(box.id)?.version === "1.2.3"), {
      seen: () => bench.hubs.map((hub) => hub.boxes()),
    });
    await box.membership.stop();
    for (const hub of [...bench.hubs]) await bench.stopHub(hub);

    const hub = await bench.addHub();

    expect(hub.box(box.id)).toMatchObject({ name: "Warehouse", version: "1.2.3", silence: "started" });
  });

  it("keep what another one has written: a new certificate counts at all of them", async () => {
    bench.clock.shiftUs = -65 * DAY_US;
    const box = await bench.joined(hubAt(0));
    const certificates = () =>
      JSON.parse(String(bench.store.objects.get(`fleet/hub/boxes/${box.id}.json`))).certificates;
    const [before] = certificates();
    await hubAt(1).place(box.id, { latitude: 59.93, longitude: 30.31 });
    await box.membership.stop();
    bench.clock.shiftUs = 0;

    await box.membership.start();

    await until(
      "the new certificate alone counts",
      () => certificates().length === 1 && certificates()[0] !== before,
      {
        seen: certificates,
      },
    );
    for (const hub of bench.hubs)
      await until("it is there", () => hub.box(box.id)?.silence === undefined, { seen: () => hub.boxes() });
    for (const hub of bench.hubs) expect(await bench.ask(hub, box)).toMatchObject({ status: 200 });
    for (const hub of bench.hubs)
      expect(hub.box(box.id)?.position).toEqual({ latitude: 59.93, longitude: 30.31 });
  });

  it("do not have a box again that was read while it was being removed", async () => {
    const box = await bench.joined(hubAt(0));
    const list = new BoxList({
      ...{
        directory: "",
        store: bench.newStore(),
        onGone: () => undefined,
        clock: bench.clock,
        log: silentLog,
      },
    });
    await list.start();
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    bench.store.gate = ({ method }) => (method === "DELETE" ? held : undefined);

    const removed = list.remove(box.id);
    await list.changedElsewhere(box.id);
    const during = list.get(box.id);
    goOn();

    expect([during, await removed, list.get(box.id)]).toEqual([undefined, true, undefined]);
    await list.stop();
  });

  it("keep a box that cannot be taken out of the store", async () => {
    const box = await bench.joined(hubAt(0));
    bench.store.fault = ({ method }) =>
      method === "DELETE" ? { status: 403, code: "AccessDenied" } : undefined;

    await expect(hubAt(0).remove(box.id)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });

    expect(await bench.ask(hubAt(0), box)).toMatchObject({ status: 200 });
  });

  it("refuse a code that was used at another one of them", async () => {
    const { code } = hubAt(0).makeCode();
    const atOther = code.replace(`:${hubAt(0).port}/`, `:${hubAt(1).port}/`);

    await bench.newBox().membership.join(atOther, LOOK);

    for (const again of [code, atOther])
      await expect(bench.newBox().membership.join(again, LOOK)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("disconnect a box everywhere that is removed at one of them, and none lets it in again", async () => {
    const box = await bench.joined(hubAt(0));

    expect(await hubAt(1).remove(box.id)).toBe(true);

    await until("it is refused", () => box.membership.state?.problem === "refused", {
      seen: () => box.membership.state,
    });
    await until("no hub has it", () => bench.hubs.every((hub) => hub.boxes().length === 0), {
      seen: () => bench.hubs.map((hub) => hub.boxes()),
    });
    expect([...bench.store.objects.keys()].filter((key) => key.includes(box.id))).toEqual([]);
  });

  it("let nobody in with what the store says when it is damaged", async () => {
    const box = await bench.joined(hubAt(0));
    await box.membership.stop();
    const ports = bench.hubs.map(({ port }) => port);
    for (const hub of [...bench.hubs]) await bench.stopHub(hub);
    for (const [key, bytes] of bench.store.objects)
      if (key.includes(box.id)) bench.store.objects.set(key, bytes.subarray(0, bytes.length / 2));
    for (const port of ports) await bench.addHub(port);

    await box.membership.start();

    await until("it is refused", () => box.membership.state?.problem === "refused", {
      seen: () => box.membership.state,
    });
  });
});

describe("the way from hub to hub", () => {
  /** What a hub does with a connection that shows this certificate and asks as another hub. */
  async function askedAs(own: { readonly key: string; readonly certificate: string }): Promise<string> {
    const socket = connect({
      ...{ host: "127.0.0.1", port: hubAt(0).port, servername: HUB_NAME, ca: bench.authority.certificate },
      ...{ key: own.key, cert: own.certificate, minVersion: "TLSv1.3", ALPNProtocols: ["h2"] },
    });
    return await new Promise((resolve) => {
      socket.once("error", () => resolve("closed"));
      socket.once("close", () => resolve("closed"));
      socket.once("secureConnect", () => {
        const session = connectHttp2("https://hub", { createConnection: () => socket });
        session.once("error", () => resolve("closed"));
        const stream = session.request({ ":path": "/fleet/present" });
        stream.once("error", () => resolve("closed"));
        stream.once("response", (headers) => {
          resolve(String(headers[":status"]));
          session.destroy();
        });
      });
    });
  }

  it("is open to a certificate of a hub of this authority", async () => {
    expect(await askedAs(await createHubCertificate(bench.authority, Date.now()))).toBe("200");
  });

  it("is closed to a certificate of a box", async () => {
    const box = await bench.joined(hubAt(0));
    const pem = (name: string) => readFileSync(bench.path(`box0/fleet/${name}.pem`), "utf8");
    await box.membership.stop();

    expect(await askedAs({ key: pem("key"), certificate: pem("certificate") })).toBe("closed");
  });

  it("is closed to a hub of another authority", async () => {
    const other = await createHubAuthority(Date.now());

    expect(await askedAs(await createHubCertificate(other, Date.now()))).toBe("closed");
  });
});
