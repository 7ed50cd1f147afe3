import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MembershipFile } from "../../src/fleet/box/membership-file.js";
import { TOKEN_SECONDS } from "../../src/fleet/join/tokens.js";
import type { FromLink } from "../../src/fleet/link/link-messages.js";
import type { StartLinkThread } from "../../src/fleet/link/link-thread.js";
import { forEachTest } from "../support/base/for-tests.js";
import { until } from "../support/base/until.js";
import { FleetBench, type FleetBox, LOOK } from "../support/fleet/fleet-bench.js";
import { silentLog } from "../support/site/site-samples.js";

const DAY_US = 86_400_000_000;

const bench = forEachTest(() => FleetBench.start());

/** Says to a box what its link says. */
class ScriptedLink {
  #say: ((message: FromLink) => void) | undefined;

  readonly start: StartLinkThread = (onMessage) => {
    this.#say = onMessage;
    return { post: () => undefined, end: () => undefined };
  };

  say(message: FromLink): void {
    this.#say?.(message);
  }
}

/** Started anew, and connected as it is now. */
async function restarted(box: FleetBox): Promise<void> {
  await box.membership.stop();
  await until("the hub sees it go", () => bench.hub.box(box.id)?.silence === "ended", {
    seen: () => bench.hub.boxes(),
  });
  await box.membership.start();
  await bench.connected(box);
}

describe("joining a hub", () => {
  it("connects a box that was given the hub's code, and the hub lists it with what it says of itself", async () => {
    const box = await bench.joined();

    await until("it says who it is", () => bench.hub.box(box.id)?.version === "1.2.3");
    expect(bench.hub.boxes()).toMatchObject([
      { id: box.id, name: "Warehouse", health: "recording", silence: undefined },
    ]);
    expect(box.membership.state).toMatchObject({ isConnected: true, ceiling: "look" });
  });

  it("refuses a code that was used", async () => {
    const { code } = bench.hub.makeCode();
    await bench.newBox().membership.join(code, LOOK);

    await expect(bench.newBox().membership.join(code, LOOK)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("was used, or is older than 15 minutes"),
    });
    expect(bench.hub.boxes()).toHaveLength(1);
  });

  it("refuses a code that is older than 15 minutes", async () => {
    const { code } = bench.hub.makeCode();
    bench.clock.shiftUs = TOKEN_SECONDS * 1_000_000;

    await expect(bench.newBox().membership.join(code, LOOK)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("sends nothing to a machine that is not the hub of the code", async () => {
    const other = bench.newHub(0, "other");
    await other.start();
    const { code } = bench.hub.makeCode();
    const misled = code.replace(`:${bench.hub.port}/`, `:${other.port}/`);

    await expect(bench.newBox().membership.join(misled, LOOK)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("is not the hub of this code"),
    });
    await other.stop();
  });

  it("gives the code back where the box is known already", async () => {
    const box = await bench.joined();
    const { code } = bench.hub.makeCode();
    const twin = bench.newBox({ boxId: () => box.id });

    await expect(twin.membership.join(code, LOOK)).rejects.toMatchObject({ code: "CONFLICT" });

    await bench.newBox().membership.join(code, LOOK);
    expect(bench.hub.boxes()).toHaveLength(2);
  });

  it("connects again by itself after the hub was started anew", async () => {
    const box = await bench.joined();
    const { port } = bench.hub;
    await bench.hub.stop();
    bench.hub = bench.newHub(port);
    await bench.hub.start();

    await bench.connected(box);
    expect(await bench.ask(box)).toMatchObject({ status: 200 });
  });

  it("connects again after the box was started anew", async () => {
    const box = await bench.joined();
    await restarted(box);

    expect(await bench.ask(box)).toMatchObject({ status: 200 });
  });
});

describe("leaving a hub", () => {
  it("takes the box out of the hub's list, and its key out of the box", async () => {
    const box = await bench.joined();

    await box.membership.leave();

    expect(bench.hub.boxes()).toEqual([]);
    expect(box.membership.state).toBeUndefined();
    expect(() => readFileSync(bench.path("box0/fleet/key.pem"))).toThrow("ENOENT");
  });

  it("disconnects a box that is removed at the hub, and refuses it from then on", async () => {
    const box = await bench.joined();

    expect(await bench.hub.remove(box.id)).toBe(true);

    await until("it is refused", () => box.membership.state?.problem === "refused", {
      seen: () => box.membership.state,
    });
    expect(bench.hub.boxes()).toEqual([]);
    await expect(bench.ask(box)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("the certificate of a box", () => {
  it("is made anew in time, and the one before counts no more", async () => {
    bench.clock.shiftUs = -65 * DAY_US;
    const box = await bench.joined();
    const certificate = bench.path("box0/fleet/certificate.pem");
    const [keyBefore, before] = [
      readFileSync(bench.path("box0/fleet/key.pem")),
      readFileSync(certificate, "utf8"),
    ];
    bench.clock.shiftUs = 0;

    await box.membership.stop();
    await box.membership.start();
    await until("it is made anew", () => readFileSync(certificate, "utf8") !== before, {
      seen: () => box.membership.state,
    });
    await restarted(box);

    await box.membership.stop();
    writeFileSync(certificate, before);
    writeFileSync(bench.path("box0/fleet/key.pem"), keyBefore);
    await box.membership.start();
    await until("the old one is refused", () => box.membership.state?.problem === "refused", {
      seen: () => box.membership.state,
    });
  });

  it("of another hub's box is refused", async () => {
    const other = bench.newHub(0, "other");
    await other.start();
    const box = await bench.joined();
    const stranger = bench.newBox({ boxId: () => box.id });
    await stranger.membership.join(other.makeCode().code, LOOK);
    await stranger.membership.stop();

    const file = bench.path("box1/fleet/hub.json");
    const kept = JSON.parse(readFileSync(file, "utf8"));
    const own = JSON.parse(readFileSync(bench.path("box0/fleet/hub.json"), "utf8"));
    writeFileSync(file, JSON.stringify({ ...kept, port: bench.hub.port, authority: own.authority }));
    await stranger.membership.start();

    await until("it is refused", () => stranger.membership.state?.problem === "refused", {
      seen: () => stranger.membership.state,
    });
    await other.stop();
  });

  it("of one box is refused in the name of another", async () => {
    const [box, other] = [await bench.joined(), await bench.joined()];
    await box.membership.stop();
    await other.membership.stop();
    for (const name of ["key.pem", "certificate.pem"])
      writeFileSync(bench.path(`box0/fleet/${name}`), readFileSync(bench.path(`box1/fleet/${name}`)));
    await box.membership.start();

    await until("it is connected as the other one", () => box.membership.state?.isConnected === true);
    expect(bench.hub.box(box.id)?.silence).toBe("ended");
    await bench.connected(other);
    expect(await bench.ask(other)).toMatchObject({ status: 401 });
    expect(box.seen).toEqual([]);
  });
});

describe("a box that is stopped", () => {
  const OTHER = { host: "127.0.0.1", port: 9 };
  const keptHubs = async (): Promise<number> => {
    const file = new MembershipFile({ dataDir: bench.path("box0"), log: silentLog });
    return 1 + ((await file.read())?.kept.others?.length ?? 0);
  };

  it("has written what it learnt before", async () => {
    const link = new ScriptedLink();
    const box = bench.newBox({ startThread: link.start });
    await box.membership.join(bench.hub.makeCode().code, LOOK);

    link.say({ kind: "hubs", hubs: [{ host: "127.0.0.1", port: bench.hub.port ?? 0 }, OTHER] });
    await box.membership.stop();

    expect(await keptHubs()).toBe(2);
  });

  it("writes nothing any more", async () => {
    const link = new ScriptedLink();
    const box = bench.newBox({ startThread: link.start });
    await box.membership.join(bench.hub.makeCode().code, LOOK);
    await box.membership.stop();

    await expect(box.membership.change({ kbpsMax: 1000 })).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });
});
