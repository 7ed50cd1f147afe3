import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { REPOSITORY_ROOT } from "../base/repository.js";
import type { TemporaryDirectory } from "../base/temporary-directory.js";
import { makeCertificate } from "./certificate.js";

/** The proxies of docs/guide/proxy.md, run with a configuration of a test. */

export const PROXIES = ["nginx", "caddy", "haproxy"] as const;
export type ProxyName = (typeof PROXIES)[number];

const PATIENCE_MS = 30_000;

/** Why a proxy cannot be run here. */
export function noProxy(name: ProxyName): string | undefined {
  const { status } = spawnSync(name, [name === "caddy" ? "version" : "-v"], {
    env: { ...process.env, PATH: PATH() },
  });
  return status === 0 ? undefined : `${name} is not installed`;
}

/** Debian has servers in /usr/sbin, which a user's path lacks. */
function PATH(): string {
  return `${process.env.PATH}:/usr/sbin`;
}

/** The block of the guide to paste, by its language. */
export function guideBlock(language: string): string {
  const guide = readFileSync(join(REPOSITORY_ROOT, "docs/guide/proxy.md"), "utf8");
  const block = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(guide)?.[1];
  if (block === undefined) throw new Error(`docs/guide/proxy.md has no block ${language}`);
  return block;
}

export interface ProxyOptions {
  readonly directory: TemporaryDirectory;
  /** The recorder's port. */
  readonly upstream: number;
  readonly config: string;
  /** Without HTTPS. */
  readonly plain?: boolean;
}

/** A proxy on a port of loopback, with HTTPS unless it is plain. */
export class ReverseProxy {
  readonly port: number;
  readonly #child: ChildProcess;
  #said = "";

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said += chunk.toString();
      });
  }

  static async start(name: ProxyName, options: ProxyOptions): Promise<ReverseProxy> {
    const port = await freePort();
    const { directory } = options;
    const { key, cert } = await makeCertificate("nvr");
    const files = {
      key: directory.join("key.pem"),
      cert: directory.join("cert.pem"),
      both: directory.join("both.pem"),
    };
    writeFileSync(files.key, key);
    writeFileSync(files.cert, cert);
    writeFileSync(files.both, `${cert}\n${key}`);
    const own = options.config
      .replaceAll("127.0.0.1:8080", `127.0.0.1:${options.upstream}`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port}${options.plain === true ? "" : " ssl"}`)
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replace(/\S+\/certificate\.pem/, files.cert)
      .replace(/\S+\/key\.pem/, files.key)
      .replace(/crt \S+/, `crt ${files.both}`)
      .replace(/^(?:nvr|home)\.example\.org \{/m, `https://127.0.0.1:${port}, https://nvr:${port} {`);
    const file = directory.join(`${name}.conf`);
    writeFileSync(file, WHOLE[name](own, directory));
    const child = spawn(name, ARGUMENTS[name](file, directory), {
      env: { ...process.env, PATH: PATH(), HOME: directory.path, XDG_DATA_HOME: directory.path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const proxy = new ReverseProxy(port, child);
    await proxy.#listening(options.plain === true);
    return proxy;
  }

  async #listening(isPlain: boolean): Promise<void> {
    const endMs = Date.now() + PATIENCE_MS;
    while (!(await isOpen(this.port, isPlain))) {
      if (this.#child.exitCode !== null || Date.now() > endMs)
        throw new Error(`the proxy does not listen: ${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}

const WHOLE: Readonly<Record<ProxyName, (own: string, directory: TemporaryDirectory) => string>> = {
  nginx: (own, directory) => {
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = places.map((one) => `${one}_temp_path ${directory.join(one)};`).join("\n");
    return `daemon off;\nmaster_process off;\npid ${directory.join("nginx.pid")};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${own}}\n`;
  },
  caddy: (own) =>
    `{\nadmin off\nauto_https disable_redirects\nskip_install_trust\nlocal_certs\ndefault_sni 127.0.0.1\n}\n${own}`,
  haproxy: (own) => own,
};

const ARGUMENTS: Readonly<
  Record<ProxyName, (file: string, directory: TemporaryDirectory) => readonly string[]>
> = {
  nginx: (file, directory) => ["-e", "stderr", "-p", directory.path, "-c", file],
  caddy: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  haproxy: (file) => ["-db", "-f", file],
};

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Whether it can be talked to: Caddy listens before it has made its certificate. */
function isOpen(port: number, isPlain: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const at = { port, host: "127.0.0.1" };
    const socket = isPlain ? connect(at) : connectTls({ ...at, rejectUnauthorized: false });
    socket.once(isPlain ? "connect" : "secureConnect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
