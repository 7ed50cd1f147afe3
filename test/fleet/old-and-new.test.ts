import { createPrivateKey, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { forEachTest } from "../support/base/for-tests.js";
import { until } from "../support/base/until.js";
import { ALICE, FleetBench, type FleetBox } from "../support/fleet/fleet-bench.js";
import { ScriptedBox } from "../support/fleet/scripted-box.js";

/** What a hub and a box of version 1.0.0 said to each other, as it was recorded: protocol 1, which tells no number. */
const OLD = {
  /** The hub's first request, and one of a user. */
  asked: [
    { ":path": "/fleet/about", ":method": "GET", ":authority": "box:443", ":scheme": "https" },
    { ":method": "GET", ":path": "/hello", ":authority": "box:443", ":scheme": "https" },
  ],
  /** The claims of the identity with the second, without times and ids. */
  user: {
    Id: "00000001-0000-4000-8000-0000000000aa",
    Name: "alice",
    Group: "Guards",
    IsAdministrator: false,
    Rights: ["CanPTZ", "CanReceiveMainStream"],
    Realtime: true,
    Archive: true,
    Address: "192.0.2.7",
  },
  about:
    '{"Name":"Warehouse","Version":"1.0.0","Health":"recording 4 of 4 cameras","Role":"commands","Figures":{"cameras":4,"camerasLost":0,"volumes":1,"volumesAtFault":0,"daysLeft":21.5,"problemCount":1,"problems":[{"code":"clock-unknown","severity":"warning","text":"the clock is not known"}]},"Revision":12}',
} as const;

const bench = forEachTest(() => FleetBench.start());

async function comeAs(about: string): Promise<ScriptedBox> {
  const box = new ScriptedBox(about);
  await box.join(bench.hub.makeCode().code);
  await until("the hub takes it", () => bench.hub.box(box.id)?.silence === undefined, {
    seen: () => bench.hub.boxes(),
  });
  return box;
}

async function helloOf(box: ScriptedBox): Promise<string> {
  const headers = { ":method": "GET", ":path": "/hello" };
  const stream = await bench.hub.open(box.id, { user: ALICE, role: "commands", hasBody: false, headers });
  let text = "";
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  return text;
}

/** An identity with these claims of its user. */
async function identity(user: object, box: FleetBox): Promise<string> {
  const nowS = Math.floor(bench.clock.nowUs() / 1e6);
  return await new SignJWT({ user })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer("nvrd-hub")
    .setAudience(box.id)
    .setJti(randomUUID())
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + 30)
    .sign(createPrivateKey(bench.pem("authority-key")));
}

it("a hub takes a recorder of version 1.0.0, shows how it does, asks it, and asks for nothing that it does not know", async () => {
  const box = await comeAs(OLD.about);
  expect(await helloOf(box)).toBe("hello");

  expect(bench.hub.box(box.id)).toMatchObject({
    ...{ name: "Warehouse", version: "1.0.0", health: "recording 4 of 4 cameras" },
    figures: { cameras: 4, daysLeft: 21.5, problems: [{ code: "clock-unknown" }] },
  });
  expect(new Set(box.asked.map((headers) => headers[":path"]))).toEqual(
    new Set(["/fleet/about", "/configex?responsetype=json", "/hello"]),
  );
  box.stop();
});

it("a hub takes a recorder of a newer version, and leaves out what it does not know of it", async () => {
  const newer = {
    ...JSON.parse(OLD.about),
    Protocol: 99,
    Weather: { Rain: true },
    Figures: { kind: "newer" },
  };
  const box = await comeAs(JSON.stringify(newer));

  expect(await helloOf(box)).toBe("hello");
  expect(bench.hub.box(box.id)).toMatchObject({ name: "Warehouse", figures: undefined });
  box.stop();
});

it("a recorder answers a hub of version 1.0.0: what it says of itself has all that it had then", async () => {
  const box = await bench.joined({
    about: () => ({
      ...{ name: "Warehouse", version: "2.0.0", health: "recording 4 of 4 cameras", revision: 12 },
      figures: JSON.parse(OLD.about).Figures,
    }),
  });
  const hub = await bench.takenHub();
  const [about, hello] = OLD.asked;
  const said = JSON.parse(await hub.text(about));
  const { Role, Version, ...former } = JSON.parse(OLD.about);

  expect(said).toMatchObject(former);
  expect(["commands", "media"]).toContain(said.Role);
  expect(await hub.ask({ ...hello, "nvrd-identity": await identity(OLD.user, box) })).toBe(200);
});

it("a recorder believes a newer hub, whose users have rights and members that it does not know", async () => {
  const box = await bench.joined();
  const hub = await bench.takenHub();
  const user = { ...OLD.user, Rights: [...OLD.user.Rights, "CanFlyDrones"], Team: "night" };
  const headers = { ...OLD.asked[1], "nvrd-protocol": "99" };

  expect(await hub.ask({ ...headers, "nvrd-identity": await identity(user, box) })).toBe(200);
  expect(box.seen.at(-1)?.user?.Rights).toEqual([...OLD.user.Rights]);
});
