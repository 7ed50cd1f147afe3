import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { POLLING_MS_MAX } from "../../src/acme/acme-client.js";
import { ANSWER_BYTES_MAX, REQUEST_MS_MAX } from "../../src/acme/acme-transport.js";
import type { AcmeProblem } from "../../src/contract/answer/index.js";
import { AcmeHarness, type AcmeHarnessOptions, HurriedClock } from "../support/acme/acme-harness.js";
import { type AcmeServerOptions, problem } from "../support/acme/acme-server.js";
import { TestAuthority } from "../support/acme/test-authority.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

type Instead = NonNullable<AcmeServerOptions["instead"]>;

let harness: AcmeHarness;

afterEach(() => harness.stop());

/** What comes of a try with a server that answers so. */
async function tried(instead: Instead, options: AcmeHarnessOptions = {}) {
  harness = await AcmeHarness.start({ instead, ...options });
  const before = readFileSync(harness.certificate.files.certificateFile, "utf8");
  const task = await harness.use();
  expect(task.state).toBe("Failed");
  expect(readFileSync(harness.certificate.files.certificateFile, "utf8")).toBe(before);
  const { failure } = await harness.acme.state();
  if (failure === undefined) throw new Error("no failure is told");
  return failure;
}

/** Answers one path otherwise. */
const at =
  (path: string | RegExp, answer: ReturnType<Instead> | (() => ReturnType<Instead>)): Instead =>
  (call) => {
    const isIt = typeof path === "string" ? call.path === path : path.test(call.path);
    if (!isIt) return undefined;
    return typeof answer === "function" ? answer() : answer;
  };

describe("an authority's server that says no", () => {
  it.each<[string, Instead, AcmeProblem, Partial<{ host: string | null }>]>([
    ["its limits are reached", at("new-order", problem("rateLimited", "too many", 429)), "RateLimited", {}],
    [
      "there are other terms",
      at("new-account", problem("userActionRequired", "new terms", 403)),
      "TermsChanged",
      {},
    ],
    [
      "it wants an account of its own",
      at("new-account", problem("externalAccountRequired", "key", 403)),
      "AccountNeeded",
      {},
    ],
    [
      "the account is blocked",
      at("new-account", problem("unauthorized", "blocked", 401)),
      "AccountRefused",
      {},
    ],
    ["the e-mail address is none", at("new-account", problem("invalidContact", "no MX")), "EmailRefused", {}],
    ["the name is forbidden", at("new-order", problem("rejectedIdentifier", "policy")), "NameRefused", {}],
    ["another authority has the name", at(/^finalize/, problem("caa", "CAA record")), "CaaForbids", {}],
    ["it has a fault", at("new-order", problem("serverInternal", "down", 500)), "ServerBusy", {}],
    [
      "it is overloaded",
      at("new-order", { status: 503, type: "text/html", body: "<h1>503</h1>" }),
      "ServerBusy",
      {},
    ],
  ])("because %s", async (_, instead, expected, more) => {
    expect(await tried(instead)).toMatchObject({ problem: expected, ...more });
  });

  it("names the host that is at fault among several", async () => {
    harness = await AcmeHarness.start();
    await harness.use({ names: ["nvr.example.org", "recorder.local"] });
    expect((await harness.acme.state()).failure).toMatchObject({
      problem: "NameRefused",
      host: "recorder.local",
    });
  });

  it("because nothing, or something else, answers at the name", async () => {
    expect(await tried(() => undefined, { httpPort: () => 1 })).toMatchObject({
      problem: "NotReached",
      host: "nvr.example.org",
      text: "nvr.example.org: connection refused",
    });
    await harness.stop();
    expect(
      await tried(({ path }, server) => {
        // The authority asks for a token that it did not give.
        if (!path.startsWith("authorization") || server.count(/^challenge/) > 0) return undefined;
        const challenge = { type: "http-01", url: `${server.url}/challenge/0`, token: "x".repeat(32) };
        return {
          body: {
            status: "pending",
            identifier: { type: "dns", value: "nvr.example.org" },
            challenges: [challenge],
          },
        };
      }),
    ).toMatchObject({ problem: "OtherAnswers" });
  });

  it("is not even asked while there is no port that could answer it", async () => {
    harness = await AcmeHarness.start();
    harness.lookPort = 0;
    expect((await harness.use()).state).toBe("Failed");
    expect((await harness.acme.state()).failure).toMatchObject({ problem: "HttpOff" });
    expect(harness.server.calls).toEqual([]);
  });

  it("because its certificate is not trusted, or nothing answers there at all", async () => {
    harness = await AcmeHarness.start();
    await harness.use({ trust: undefined });
    expect((await harness.acme.state()).failure?.problem).toBe("ServerUntrusted");
    await harness.use({ directoryUrl: "https://127.0.0.1:1/directory" });
    expect((await harness.acme.state()).failure?.problem).toBe("ServerUnreachable");
    await harness.use({ directoryUrl: "https://nobody.invalid/directory" });
    expect((await harness.acme.state()).failure?.problem).toBe("ServerUnknown");
  });
});

describe("a hostile server", () => {
  const big = JSON.stringify({ status: "valid", filler: "x".repeat(ANSWER_BYTES_MAX) });
  const elsewhere = "https://elsewhere.example.org/account/1";

  it.each<[string, Instead, AcmeProblem]>([
    ["an endless answer", at("directory", { body: big }), "ServerFaulty"],
    ["no JSON", at("directory", { body: "{" }), "ServerFaulty"],
    ["another type", at("directory", { type: "text/html", body: "{}" }), "ServerFaulty"],
    ["a directory without addresses", at("directory", { body: {} }), "ServerFaulty"],
    ["a redirect", at("directory", { status: 302, headers: { Location: elsewhere } }), "ServerFaulty"],
    ["an end in between", at("new-account", "break"), "ServerUnreachable"],
    [
      "an account elsewhere",
      at("new-account", { status: 201, headers: { Location: elsewhere }, body: {} }),
      "ServerFaulty",
    ],
    ["an order without an address", at("new-order", { status: 201, body: {} }), "ServerFaulty"],
    [
      "ten thousand proofs",
      at("new-order", {
        status: 201,
        headers: { Location: elsewhere },
        body: { status: "pending", finalize: elsewhere, authorizations: Array(10_000).fill(elsewhere) },
      }),
      "ServerFaulty",
    ],
    [
      "a certificate without its type",
      at(/^certificate/, { type: "text/html", body: "<html>" }),
      "ServerFaulty",
    ],
    [
      "no certificate",
      at(/^certificate/, { type: "application/pem-certificate-chain", body: "none" }),
      "CertificateUnfit",
    ],
  ])("that answers %s is left alone", async (_, instead, expected) => {
    const failure = await tried(instead);
    expect(failure.problem).toBe(expected);
    expect(failure.text.length).toBeLessThan(400);
  });

  it("cannot have the recorder ask another host", async () => {
    const failure = await tried(({ path }, server) =>
      path === "directory"
        ? {
            body: {
              newNonce: `${server.url}/new-nonce`,
              newAccount: "https://192.168.1.1/admin",
              newOrder: `${server.url}/new-order`,
            },
          }
        : undefined,
    );
    expect(failure).toMatchObject({ problem: "ServerFaulty", text: expect.stringContaining("not its own") });
  });

  it("that refuses each nonce is given up", async () => {
    expect(await tried(() => undefined, { refusesNonces: 1 })).toMatchObject({ problem: "ServerFaulty" });
    expect(harness.server.refusedNonces).toBeLessThan(20);
  });

  it("that gives no nonce, or tokens that are none, is given up", async () => {
    const noNonce = { "Replay-Nonce": "not a nonce!" };
    const failed = await tried(({ path }, { url }) => {
      if (path === "new-nonce") return { headers: noNonce };
      const body = {
        newNonce: `${url}/new-nonce`,
        newAccount: `${url}/new-account`,
        newOrder: `${url}/new-order`,
      };
      return path === "directory" ? { headers: noNonce, body } : undefined;
    });
    expect(failed).toMatchObject({ problem: "ServerFaulty", text: "it gives no nonce" });
    await harness.stop();
    const failure = await tried(({ path }, server) => {
      if (!path.startsWith("authorization")) return undefined;
      const challenge = { type: "http-01", url: `${server.url}/challenge/0`, token: "../../api/log" };
      return {
        body: {
          status: "pending",
          identifier: { type: "dns", value: "nvr.example.org" },
          challenges: [challenge],
        },
      };
    });
    expect(failure).toMatchObject({ problem: "ServerFaulty", text: "the token of its challenge is none" });
  });

  it("that asks for a proof of another name gets none", async () => {
    const failure = await tried(({ path }, server) => {
      if (!path.startsWith("authorization")) return undefined;
      const challenge = { type: "http-01", url: `${server.url}/challenge/0`, token: "x".repeat(32) };
      return {
        body: {
          status: "pending",
          identifier: { type: "dns", value: "other.example.org" },
          challenges: [challenge],
        },
      };
    });
    expect(failure).toMatchObject({ problem: "ServerFaulty" });
    expect(harness.server.count(/^challenge/)).toBe(0);
  });

  it("that offers no look over HTTP is reported", async () => {
    const dns = { type: "dns-01", url: "https://127.0.0.1/x", token: "x".repeat(32) };
    const body = {
      status: "pending",
      identifier: { type: "dns", value: "nvr.example.org" },
      challenges: [dns],
    };
    expect(await tried(at(/^authorization/, { body }))).toMatchObject({ problem: "NoChallenge" });
  });

  it("that never decides is waited for five minutes", async () => {
    const clock = new HurriedClock();
    let aheadUs = 0;
    const later = Object.assign(Object.create(clock) as HurriedClock, {
      monotonicUs: () => clock.monotonicUs() + aheadUs,
    });
    const failure = await tried(
      ({ path }, server) => {
        if (!path.startsWith("order")) return undefined;
        aheadUs += 20_000_000;
        const body = { status: "processing", authorizations: ["x"], finalize: `${server.url}/finalize/0` };
        return { body: { ...body, status: "pending" }, headers: { "Retry-After": "0" } };
      },
      { clock: later },
    );
    expect(failure.problem).toBe("ServerTooSlow");
    expect(harness.server.count(/^order/)).toBeLessThanOrEqual(POLLING_MS_MAX / 20_000 + 2);
  });

  it("that does not answer is waited for half a minute", async () => {
    const clock = new SimulatedClock(Date.now() * 1000);
    harness = await AcmeHarness.start({ clock, instead: at("new-order", "hang") });
    const ended = harness.use();
    await expect.poll(() => harness.server.count("new-order")).toBe(1);
    clock.advance((REQUEST_MS_MAX - 1000) * 1000);
    expect((await harness.acme.state()).isWorking).toBe(true);
    clock.advance(1_000_000);
    expect((await ended).state).toBe("Failed");
    expect((await harness.acme.state()).failure).toMatchObject({ problem: "ServerTooSlow" });
  });

  it("that writes secrets or commands into its words is quoted in one line", async () => {
    const failure = await tried(
      at("new-order", problem("malformed", `a\u001b[31m\r\nb rtsp://u:secret@h/ ${"x".repeat(5000)}`)),
    );
    expect(failure.text).not.toMatch(/\p{Cc}/u);
    expect(failure.text).not.toContain("secret");
    expect(failure.text.length).toBeLessThan(400);
  });
});

describe("a certificate that does not fit", () => {
  type Sign = (authority: TestAuthority, csr: Buffer) => Promise<string>;
  const day = 86_400_000;

  /** A server whose certificate is made otherwise. */
  async function given(sign: Sign) {
    const authority = await TestAuthority.create();
    let made = "";
    return await tried(async (call) => {
      if (call.path.startsWith("finalize"))
        made = await sign(authority, Buffer.from((call.payload as { csr: string }).csr, "base64url"));
      return call.path.startsWith("certificate")
        ? { type: "application/pem-certificate-chain", body: made }
        : undefined;
    });
  }

  const pem = (certificate: { toString(): string }) => `${String(certificate)}\n`;

  it.each<[string, Sign, RegExp]>([
    [
      "for another name",
      async (authority, csr) =>
        pem(await authority.sign(csr, { nowMs: Date.now(), days: 90, names: ["other.example.org"] })),
      /not for nvr\.example\.org/,
    ],
    [
      "for any name below the domain",
      async (authority, csr) =>
        pem(await authority.sign(csr, { nowMs: Date.now(), days: 90, names: ["*.example.org"] })),
      /not for nvr\.example\.org/,
    ],
    [
      "for another key",
      async (authority) => {
        const { requestCertificate } = await import("../../src/acme/certificate-request.js");
        const { request } = await requestCertificate(["nvr.example.org"]);
        return pem(await authority.sign(request, { nowMs: Date.now(), days: 90 }));
      },
      /another key/,
    ],
    [
      "that has ended",
      async (authority, csr) => pem(await authority.sign(csr, { nowMs: Date.now() - 100 * day, days: 90 })),
      /valid from/,
    ],
    [
      "that begins later",
      async (authority, csr) => pem(await authority.sign(csr, { nowMs: Date.now() + 2 * day, days: 90 })),
      /valid from/,
    ],
    [
      "with the chain of another authority",
      async (authority, csr) =>
        pem(await authority.sign(csr, { nowMs: Date.now(), days: 90 })) +
        (await TestAuthority.create("Other")).pem,
      /has not signed/,
    ],
    [
      "with the chain of another authority of the same name",
      async (authority, csr) =>
        pem(await authority.sign(csr, { nowMs: Date.now(), days: 90 })) + (await TestAuthority.create()).pem,
      /has not signed/,
    ],
    ["with a chain without an end", async (authority) => authority.pem.repeat(20), /20 certificates/],
  ])("%s is refused", async (_, sign, why) => {
    const failure = await given(sign);
    expect(failure.problem).toBe("CertificateUnfit");
    expect(failure.text).toMatch(why);
  });
});
