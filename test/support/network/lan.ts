import { spawn, spawnSync } from "node:child_process";
import { PATIENCE_MS } from "../base/patience.js";
import { BackgroundProcess } from "../service/background-process.js";
import { pause, ROOT_PASSWORD } from "../service/service.js";

export const NETWORKD = "/lib/systemd/systemd-networkd";
const OUTPUT_BYTES_MAX = 1024 * 1024;
export const HTTP_PORT = 8080;
/** The machines on a network of the tests; each is an address of one interface. */
export const ROUTER = "10.77.0.1";
export const OTHER_ROUTER = "10.78.0.1";
export const TAKEN = "10.77.0.40";
export const ROUTER_6 = "fd77::1";
/** What the DHCP server gives: 20 addresses from .100 on. */
export const LEASED = /^10\.77\.0\.1[01]\d$/;

const NETWORK = `[Match]
Name=lan0
[Network]
Address=${ROUTER}/24
Address=${TAKEN}/24
Address=${OTHER_ROUTER}/24
Address=${ROUTER_6}/64
DHCPServer=yes
LinkLocalAddressing=ipv6
[DHCPServer]
ServerAddress=${ROUTER}/24
PoolOffset=100
PoolSize=20
EmitDNS=no
`;

export interface Reply {
  /** 0 if the box cannot be reached. */
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Options of a request to a box. */
export interface Asking {
  readonly body?: unknown;
  /** Of root; none: without a login. */
  readonly password?: string | undefined;
}

/** A network in a namespace of its own, with a router, a second one and a DHCP server. A box is plugged into `lan0`. */
export class Lan {
  readonly namespace: string;
  readonly #answerSeconds: number;
  readonly #router: BackgroundProcess;

  private constructor(namespace: string, answerSeconds: number) {
    this.namespace = namespace;
    this.#answerSeconds = answerSeconds;
    this.#router = new BackgroundProcess("ip", [
      ...["netns", "exec", namespace, "unshare", "-m", "bash", "-c", routerScript()],
    ]);
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "only root can make network namespaces";
    const absent = ["ip", "arping", "curl"].find((tool) => spawnSync("which", [tool]).status !== 0);
    if (absent !== undefined) return `${absent} is not installed`;
    if (spawnSync("test", ["-x", NETWORKD]).status !== 0) return "systemd-networkd is not installed";
    const tried = spawnSync("unshare", ["-m", "-n", "mount", "-t", "tmpfs", "nvrd-test", "/mnt"]);
    return tried.status === 0 ? undefined : "nothing can be mounted";
  }

  /** Makes `namespace`; `plug` is a shell command that makes `lan0` in it. A box may take `answerSeconds` for an answer. */
  static start(namespace: string, plug: string, answerSeconds = 25): Lan {
    must(`ip netns add ${namespace}`);
    try {
      must(plug);
    } catch (error) {
      spawnSync("ip", ["netns", "del", namespace]);
      throw error;
    }
    return new Lan(namespace, answerSeconds);
  }

  /** The router's last words. */
  get output(): string {
    return this.#router.output;
  }

  async stop(): Promise<void> {
    await this.#router.stop("SIGKILL");
    spawnSync("ip", ["netns", "del", this.namespace]);
  }

  /** Runs a command on the network; resolves with its output, whatever its status. */
  async run(command: string): Promise<string> {
    return await outputOf("ip", ["netns", "exec", this.namespace, "sh", "-c", command]);
  }

  /** Asks a box at one of its addresses. */
  async ask(address: string, method: string, path: string, asking: Asking = {}): Promise<Reply> {
    const { body, password } = { password: ROOT_PASSWORD, ...asking };
    const data = body === undefined ? "" : `--data '${JSON.stringify(body)}'`;
    const who = password === undefined ? "" : `-u 'root:${password}'`;
    const text = await this.run(
      `curl -sS -g --connect-timeout 10 -m ${this.#answerSeconds} ${who} -X ${method} ${data} -w '\\n%{http_code}' '${urlOf(address, path)}' 2>/dev/null`,
    );
    const end = text.trimEnd().lastIndexOf("\n");
    const answer = text.slice(0, Math.max(0, end)).trim();
    const status = Number(text.slice(end + 1).trim());
    return { status, json: answer.startsWith("{") ? (JSON.parse(answer) as Record<string, unknown>) : {} };
  }

  /** Whether a box answers at the address now. */
  async isReached(address: string): Promise<boolean> {
    const said = await this.run(
      `curl -sS -g -m 5 -o /dev/null -w '%{http_code}' '${urlOf(address, "/api/health")}' 2>/dev/null`,
    );
    return said.trim() === "401" || said.trim() === "200";
  }
}

/** Resolves with what `find` finds; rejects when it has found nothing for so long. */
export async function found<T>(
  what: string,
  find: () => Promise<T | undefined>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const result = await find();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    await pause(300);
  }
}

/** Runs a program; resolves with its output, whatever its status. */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const take = (text: string): void => {
    output = (output + text).slice(-OUTPUT_BYTES_MAX);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  await new Promise((resolve) => child.once("close", resolve));
  return output;
}

/** Runs a shell command that has to succeed. */
export function must(command: string): void {
  const done = spawnSync("sh", ["-ec", command], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
}

/** A link-local address has its interface: `fe80::1%lan0`. */
function urlOf(address: string, path: string): string {
  const host = address.includes(":") ? `[${address.replace("%", "%25")}]` : address;
  return `http://${host}:${HTTP_PORT}${path}`;
}

/** Its own networkd, which gives addresses. Without a writable /sys it waits for no udev. */
function routerScript(): string {
  return `mount -t tmpfs tmpfs /run; mount -o remount,bind,ro /sys; mount -t tmpfs tmpfs /etc/systemd/network
install -d -o systemd-network -g systemd-network /run/systemd/netif
cat >/etc/systemd/network/10-lan.network <<'END'
${NETWORK}END
ip link set lo up; ip link set lan0 up
exec ${NETWORKD}`;
}
