import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcmeHarness, OWNER } from "../support/acme/acme-harness.js";
import { NO_PEBBLE, Pebble, type PebbleOptions } from "../support/acme/pebble.js";
import { notHere } from "../support/base/not-here.js";

let harness: AcmeHarness;
let pebble: Pebble | undefined;

beforeEach(async () => {
  harness = await AcmeHarness.start();
});

afterEach(async () => {
  await harness.stop();
  await pebble?.stop();
  pebble = undefined;
});

async function against(options: Partial<PebbleOptions> = {}): Promise<Pebble> {
  pebble = await Pebble.start({ httpPort: harness.httpPort, ...options });
  return pebble;
}

const of = ({ directoryUrl, trust }: Pebble) => ({ directoryUrl, trust });

function chain(): readonly X509Certificate[] {
  const text = readFileSync(harness.certificate.files.certificateFile, "utf8");
  return text
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter(Boolean)
    .map((pem) => new X509Certificate(pem));
}

describe.skipIf(NO_PEBBLE !== undefined)(`a certificate from Pebble${notHere(NO_PEBBLE)}`, () => {
  it("is obtained although a third of the nonces are refused, and its chain leads to the root", async () => {
    const authority = await against();
    const task = await harness.use({
      ...of(authority),
      names: ["nvr.example.org", "www.example.org"],
      email: "owner@example.org",
    });
    expect([task.state, task.error]).toEqual(["Done", undefined]);
    const [leaf, intermediate] = chain();
    const root = new X509Certificate(await authority.root());
    expect(leaf?.checkHost("www.example.org")).toBeDefined();
    expect(leaf?.verify(intermediate?.publicKey ?? root.publicKey)).toBe(true);
    expect(intermediate?.verify(root.publicKey)).toBe(true);
    expect(authority.log).toContain("reject 30% of good nonces");
  });

  it("is renewed when Pebble says so, as the successor of the one before", async () => {
    const authority = await against();
    await harness.use(of(authority));
    const [first] = chain();
    const before = harness.ended.length;
    expect(harness.acme.askNow(OWNER)?.kind).toBe("ObtainCertificate");
    expect((await harness.nextEnd(before)).state).toBe("Done");
    expect(chain()[0]?.fingerprint256).not.toBe(first?.fingerprint256);
    harness.acme.start();
    await harness.acme.whenIdle();
    expect(authority.log).toMatch(/ARI: order "\S+" is a replacement of/);
    expect(authority.log).toContain("renewalInfo/ -> calling handler");
    expect((await harness.acme.state()).nextUs).toBeGreaterThan(harness.clock.nowUs());
  });

  it("needs the key of an account where Pebble wants one", async () => {
    const hmacKey = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";
    const authority = await against({ externalKeys: { "kid-1": hmacKey } });
    await harness.use(of(authority));
    expect((await harness.acme.state()).failure).toMatchObject({ problem: "AccountNeeded" });
    await harness.use({ ...of(authority), account: { keyId: "kid-2", hmacKey } });
    expect((await harness.acme.state()).failure).toMatchObject({ problem: "AccountRefused" });
    expect((await harness.use({ ...of(authority), account: { keyId: "kid-1", hmacKey } })).state).toBe(
      "Done",
    );
  });

  it("is refused for a name that Pebble does not serve", async () => {
    const authority = await against();
    await harness.use({ ...of(authority), names: ["blocked.example"] });
    expect((await harness.acme.state()).failure).toMatchObject({ problem: "NameRefused" });
  });

  it("is refused where nothing, or something else, answers at the name", async () => {
    const authority = await against({ httpPort: 1 });
    await harness.use(of(authority));
    expect((await harness.acme.state()).failure).toMatchObject({
      problem: "NotReached",
      host: "nvr.example.org",
    });
    await authority.stop();
    const other = await against({ httpPort: harness.deafPort });
    await harness.use(of(other));
    expect((await harness.acme.state()).failure).toMatchObject({
      problem: "OtherAnswers",
      host: "nvr.example.org",
    });
  });
});
