import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LdapDirectory, type LdapSettings } from "../../src/access/ldap/ldap-directory.js";
import { normalizeDn } from "../../src/access/ldap/ldap-names.js";
import { createLog, SystemClock } from "../../src/base/index.js";
import { BASE_DN, DAVE_UID, PEOPLE, SERVICE_DN, SERVICE_PASSWORD, Slapd } from "../support/access/slapd.js";

const USER_TEMPLATE = `uid={user},ou=people,${BASE_DN}`;
const DAVE_DN = `uid=d*v(e)\\,\\+\\=x,ou=people,${BASE_DN}`;

let slapd: Slapd;
const servers: Server[] = [];

beforeAll(async () => {
  slapd = await Slapd.start();
  slapd.directory.write({ "service-password": `${SERVICE_PASSWORD}\n`, "wrong-password": "wrong" });
});

afterAll(() => slapd.stop());

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Asked {
  readonly directory: LdapDirectory;
  readonly logLines: string[];
}

function directoryWith(change: Partial<LdapSettings> = {}): Asked {
  const logLines: string[] = [];
  const log = createLog({ level: "trace", destination: { write: (line) => logLines.push(line) } });
  const settings: LdapSettings = {
    url: slapd.url,
    startTls: false,
    baseDn: BASE_DN,
    bindDnTemplate: USER_TEMPLATE,
    userFilter: "(uid={user})",
    groupAttribute: "memberOf",
    timeoutMs: 10_000,
    ...change,
  };
  return { directory: new LdapDirectory({ settings, clock: new SystemClock(), log }), logLines };
}

const service = (passwordFile = "service-password"): Partial<LdapSettings> => ({
  service: { dn: SERVICE_DN, passwordFile: slapd.directory.join(passwordFile) },
});

it.each([
  ["ldap://192.0.2.1", false, true],
  ["ldap://192.0.2.1", true, false],
  ["ldaps://192.0.2.1", false, false],
])("passwords go unencrypted over %s with startTls %s: the log says so: %s", (url, startTls, isSaid) => {
  const { logLines } = directoryWith({ url, startTls });
  expect(logLines.join().includes("passwords of directory users are sent to the directory unencrypted")).toBe(
    isSaid,
  );
});

it("where users alone may look, the base is taken as it is named", async () => {
  const { directory } = directoryWith({ url: "ldap://127.0.0.1:1", baseDn: "dc=nowhere" });
  await expect(directory.hasBase()).resolves.toBe(true);
});

it.each([
  ["is there", BASE_DN, true],
  ["is not there", `ou=nobody,${BASE_DN}`, false],
])("with a service account the base is looked up: %s", async (_name, baseDn, isThere) => {
  const { directory } = directoryWith({ baseDn, ...service() });
  await expect(directory.hasBase()).resolves.toBe(isThere);
});

/** Whom the directory finds, by the start of the name; undefined: refused; otherwise the error's code. */
async function ask(login: string, password: string, change?: Partial<LdapSettings>): Promise<unknown> {
  return directoryWith(change)
    .directory.authenticate(login, password)
    .then(
      (user) => user?.dn.split(",ou=", 1)[0],
      (error: { code: string }) => error.code,
    );
}

/** A server that accepts and does what `onConnection` says. */
async function fakeServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each([
  ["by a template", (): Partial<LdapSettings> => ({})],
  ["by a service account", (): Partial<LdapSettings> => service()],
])("a directory user, %s,", (_way, settings) => {
  it("is let in with the right password, by name and by address", async () => {
    expect(await ask("alice", PEOPLE.alice, settings())).toBe("uid=alice");
    expect(await ask("alice@example.org", PEOPLE.alice, settings())).toBe("uid=alice");
    expect(await ask("carol", PEOPLE.carol, settings())).toBe("uid=carol");
  });

  it.each([
    ["a wrong password", "alice", "wrong"],
    ["another's password", "alice", PEOPLE.bob],
    ["an unknown name", "mallory", "alice-secret"],
    ["an empty password", "alice", ""],
    ["a filter's wildcard", "al*", PEOPLE.alice],
    ["a filter's end", "alice)(uid=*", PEOPLE.alice],
    ["a filter that is always true", "*)(|(objectClass=*", PEOPLE.alice],
    ["a name's end", "alice,ou=people,dc=example,dc=org", PEOPLE.alice],
    ["a name's second value", "alice+cn=alice", PEOPLE.alice],
    ["a zero byte", "alice\0", PEOPLE.alice],
    ["a SASL mechanism's name", "EXTERNAL", PEOPLE.alice],
  ])("is refused with %s", async (_what, login, password) => {
    expect(await ask(login, password, settings())).toBeUndefined();
  });

  it("may have signs in its name that mean something in filters and names", async () => {
    const dave = await directoryWith(settings()).directory.authenticate(DAVE_UID, PEOPLE.dave);
    expect(normalizeDn(dave?.dn ?? "")).toBe(normalizeDn(DAVE_DN));
    expect(await ask(DAVE_UID, "wrong", settings())).toBeUndefined();
  });

  it("comes with the groups of its entry", async () => {
    const user = await directoryWith(settings()).directory.authenticate("alice", PEOPLE.alice);
    expect([...(user?.groups ?? [])].sort()).toEqual([
      `cn=guards,ou=groups,${BASE_DN}`,
      `cn=night shift,ou=groups,${BASE_DN}`,
    ]);
    const carol = await directoryWith(settings()).directory.authenticate("carol", PEOPLE.carol);
    expect(carol?.groups).toEqual([]);
  });

  it("is let in with a new password at once, and no longer with the old one", async () => {
    await slapd.setPassword("carol", "second-secret");
    expect(await ask("carol", "second-secret", settings())).toBe("uid=carol");
    expect(await ask("carol", PEOPLE.carol, settings())).toBeUndefined();
    await slapd.setPassword("carol", PEOPLE.carol);
  });
});

describe("a service account", () => {
  it("finds groups by a filter where no attribute names them", async () => {
    const { directory } = directoryWith({
      ...service(),
      groupAttribute: "labeledURI",
      groupFilter: "(&(objectClass=groupOfNames)(member={dn}))",
    });
    const user = await directory.authenticate(DAVE_UID, PEOPLE.dave);
    expect(user?.groups).toEqual([`cn=guards,ou=groups,${BASE_DN}`]);
  });

  it("refuses a name that a filter finds twice", async () => {
    const { directory, logLines } = directoryWith({
      ...service(),
      userFilter: "(objectClass=inetOrgPerson)",
    });
    expect(await directory.authenticate("alice", PEOPLE.alice)).toBeUndefined();
    expect(logLines.join()).toContain("more than one user");
  });

  it.each([
    ["refused", "wrong-password"],
    ["missing", "no-such-file"],
  ])(
    "whose password is %s makes the directory unavailable, with the reason in the log alone",
    async (_what, file) => {
      const { directory, logLines } = directoryWith(service(file));
      const error = await directory.authenticate("alice", PEOPLE.alice).catch((e) => e);
      expect(error).toMatchObject({ code: "NOT_AVAILABLE" });
      expect(error.message).not.toMatch(/service|file|cn=/);
      expect(logLines.join()).toMatch(/service account|no such file/);
      expect(logLines.join()).not.toContain("alice-secret");
    },
  );
});

describe("TLS", () => {
  it("is spoken from the start with ldaps, checked against the given authority", async () => {
    expect(await ask("alice", PEOPLE.alice, { url: slapd.tlsUrl, caFile: slapd.caFile })).toBe("uid=alice");
    expect(await ask("alice", "wrong", { url: slapd.tlsUrl, caFile: slapd.caFile })).toBeUndefined();
  });

  it("is begun by StartTLS with ldap, checked against the given authority", async () => {
    expect(await ask("alice", PEOPLE.alice, { startTls: true, caFile: slapd.caFile })).toBe("uid=alice");
    expect(await ask("alice", "wrong", { startTls: true, caFile: slapd.caFile })).toBeUndefined();
  });

  it("is refused when another authority signed, or none that is known", async () => {
    for (const caFile of [slapd.otherCaFile, undefined]) {
      const trust = caFile === undefined ? {} : { caFile };
      expect(await ask("alice", PEOPLE.alice, { url: slapd.tlsUrl, ...trust })).toBe("NOT_AVAILABLE");
      expect(await ask("alice", PEOPLE.alice, { startTls: true, ...trust })).toBe("NOT_AVAILABLE");
    }
  });

  it("is refused when the certificate is for another host", async () => {
    const url = slapd.tlsUrl.replace("127.0.0.1", "localhost");
    expect(await ask("alice", PEOPLE.alice, { url, caFile: slapd.caFile })).toBe("NOT_AVAILABLE");
  });

  it("takes no answer that came in clear behind the one to StartTLS", async () => {
    // The answer to StartTLS, and the beginning of a bind's that TLS bytes would complete.
    const granted = Buffer.from("300c02010278070a010004000400", "hex");
    const begun = Buffer.from("3020020103610a", "hex");
    const secureContext = createSecureContext({
      key: readFileSync(slapd.directory.join("server.key")),
      cert: readFileSync(slapd.directory.join("server.pem")),
    });
    const url = await fakeServer((socket) =>
      socket.once("data", () => {
        socket.write(Buffer.concat([granted, begun]));
        const secured = new TLSSocket(socket, { isServer: true, secureContext });
        secured.on("error", () => undefined);
        secured.on("data", () => secured.write(Buffer.from("0a010004000400", "hex")));
      }),
    );
    const { directory, logLines } = directoryWith({ url, startTls: true, caFile: slapd.caFile });
    await expect(directory.authenticate("alice", "x")).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(logLines.join()).toContain("unencrypted bytes after the answer to StartTLS");
  });
});

describe("a directory that", () => {
  it("is down makes the login unavailable, not wrong", async () => {
    const url = await fakeServer(() => undefined);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    expect(await ask("alice", PEOPLE.alice, { url })).toBe("NOT_AVAILABLE");
  });

  it.each([
    ["accepts and never answers", false, (_socket: Socket) => undefined],
    ["accepts and never answers StartTLS", true, (_socket: Socket) => undefined],
    ["answers one byte at a time", false, (socket: Socket) => socket.write("0")],
    ["answers what is no LDAP", false, (socket: Socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
    [
      "closes at once",
      false,
      (socket: Socket) => {
        socket.destroy();
      },
    ],
  ])("%s costs no more than the time-out", async (_what, startTls, onConnection) => {
    const url = await fakeServer(onConnection);
    const startedMs = performance.now();
    expect(await ask("alice", PEOPLE.alice, { url, startTls, timeoutMs: 500 })).toBe("NOT_AVAILABLE");
    // The time-out is half a second; the rest is what a busy machine may take.
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it("answers without end is cut off, without growing and without ending the process", async () => {
    const message = Buffer.from("300c02017f61070a010004000400", "hex");
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => message));
    const url = await fakeServer((socket) => {
      const send = (): void => {
        while (!socket.destroyed && socket.write(flood));
      };
      socket.on("drain", send);
      socket.once("data", send);
    });
    expect(await ask("alice", PEOPLE.alice, { url, timeoutMs: 10_000 })).toBe("NOT_AVAILABLE");
  });
});
