import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { forgetReadablePasswords } from "../../src/access/index.js";
import { createLog } from "../../src/base/index.js";
import { NONCE_LIFETIME_MS } from "../../src/onvif/soap/digest-nonces.js";
import { TOKEN_WINDOW_MS } from "../../src/onvif/soap/token-window.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ALICE, BOB, digestHeader, MemoryDevice } from "../support/onvif/memory-device.js";

const bench = forEachTest(() => MemoryDevice.create());

const WRONG = { ...ALICE, password: "guess" };
const information = (asked: Parameters<MemoryDevice["ask"]>[2]) =>
  bench.ask("device_service", "GetDeviceInformation", asked);

/** The challenges of a refusal, one for each way. */
async function challenges(): Promise<readonly string[]> {
  const { headers } = await information({});
  return (headers.get("www-authenticate") ?? "").split(/, (?=Digest|Basic)/);
}

it("the time, the services and what they can need no login, and all else does", async () => {
  for (const operation of [
    "GetSystemDateAndTime",
    "GetServices",
    "GetCapabilities",
    "GetServiceCapabilities",
  ])
    expect((await bench.ask("device_service", operation)).status, operation).toBe(200);
  for (const [service, operation] of [
    ["device_service", "GetDeviceInformation"],
    ["device_service", "NoSuchOperation"],
    ["media_service", "GetProfiles"],
    ["event_service", "CreatePullPointSubscription"],
    ["ptz_service", "GetNodes"],
    ["search_service", "FindRecordings"],
  ] as const)
    expect(await bench.ask(service, operation), operation).toMatchObject({
      status: 401,
      fault: "NotAuthorized",
    });
});

describe("a token of WS-Security", () => {
  it("logs in, once", async () => {
    const security = bench.token(ALICE);
    expect((await information({ security })).status).toBe(200);
    expect(await information({ security })).toMatchObject({ status: 400, fault: "NotAuthorized" });
  });

  it("with a wrong password, of an unknown user and of one who may not use ONVIF is refused alike", async () => {
    const answers = [WRONG, { login: "nobody", password: "x" }, BOB].map((login) => information({ login }));
    const texts = (await Promise.all(answers)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("NotAuthorized");
  });

  it.each([
    ["before", -TOKEN_WINDOW_MS / 1000 - 1],
    ["after", TOKEN_WINDOW_MS / 1000 + 1],
  ])("of a time long %s the recorder's is refused, and the fault says so", async (_what, offset) => {
    const late = await information({ security: bench.token(ALICE, { created: bench.time(offset) }) });
    expect(late.fault).toBe("NotAuthorized");
    expect(late.text).toMatch(/s off this device's clock/);
    const near = bench.token(ALICE, { created: bench.time(offset * 0.9) });
    expect((await information({ security: near })).status).toBe(200);
  });

  it("without nonce or time, or with a huge nonce, is refused", async () => {
    const whole = bench.token(ALICE);
    const cut = [/<wsse:Nonce>.*<\/wsse:Nonce>/, /<wsu:Created>.*<\/wsu:Created>/].map((part) =>
      whole.replace(part, ""),
    );
    for (const security of [...cut, bench.token(ALICE, { nonce: Buffer.alloc(150) })])
      expect((await information({ security })).fault).toBe("NotAuthorized");
  });

  it("with the password itself is checked as any login", async () => {
    const text = (password: string) =>
      bench
        .token(ALICE)
        .replace(/Type="[^"]*"/, 'Type="#PasswordText"')
        .replace(/(PasswordText">)[^<]*/, `$1${password}`);
    expect((await information({ security: text("Alice&#39;s sentence") })).status).toBe(200);
    expect((await information({ security: text("guess") })).fault).toBe("NotAuthorized");
  });
});

describe("HTTP Digest", () => {
  it.each(["SHA-256", "MD5"])("logs in by %s, each count of a nonce once", async (algorithm) => {
    const challenge = (await challenges()).find((each) => each.includes(`algorithm=${algorithm}`)) ?? "";
    const authorization = digestHeader(challenge, ALICE);
    expect((await information({ authorization })).status).toBe(200);
    const replayed = await information({ authorization });
    expect(replayed.status).toBe(401);
    expect(replayed.headers.get("www-authenticate")).toContain("stale=true");
    const [third, second] = [3, 2].map((count) => digestHeader(challenge, ALICE, { count }));
    for (const header of [third, second])
      expect((await information({ authorization: header ?? "" })).status).toBe(200);
  });

  it("with a wrong password, a foreign or old nonce, or for another address is refused", async () => {
    const [challenge = ""] = await challenges();
    const foreign = challenge.replace(/nonce="[^"]+/, 'nonce="1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA');
    for (const authorization of [
      digestHeader(challenge, WRONG),
      digestHeader(foreign, ALICE),
      digestHeader(challenge, ALICE, { uri: "/onvif/media_service" }),
      `Digest ${"x".repeat(5000)}`,
    ])
      expect((await information({ authorization })).status).toBe(401);
    bench.clock.advance(NONCE_LIFETIME_MS * 1000);
    expect((await information({ authorization: digestHeader(challenge, ALICE) })).status).toBe(401);
  });
});

it("guessing is slowed down as at every login, and shows nothing", async () => {
  const answers = [];
  for (let count = 0; count < 12; count += 1) answers.push(await information({ login: WRONG }));
  expect(answers.at(-1)).toMatchObject({ status: 429 });
  expect(answers.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
  // Whoever has the password waits, too, at that address alone.
  expect((await information({ login: ALICE })).status).toBe(429);
  expect((await information({ login: ALICE, address: "192.0.2.8" })).status).toBe(200);
});

describe("the password that a digest is checked with", () => {
  it("is kept for the named users alone, in a file that only the service reads", async () => {
    await bench.passwords.stop();
    const file = bench.directory.join("onvif-passwords.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(ALICE.password);
    expect(text).not.toContain(BOB.password);
    const again = bench.readPasswords();
    const users = bench.site.current.users;
    expect(users.map((user) => again.of(user)).filter((password) => password !== undefined)).toEqual([
      ALICE.password,
    ]);
    await again.stop();
  });

  it("is forgotten with another password, and the old one proves nothing", async () => {
    await bench.setPassword(ALICE.login, "another sentence");
    expect((await information({ login: ALICE })).fault).toBe("NotAuthorized");
    expect((await information({ login: { ...ALICE, password: "another sentence" } })).status).toBe(200);
    await bench.passwords.stop();
    expect(readFileSync(bench.directory.join("onvif-passwords.json"), "utf8")).not.toContain(ALICE.password);
  });

  it("is removed from the disk once nobody is named for it", async () => {
    await bench.passwords.stop();
    const file = bench.directory.join("onvif-passwords.json");
    // The second time there is none.
    for (let time = 0; time < 2; time += 1)
      await forgetReadablePasswords(bench.directory.path, createLog({ level: "silent" }));
    expect(existsSync(file)).toBe(false);
  });

  it("is learned when the user logs in with it", async () => {
    await bench.passwords.stop();
    const fresh = bench.readPasswords([BOB.login]);
    const bob = bench.site.current.users.find(({ name }) => name === BOB.login);
    if (bob === undefined) throw new Error("no bob");
    expect(fresh.of(bob)).toBeUndefined();
    fresh.learn(bob, BOB.password);
    expect(fresh.of(bob)).toBe(BOB.password);
    await fresh.stop();
  });
});
