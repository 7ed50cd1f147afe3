import { describe, expect, it } from "vitest";
import { OidcLogins } from "../../src/access/oidc/oidc-logins.js";
import type { OidcSettings } from "../../src/access/oidc/oidc-provider.js";
import { ScriptedProvider, type Telling } from "../support/access/scripted-provider.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ShiftedClock } from "../support/fleet/fleet-bench.js";
import { silentLog } from "../support/site/site-samples.js";

const provider = forEachTest(() => ScriptedProvider.start());

function loginsAt(change: Partial<OidcSettings> = {}, clock = new ShiftedClock()): OidcLogins {
  const settings = {
    ...{
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: "the secret",
      address: "https://hub.example",
    },
    ...{
      scopes: "openid profile",
      nameClaim: "preferred_username",
      groupClaim: "groups",
      label: "Example",
      authority: "",
    },
    ...change,
  };
  return new OidcLogins({ settings, clock, log: silentLog });
}

/** A login to its end, with what the provider tells. */
async function loggedIn(telling: Telling = {}, change: Readonly<Record<string, string>> = {}) {
  provider.telling = telling;
  const logins = loginsAt();
  const { url, ticket } = await logins.begin();
  return await logins.finish(ticket, provider.agree(url, change));
}

describe("a login at a provider", () => {
  it("sends the browser there with a challenge, a state and a nonce, and asks for the token with what proves them", async () => {
    const logins = loginsAt();
    const { url, ticket } = await logins.begin();
    const asked = new URL(url).searchParams;

    await logins.finish(ticket, provider.agree(url));

    expect(Object.fromEntries(asked)).toMatchObject({
      ...{ client_id: "nvrd", response_type: "code", scope: "openid profile", code_challenge_method: "S256" },
      redirect_uri: "https://hub.example/api/session/oidc/return",
    });
    const [token] = provider.asked;
    expect(token?.body.get("code_verifier")).toMatch(/^[\w-]{43}$/);
    expect(token?.authorization).toMatch(/^Basic /);
    expect(url).not.toContain(token?.body.get("code_verifier"));
  });

  it("is finished at another server than it was begun at, once", async () => {
    const [begun, finished] = [loginsAt(), loginsAt()];
    finished.share(async (key) => begun.takeFor(key));
    const { url, ticket } = await begun.begin();
    const query = provider.agree(url);

    expect(await finished.finish(ticket, query)).toMatchObject({ directoryUser: { groups: ["guards"] } });
    await expect(finished.finish(ticket, query)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await expect(begun.finish(ticket, query)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("names the user with the provider's place, and tells the groups", async () => {
    expect(await loggedIn()).toMatchObject({
      name: `alice @ ${new URL(provider.issuer).host}`,
      directoryUser: { groups: ["guards"], provider: "oidc", dn: expect.stringMatching(/^oidc:[\w-]{43}$/) },
    });
  });

  it("asks for what the token does not say where the provider tells it", async () => {
    provider.userinfo = { sub: "alice-1", preferred_username: "alice", groups: ["night shift"] };

    const { directoryUser } = await loggedIn({ without: ["groups"] });

    expect(directoryUser.groups).toEqual(["night shift"]);
  });

  it("believes no answer about somebody else", async () => {
    provider.userinfo = { sub: "root-1", groups: ["administrators"] };

    await expect(loggedIn({ without: ["groups"] })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it.each<[string, Telling]>([
    ["another issuer", { claims: { iss: "https://evil.example" } }],
    ["another client", { claims: { aud: "another" } }],
    ["another login", { claims: { nonce: "another" } }],
    ["no login", { without: ["nonce"] }],
    ["the past", { claims: { iat: 1_700_000_000, exp: 1_700_000_060 } }],
    ["nobody", { without: ["sub"] }],
  ])("is refused with a token of %s", async (_name, telling) => {
    await expect(loggedIn(telling)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it.each<[string, Telling]>([
    ["that is not signed", { signed: "none" }],
    ["that another key has signed", { signed: "stranger" }],
  ])("is refused with a token %s", async (_name, telling) => {
    await expect(loggedIn(telling)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("is refused where the provider says that nothing need be signed", async () => {
    provider.metadata = { id_token_signing_alg_values_supported: ["none", "ES256"] };

    await expect(loggedIn({ signed: "none" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("is refused with another state than it was begun with", async () => {
    await expect(loggedIn({}, { state: "another" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(provider.asked).toEqual([]);
  });

  it("is refused where another issuer has sent the browser back", async () => {
    provider.metadata = { authorization_response_iss_parameter_supported: true };

    await expect(loggedIn({}, { iss: "https://evil.example" })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
  });

  it("is refused where the provider does", async () => {
    await expect(loggedIn({ status: 400, body: '{"error":"invalid_grant"}' })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
  });

  it("does not happen where the provider is not there, or answers without end", async () => {
    await expect(loggedIn({ body: `{"a":"${"a".repeat(300_000)}"}` })).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
    });
    const logins = loginsAt({ issuer: "http://127.0.0.1:9" });
    await expect(logins.begin()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("does not begin where the provider names another issuer", async () => {
    provider.metadata = { issuer: "https://evil.example" };

    await expect(loginsAt().begin()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });
});

describe("the ticket of a login", () => {
  it("counts once", async () => {
    const logins = loginsAt();
    const { url, ticket } = await logins.begin();
    const query = provider.agree(url);
    await logins.finish(ticket, query);

    await expect(logins.finish(ticket, query)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(provider.asked).toHaveLength(1);
  });

  it("is that of the browser that has begun: nobody else is logged in with its code", async () => {
    const logins = loginsAt();
    const [mine, others] = [await logins.begin(), await logins.begin()];

    await expect(logins.finish(others.ticket, provider.agree(mine.url))).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    await expect(logins.finish(undefined, provider.agree(mine.url))).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    expect(provider.asked).toEqual([]);
  });

  it("counts for ten minutes", async () => {
    const clock = new ShiftedClock();
    const logins = loginsAt({}, clock);
    const { url, ticket } = await logins.begin();
    clock.shiftUs = 601_000_000;

    await expect(logins.finish(ticket, provider.agree(url))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("of the oldest is forgotten where very many are begun", async () => {
    const logins = loginsAt();
    const first = await logins.begin();
    for (let count = 0; count < 512; count += 1) await logins.begin();

    await expect(logins.finish(first.ticket, provider.agree(first.url))).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
  });
});
