import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AcmeHarness, type AcmeHarnessOptions, HurriedClock, OWNER } from "../support/acme/acme-harness.js";
import { makeCertificate } from "../support/http/certificate.js";

let harness: AcmeHarness;

async function started(options: AcmeHarnessOptions = {}): Promise<AcmeHarness> {
  harness = await AcmeHarness.start(options);
  return harness;
}

afterEach(() => harness.stop());

function shown(): X509Certificate {
  return new X509Certificate(readFileSync(harness.certificate.files.certificateFile));
}

function keptFiles(): readonly string[] {
  const folder = harness.directory.join("tls/acme");
  return readdirSync(folder).map((name) => join(folder, name));
}

describe("a certificate from an authority", () => {
  it("is obtained for all names by a key of its own, and becomes that of HTTPS with its chain", async () => {
    const { server } = await started();
    const task = await harness.use({ names: ["nvr.example.org", "www.example.org"] });
    expect([task.state, task.error]).toEqual(["Done", undefined]);
    expect(task.result).toEqual({
      Names: ["nvr.example.org", "www.example.org"],
      ValidTo: expect.any(String),
    });
    const leaf = shown();
    expect([leaf.checkHost("nvr.example.org"), leaf.checkHost("www.example.org")]).not.toContain(undefined);
    expect(leaf.verify(new X509Certificate(server.authority.pem).publicKey)).toBe(true);
    expect(readFileSync(harness.certificate.files.certificateFile, "utf8")).toBe(
      server.signed[0]?.replaceAll("\n\n", "\n"),
    );
    expect(harness.notices).toEqual([expect.objectContaining({ what: "obtained" })]);
    const state = await harness.acme.state();
    expect(state).toMatchObject({
      isWorking: false,
      failure: undefined,
      facts: { names: ["nvr.example.org", "www.example.org"] },
    });
  });

  it("is obtained although the server refuses many nonces, and takes its time", async () => {
    const { server } = await started({ refusesNonces: 2, slowPolls: 1, clock: new HurriedClock() });
    expect((await harness.use()).state).toBe("Done");
    expect(server.refusedNonces).toBeGreaterThan(3);
  });

  it("uses one account for all, and another for another key of the owner's", async () => {
    const keys = { mine: Buffer.alloc(32, 1), other: Buffer.alloc(32, 2) };
    const { server } = await started({ externalKeys: keys });
    const account = (keyId: keyof typeof keys) => ({ keyId, hmacKey: keys[keyId].toString("base64url") });
    await harness.use({ account: account("mine") });
    await harness.use({ account: account("mine"), email: "owner@example.org", names: ["b.example.org"] });
    expect([...server.accounts.values()]).toEqual([
      expect.objectContaining({ boundTo: "mine", contact: ["mailto:owner@example.org"] }),
    ]);
    await harness.use({ account: account("other"), names: ["c.example.org"] });
    expect([...server.accounts.values()].map(({ boundTo }) => boundTo)).toEqual(["mine", "other"]);
  });

  it("makes another account where the authority has forgotten the one before", async () => {
    const { server } = await started();
    await harness.use();
    server.accounts.clear();
    expect((await harness.use({ names: ["b.example.org"] })).state).toBe("Done");
    expect(server.accounts.size).toBe(1);
  });

  it("leaves no token open, and nothing that others may read", async () => {
    await started();
    await harness.use({ account: undefined });
    const modes = keptFiles().map((file) => (statSync(file).mode & 0o777).toString(8));
    expect(new Set(modes)).toEqual(new Set(["600"]));
    const key = readFileSync(harness.directory.join("tls/acme/account-key.pem"), "utf8");
    const secret = key.split("\n")[1] ?? "";
    expect(harness.logLines.join("") + JSON.stringify(harness.ended)).not.toContain(secret);
    for (const call of harness.server.calls.filter(({ path }) => path.startsWith("challenge")))
      expect(call.payload).toEqual({});
    expect(
      await (await fetch(`http://127.0.0.1:${harness.httpPort}/.well-known/acme-challenge/x`)).status,
    ).toBe(404);
  });

  it("gives way to the recorder's own once no authority is asked any more, and forgets the account", async () => {
    await started();
    await harness.use();
    await harness.acme.turnOff();
    expect(await harness.certificate.authority()).toBeDefined();
    expect(() => keptFiles()).toThrow("ENOENT");
    expect((await harness.acme.state()).settings).toBeUndefined();
  });

  it("gives way to the one that was uploaded before it, also after a renewal", async () => {
    await started();
    const { cert, key } = await makeCertificate("uploaded.example");
    await harness.certificate.replace({ certificate: cert, key });
    await harness.use();
    await harness.use({ names: ["b.example.org"] });
    expect(shown().checkHost("b.example.org")).toBeDefined();
    await harness.acme.turnOff();
    expect(shown().subject).toBe("CN=uploaded.example");
    expect(readFileSync(harness.certificate.files.keyFile, "utf8")).toBe(key);
  });

  it("leaves a certificate in place that was never replaced", async () => {
    await started({ instead: ({ path }) => (path === "new-order" ? { status: 503 } : undefined) });
    const before = shown().fingerprint256;
    expect((await harness.use()).state).toBe("Failed");
    expect(shown().fingerprint256).toBe(before);
    await harness.acme.turnOff();
    expect(shown().fingerprint256).toBe(before);
  });

  it("that cannot be put in place is not asked for again at once", async () => {
    await started();
    const before = shown().fingerprint256;
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    vi.spyOn(harness.certificate, "replace").mockRejectedValueOnce(full);
    expect((await harness.use()).state).toBe("Failed");
    const { failure, nextUs = 0 } = await harness.acme.state();
    expect(failure).toMatchObject({ problem: "CannotKeep" });
    expect(nextUs).toBeGreaterThan(harness.clock.nowUs() + 9 * 60_000_000);
    expect(shown().fingerprint256).toBe(before);
  });

  it("is given up when its owner cancels, and is not begun again at once", async () => {
    await started({ instead: ({ path }) => (path === "new-order" ? "hang" : undefined) });
    await harness.acme.use(harness.settings, OWNER);
    await expect.poll(() => harness.server.count("new-order")).toBe(1);
    const [task] = harness.tasks.list();
    if (task === undefined) throw new Error("no task");
    harness.tasks.remove(task.id);
    await expect.poll(async () => (await harness.acme.state()).isWorking).toBe(false);
    const { nextUs = 0, failure } = await harness.acme.state();
    expect(failure).toBeUndefined();
    expect(nextUs).toBeGreaterThan(harness.clock.nowUs() + 60_000_000);
  });
});
