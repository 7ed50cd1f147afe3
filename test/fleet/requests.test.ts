import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { IdentityCheck, IdentitySigner } from "../../src/fleet/link/identity.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ALICE, FleetBench, ShiftedClock } from "../support/fleet/fleet-bench.js";

const BOX = "00000001-0000-4000-8000-0000000000b1";
const OTHER_BOX = "00000001-0000-4000-8000-0000000000b2";

const bench = forEachTest(() => FleetBench.start());

function pem(name: string, hub = "hub"): string {
  return readFileSync(bench.path(`${hub}/hub/${name}.pem`), "utf8");
}

describe("a request through a hub", () => {
  it("reaches the box's API in the user's name, and its answer comes back", async () => {
    const box = await bench.joined();

    const answer = await bench.ask(box, {
      headers: { ":path": "/api/channels?a=1", "accept-language": "ru" },
    });

    expect(answer).toMatchObject({ status: 200, body: "hello alice", headers: { etag: '"x"' } });
    expect(box.seen).toMatchObject([
      { method: "GET", url: "/api/channels?a=1", user: ALICE, headers: { "accept-language": "ru" } },
    ]);
  });

  it("is asked again where the API has closed the connection that was kept open for it", async () => {
    const box = await bench.joined();
    await bench.ask(box);
    box.cutsKept = true;

    expect(await bench.ask(box)).toMatchObject({ status: 200, body: "hello alice" });
    expect(box.seen).toHaveLength(2);
  });

  it("takes a body along", async () => {
    const box = await bench.joined();

    await bench.ask(box, {
      headers: { ":path": "/ptz", ":method": "POST", "content-type": "text/plain" },
      body: "left",
    });

    expect(box.seen).toMatchObject([
      { method: "POST", body: "left", headers: { "content-type": "text/plain" } },
    ]);
  });

  it("takes no cookie, no login and no name of another user along, and brings no cookie back", async () => {
    const box = await bench.joined();
    const headers = {
      cookie: "session=1",
      authorization: "Basic cm9vdDo=",
      "nvrd-hub-user": "x",
      origin: "http://evil",
    };

    const answer = await bench.ask(box, { headers });

    expect(Object.keys(box.seen[0]?.headers ?? {}).sort()).toEqual(["connection", "host", "nvrd-hub-user"]);
    expect(box.seen[0]?.user).toEqual(ALICE);
    expect(answer.headers).not.toHaveProperty("set-cookie");
  });

  it.each(["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "BREW"])(
    "is one request at the box, whatever its body says: %s",
    async (method) => {
      const box = await bench.joined();
      const root = Buffer.from(JSON.stringify({ ...ALICE, Name: "root", IsAdministrator: true }));
      const body = [
        ...["GET /smuggled HTTP/1.1", "host: box", `nvrd-hub-user: ${root.toString("base64url")}`],
        ...["authorization: Basic cm9vdDo=", "", ""],
      ].join("\r\n");

      const stream = await bench.hub.open(box.id, {
        ...{ user: ALICE, role: "commands", hasBody: true },
        headers: { ":path": "/api/channels", ":method": method },
      });
      stream.on("error", () => stream.destroy());
      stream.end(body);
      stream.resume();
      await new Promise((resolve) => stream.once("close", resolve));
      // It comes behind all that the first one could leave on its connection.
      for (let at = 0; at < 3; at += 1) await bench.ask(box, { headers: { ":path": "/after" } });

      const asked = box.seen.map(({ url, user }) => `${user?.Name} ${url}`);
      expect(asked.filter((each) => !/^alice \/(?:api\/channels|after)$/.test(each))).toEqual([]);
      expect(asked.filter((each) => each === "alice /after")).toHaveLength(3);
    },
  );

  it.each([
    "/a HTTP/1.1\r\nnvrd-hub-user: x\r\n\r\n",
    "/a b",
    "/a\tb",
    "/a\u0000b",
    "",
    "*",
    "http://other.example/api/channels",
    "//other.example/api/channels",
    "/../../api/channels",
  ])("reaches the box's API as one, or not at all, with a path that is none: %j", async (path) => {
    const box = await bench.joined();
    const hub = await bench.takenHub();
    const signer = new IdentitySigner(pem("authority-key"), bench.clock);
    const identity = async () => await signer.sign(ALICE, box.id);

    await hub.ask({ ":path": path, "nvrd-identity": await identity() }).catch(() => 0);

    expect(await hub.ask({ ":path": "/after", "nvrd-identity": await identity() })).toBe(200);
    const { length } = box.seen;
    expect(length).toBeLessThanOrEqual(2);
    for (const { user, headers } of box.seen) {
      expect(user).toEqual(ALICE);
      expect(headers.host).toBe("box");
    }
  });

  it.each([
    "/video?login=root&password=1",
    "/video?channelnum=0&%70assword=1",
    "/video?channelnum=0?LOGIN=root",
    "/video?+login=root",
  ])("is refused with a login in its query: %s", async (path) => {
    const box = await bench.joined();

    const answer = await bench.ask(box, { headers: { ":path": path } });

    expect(answer.status).toBe(403);
    expect(box.seen).toEqual([]);
  });

  it("brings an answer of many megabytes whole, whatever the hub takes at a time", async () => {
    const box = await bench.joined();
    box.longBytes = 5_000_000;

    expect((await bench.ask(box, { headers: { ":path": "/long" } })).body.length).toBe(5_000_000);
  });

  it("is refused by the box where it does not say who asks, and where it says so a second time", async () => {
    const box = await bench.joined();
    const hub = await bench.takenHub();
    const identity = await new IdentitySigner(pem("authority-key"), bench.clock).sign(ALICE, box.id);

    expect(await hub.ask({ ":path": "/api/channels" })).toBe(401);
    expect(await hub.ask({ ":path": "/api/channels", "nvrd-identity": identity })).toBe(200);
    expect(await hub.ask({ ":path": "/api/channels", "nvrd-identity": identity })).toBe(401);
    expect(box.seen).toHaveLength(1);
  });
});

describe("what says who asks", () => {
  const clock = new ShiftedClock();
  const check = (boxId = BOX) => new IdentityCheck(pem("authority"), boxId, clock);
  const signed = async (boxId = BOX, hub = "hub") =>
    await new IdentitySigner(pem("authority-key", hub), clock).sign(ALICE, boxId);

  it("names the user", async () => {
    expect(await check().read(await signed())).toEqual(ALICE);
  });

  it("is refused where there is none", async () => {
    expect(await check().read(undefined)).toBe("missing");
  });

  it("is refused the second time", async () => {
    const [checked, identity] = [check(), await signed()];
    await checked.read(identity);

    expect(await checked.read(identity)).toBe("replayed");
  });

  it("is refused a minute after it was made", async () => {
    const identity = await signed();
    clock.shiftUs += 61_000_000;

    expect(await check().read(identity)).toBe("expired");
  });

  it("is refused where it was made for longer than a minute", async () => {
    const nowS = Math.floor(clock.nowUs() / 1_000_000);
    const lasting = await new SignJWT({ user: ALICE })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer("nvrd-hub")
      .setAudience(BOX)
      .setJti("1")
      .setIssuedAt(nowS - 120)
      .setExpirationTime(nowS + 3600)
      .sign(createPrivateKey(pem("authority-key")));

    expect(await check().read(lasting)).toBe("expired");
  });

  it("is refused by another box", async () => {
    expect(await check(OTHER_BOX).read(await signed())).toBe("foreign");
  });

  it("is refused where another hub has signed it", async () => {
    const other = bench.newHub(0, "other");
    await other.start();

    expect(await check().read(await signed(BOX, "other"))).toBe("foreign");
    await other.stop();
  });

  it("is refused where a letter of it was changed", async () => {
    const [head, payload = "", signature] = (await signed()).split(".");
    const altered = Buffer.from(payload, "base64url").toString().replace("alice", "admin");

    expect(await check().read([head, Buffer.from(altered).toString("base64url"), signature].join("."))).toBe(
      "foreign",
    );
  });

  it("is refused where it is no such thing", async () => {
    expect(await check().read("something")).toBe("malformed");
  });
});

describe("a box that sends at most so much", () => {
  it("takes its time for a long answer, and answers all the same", async () => {
    const box = await bench.joined();
    box.longBytes = 200_000;
    await box.membership.change({ kbpsMax: 800 });

    const startedMs = performance.now();
    const { body } = await bench.ask(box, { headers: { ":path": "/long" } });

    expect(body.length).toBe(200_000);
    // 100 kB a second.
    expect(performance.now() - startedMs).toBeGreaterThan(1500);
  });
});
