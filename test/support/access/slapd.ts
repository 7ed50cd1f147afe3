import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { PATIENCE_MS } from "../base/patience.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { authorityFiles } from "../http/authority.js";
import { BackgroundProcess, freePorts, runToEnd } from "../service/background-process.js";

export const BASE_DN = "dc=example,dc=org";
export const SERVICE_DN = `cn=reader,${BASE_DN}`;
export const SERVICE_PASSWORD = "reader-secret";
/** Where nobody may search, and is told so. */
export const CLOSED_DN = `ou=closed,${BASE_DN}`;
const ROOT_DN = `cn=admin,${BASE_DN}`;
const ROOT_PASSWORD = "admin-secret";

/** Passwords of the people, by uid. */
export const PEOPLE = {
  alice: "alice-secret",
  bob: "bob*(secret)",
  carol: "пароль+>?",
  dave: "dave-secret",
} as const;

/**
 * Alice guards and is in two groups, Bob administers, Carol is in no group, Dave (whose uid holds signs that mean
 * something in filters and names) guards.
 */
export const DAVE_UID = "d*v(e),+=x";

const LDIF = `dn: ${BASE_DN}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${BASE_DN}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${BASE_DN}
objectClass: organizationalUnit
ou: groups

dn: ${SERVICE_DN}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${SERVICE_PASSWORD}

${person("alice", "alice", PEOPLE.alice)}
${person("bob", "bob", PEOPLE.bob)}
${person("carol", "carol", PEOPLE.carol)}
${person(DAVE_UID, "d*v(e)\\,\\+\\=x", PEOPLE.dave)}
dn: ou=closed,${BASE_DN}
objectClass: organizationalUnit
ou: closed

${group("guards", ["alice", "d*v(e)\\,\\+\\=x"])}
${group("night shift", ["alice"])}
${group("administrators", ["bob"])}`;

function person(uid: string, uidInDn: string, password: string): string {
  return `dn: uid=${uidInDn},ou=people,${BASE_DN}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
mail: ${uid === DAVE_UID ? "dave" : uid}@example.org
userPassword:: ${Buffer.from(password).toString("base64")}
`;
}

function group(name: string, uidsInDn: readonly string[]): string {
  return `dn: cn=${name},ou=groups,${BASE_DN}
objectClass: groupOfNames
cn: ${name}
${uidsInDn.map((uid) => `member: uid=${uid},ou=people,${BASE_DN}`).join("\n")}
`;
}

/** Debian's slapd on loopback ports with a data folder of its own: LDAP with StartTLS, and LDAPS. */
export class Slapd {
  readonly directory = new TemporaryDirectory("nvrd-access-slapd");
  readonly port: number;
  readonly tlsPort: number;
  #process: BackgroundProcess | undefined;

  private constructor(port: number, tlsPort: number) {
    this.port = port;
    this.tlsPort = tlsPort;
  }

  /** Starts it with the people and groups above. `certificateDays`: how long its certificate is valid; less than 0: no more. */
  static async start({ certificateDays = 30 } = {}): Promise<Slapd> {
    const [port = 0, tlsPort = 0] = await freePorts(2);
    const slapd = new Slapd(port, tlsPort);
    slapd.directory.write(await authorityFiles({ server: { days: certificateDays } }));
    mkdirSync(slapd.directory.join("data"));
    slapd.directory.write({ "slapd.conf": configuration(slapd.directory), "people.ldif": LDIF });
    await slapd.run();
    await slapd.#asRoot("ldapadd", ["-f", slapd.directory.join("people.ldif")]);
    return slapd;
  }

  get url(): string {
    return `ldap://127.0.0.1:${this.port}`;
  }

  get tlsUrl(): string {
    return `ldaps://127.0.0.1:${this.tlsPort}`;
  }

  /** PEM file of the authority that signed its certificate. */
  get caFile(): string {
    return this.directory.join("ca.pem");
  }

  /** PEM file of an authority that did not. */
  get otherCaFile(): string {
    return this.directory.join("other-ca.pem");
  }

  /** Runs it, also again after `halt`, on the same ports and data. */
  async run(): Promise<void> {
    const urls = `${this.url}/ ${this.tlsUrl}/`;
    this.#process = new BackgroundProcess("/usr/sbin/slapd", [
      "-f",
      this.directory.join("slapd.conf"),
      "-h",
      urls,
      "-d",
      "0",
    ]);
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await accepts(this.tlsPort))) {
      if (this.#process.exit !== undefined || performance.now() > deadline)
        throw this.#process.failure("slapd does not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async halt(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.halt();
    this.directory.remove();
  }

  /** Applies a change in LDIF as the directory's administrator. */
  async modify(ldif: string): Promise<void> {
    const file = this.directory.join("change.ldif");
    writeFileSync(file, ldif);
    await this.#asRoot("ldapmodify", ["-f", file]);
  }

  setPassword(uid: string, password: string): Promise<void> {
    const dn = `uid=${uid},ou=people,${BASE_DN}`;
    return this.modify(`dn: ${dn}\nchangetype: modify\nreplace: userPassword\nuserPassword: ${password}\n`);
  }

  setMembers(groupName: string, uids: readonly string[]): Promise<void> {
    const members = uids.map((uid) => `member: uid=${uid},ou=people,${BASE_DN}`).join("\n");
    return this.modify(
      `dn: cn=${groupName},ou=groups,${BASE_DN}\nchangetype: modify\nreplace: member\n${members}\n`,
    );
  }

  async #asRoot(command: string, args: readonly string[]): Promise<void> {
    await runToEnd(command, ["-x", "-H", this.url, "-D", ROOT_DN, "-w", ROOT_PASSWORD, ...args]);
  }
}

function configuration(directory: TemporaryDirectory): string {
  return `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${directory.join("slapd.pid")}
TLSCACertificateFile ${directory.join("ca.pem")}
TLSCertificateFile ${directory.join("server.pem")}
TLSCertificateKeyFile ${directory.join("server.key")}
database mdb
suffix "${BASE_DN}"
rootdn "${ROOT_DN}"
rootpw ${ROOT_PASSWORD}
directory ${directory.join("data")}
overlay memberof
access to dn.subtree="${CLOSED_DN}" by * disclose
access to attrs=userPassword by anonymous auth by * none
access to * by self read by dn.base="${SERVICE_DN}" read by * none
`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
