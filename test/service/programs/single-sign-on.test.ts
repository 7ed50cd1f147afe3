import { expect, it } from "vitest";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  OidcCounterpart,
  PlainBrowser,
} from "../../support/access/oidc-counterpart.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

it("a user of an OpenID provider logs in at the page with the rights of its group, and who has none is refused", async () => {
  const directory = new TemporaryDirectory("nvrd-single-sign-on");
  directory.write({ secret: CLIENT_SECRET });
  const [httpPort] = await freePorts(1);
  const address = `http://127.0.0.1:${httpPort}`;
  const provider = await OidcCounterpart.start(`${address}/api/session/oidc/return`);
  const service = await Service.start({
    dataDir: directory.join("data"),
    ...(httpPort === undefined ? {} : { httpPort }),
    settings: {
      ...{ oidcIssuer: provider.issuer, oidcAddress: address, oidcClientId: CLIENT_ID },
      ...{ oidcClientSecretFile: directory.join("secret"), oidcLabel: "Example" },
    },
  });
  try {
    const group = { method: "POST", body: [{ Name: "Guards", DirectoryGroups: ["guards"] }] } as const;
    expect((await service.get("/configure/groups", group)).status).toBe(200);
    expect(await (await fetch(`${address}/api/session/ways`)).json()).toEqual({ Oidc: { Label: "Example" } });
    const atPage = (url: URL): boolean => url.origin === address && url.pathname === "/";
    const begin = `${address}/api/session/oidc`;

    const alice = new PlainBrowser();
    const { url } = await alice.open(begin, "alice", atPage);
    const who = await (await alice.fetch(new URL("/api/session", address))).json();
    expect([url.search, who]).toMatchObject([
      "",
      {
        Login: `alice @ ${new URL(provider.issuer).host}`,
        Group: "Guards",
        IsAdministrator: false,
        IsRoot: false,
      },
    ]);

    const mallory = new PlainBrowser();
    const refused = await mallory.open(begin, "mallory", atPage);
    expect(refused.url.search).toBe("?login=refused");
    expect((await mallory.fetch(new URL("/api/session", address))).status).toBe(401);

    const root = new PlainBrowser();
    expect((await root.open(begin, "root", atPage)).url.search).toBe("?login=refused");

    const log = (await service.get("/api/log")).body.toString();
    expect(log).not.toContain(CLIENT_SECRET);
    const events = JSON.parse(
      (await service.get("/archive_events", { method: "POST", body: {} })).body.toString(),
    );
    expect(JSON.stringify(events)).toMatch(/mallory @ [^"]*"/);
  } finally {
    await service.stop();
    provider.stop();
    directory.remove();
  }
});
