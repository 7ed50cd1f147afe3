import { generate } from "selfsigned";

const DNS_NAME = 2 as const;
const IP_ADDRESS = 7;
const DAY_MS = 86_400_000;

/** A key and its certificate, PEM. */
export interface Keyed {
  readonly key: string;
  readonly cert: string;
}

interface Issued {
  /** Whom it is for: a server on 127.0.0.1, or a client. */
  readonly role?: "server" | "client";
  /** The server's name; absent: it has its address alone. */
  readonly host?: string;
  /** How long it is valid; less than 0: it ended so long ago. */
  readonly days?: number;
}

/** An authority of a test's own. */
export class Authority implements Keyed {
  readonly key: string;
  readonly cert: string;

  private constructor({ key, cert }: Keyed) {
    this.key = key;
    this.cert = cert;
  }

  static async make(name: string): Promise<Authority> {
    const { private: key, cert } = await generate([{ name: "commonName", value: name }], {
      ...{ algorithm: "sha256", notAfterDate: new Date(Date.now() + 30 * DAY_MS) },
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority({ key, cert });
  }

  /** A certificate that it signed. */
  async issue(name: string, { role = "server", days = 30, host }: Issued = {}): Promise<Keyed> {
    const endMs = Date.now() + days * DAY_MS;
    const names = host === undefined ? [] : [{ type: DNS_NAME, value: host } as const];
    const made = await generate([{ name: "commonName", value: name }], {
      ...{ algorithm: "sha256", ca: this },
      notBeforeDate: new Date(Math.min(Date.now(), endMs) - DAY_MS),
      notAfterDate: new Date(endMs),
      extensions:
        role === "client"
          ? [{ name: "extKeyUsage", clientAuth: true }]
          : [{ name: "subjectAltName", altNames: [{ type: IP_ADDRESS, ip: "127.0.0.1" }, ...names] }],
    });
    return { key: made.private, cert: made.cert };
  }
}

/** Files of two authorities, and of what the first one issued, as `ca.pem`, `ca.key`, `other-ca.pem` and `NAME.pem`, `NAME.key`. */
export async function authorityFiles(
  issued: Readonly<Record<string, Issued>>,
): Promise<Readonly<Record<string, string>>> {
  const [ca, other] = await Promise.all([Authority.make("ca"), Authority.make("other-ca")]);
  const own = await Promise.all(
    Object.entries(issued).map(async ([name, options]) => [name, await ca.issue(name, options)] as const),
  );
  const all: readonly (readonly [string, Keyed])[] = [["ca", ca], ["other-ca", other], ...own];
  return Object.fromEntries(
    all.flatMap(([name, { key, cert }]) => [
      [`${name}.key`, key],
      [`${name}.pem`, cert],
    ]),
  );
}
