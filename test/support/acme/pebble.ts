import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:https";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { makeCertificate } from "../http/certificate.js";

const PROGRAM = process.env.NVRD_TEST_PEBBLE ?? "pebble";
/** Answers every name with 127.0.0.1; it comes with Pebble. */
const DNS_PROGRAM = PROGRAM.includes("/")
  ? join(dirname(PROGRAM), "pebble-challtestsrv")
  : "pebble-challtestsrv";

/** Why Pebble cannot be tried here; undefined: it can. */
export const NO_PEBBLE: string | undefined = [PROGRAM, DNS_PROGRAM].every(isThere)
  ? undefined
  : "needs pebble and pebble-challtestsrv (NVRD_TEST_PEBBLE names the first)";

function isThere(program: string): boolean {
  try {
    // Neither knows the flag, and both say so: they are there.
    execFileSync(program, ["-h"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as { readonly status?: number | null }).status != null;
  }
}

export interface PebbleOptions {
  /** Where names are looked at. */
  readonly httpPort: number;
  /** HMAC keys by their id: accounts must be bound. */
  readonly externalKeys?: Readonly<Record<string, string>>;
  readonly seconds?: number;
}

/** Let's Encrypt's own test server for clients: a third of all nonces are refused, and no proof is used twice. */
export class Pebble {
  readonly trust: string;
  readonly directoryUrl: string;
  readonly #management: string;
  readonly #children: readonly ChildProcess[];
  readonly #directory: TemporaryDirectory;
  readonly #lines: string[];

  private constructor(parts: {
    trust: string;
    port: number;
    managementPort: number;
    children: readonly ChildProcess[];
    directory: TemporaryDirectory;
    lines: string[];
  }) {
    this.trust = parts.trust;
    this.directoryUrl = `https://127.0.0.1:${parts.port}/dir`;
    this.#management = `https://127.0.0.1:${parts.managementPort}`;
    this.#children = parts.children;
    this.#directory = parts.directory;
    this.#lines = parts.lines;
  }

  static async start({ httpPort, externalKeys, seconds = 7_776_000 }: PebbleOptions): Promise<Pebble> {
    const directory = new TemporaryDirectory("pebble");
    const { cert, key } = await makeCertificate();
    const [port, managementPort, dnsPort, dnsManagement] = [
      await free(),
      await free(),
      await free(),
      await free(),
    ];
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: directory.join("cert.pem"),
      privateKey: directory.join("key.pem"),
      ...{ httpPort, tlsPort: 1, ocspResponderURL: "", domainBlocklist: ["blocked.example"] },
      externalAccountBindingRequired: externalKeys !== undefined,
      ...(externalKeys === undefined ? {} : { externalAccountMACKeys: externalKeys }),
      retryAfter: { authz: 1, order: 1 },
      profiles: { default: { description: "for tests", validityPeriod: seconds } },
    };
    directory.write({ "cert.pem": cert, "key.pem": key, "config.json": JSON.stringify({ pebble }) });
    const env = {
      ...process.env,
      PEBBLE_WFE_NONCEREJECT: "30",
      PEBBLE_AUTHZREUSE: "0",
      PEBBLE_VA_NOSLEEP: "1",
    };
    const lines: string[] = [];
    const none = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-defaultIPv6", ""];
    const dns = ["-dnsserver", `127.0.0.1:${dnsPort}`, "-management", `127.0.0.1:${dnsManagement}`, ...none];
    const children = [
      spawn(DNS_PROGRAM, dns, { stdio: "ignore" }),
      spawn(PROGRAM, ["-config", directory.join("config.json"), "-dnsserver", `127.0.0.1:${dnsPort}`], {
        env,
      }),
    ];
    for (const stream of [children[1]?.stdout, children[1]?.stderr])
      stream?.on("data", (piece: Buffer) => void lines.push(piece.toString()));
    const started = new Pebble({ trust: cert, port, managementPort, children, directory, lines });
    await started.#ready();
    return started;
  }

  /** What it has logged. */
  get log(): string {
    return this.#lines.join("");
  }

  /** The root that its certificates lead to, PEM. */
  root(): Promise<string> {
    return fetched(`${this.#management}/roots/0`, this.trust);
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue;
      child.kill();
      await once(child, "exit");
    }
    this.#directory.remove();
  }

  async #ready(): Promise<void> {
    for (;;) {
      const isUp = await fetched(this.directoryUrl, this.trust).then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (this.#children[1]?.exitCode != null) throw new Error(`pebble ended: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function free(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

function fetched(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (response) => {
      let text = "";
      response.on("data", (piece) => (text += String(piece)));
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}
