import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type DiscoveryNetwork, SYSTEM_NETWORK } from "../../src/camera/index.js";
import { REPOSITORY_ROOT } from "./repository.js";

const RESPONDER = join(REPOSITORY_ROOT, "test/support/discovery-responder.mjs");

/** A device that a responder plays. */
export interface ResponderDevice {
  readonly identity: string;
  /** As in the message; empty: none. Default: dn:NetworkVideoTransmitter. */
  readonly types?: string;
  readonly scopes?: readonly string[];
  readonly xaddrs?: readonly string[];
  /** Address that it answers from; default: the one that the routes choose. */
  readonly from?: string;
}

/** What a responder does; see discovery-responder.mjs. */
export interface ResponderScript {
  readonly devices?: readonly ResponderDevice[];
  readonly manner?:
    | "plain"
    | "gsoap"
    | "env"
    | "together"
    | "garbage"
    | "entity-bomb"
    | "huge"
    | "deep"
    | "flood";
  /** Datagrams for each probe of a flood. */
  readonly answers?: number;
  /** The only texts of Types that it answers. */
  readonly onlyTypes?: readonly string[];
  readonly ipv6?: boolean;
  /** Port of an HTTP server with a device service. */
  readonly httpPort?: number;
  /** No answer over UDP. */
  readonly silent?: boolean;
}

let lans = 0;

/** A network of this machine with hosts in namespaces of their own: a bridge, and a pair of virtual cables a host. */
export class CameraLan {
  /** The interface that this machine has in it. */
  readonly interfaceName: string;
  readonly #prefix: string;
  readonly #number: number;
  readonly #namespaces: string[] = [];
  readonly #processes: ChildProcess[] = [];

  /** Why there can be none here; undefined: there can. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "not root";
    const name = `nvrdtry${process.pid}`;
    if (spawnSync("ip", ["netns", "add", name]).status !== 0) return "no network namespaces";
    spawnSync("ip", ["netns", "del", name]);
    return undefined;
  }

  constructor() {
    lans += 1;
    this.#number = lans;
    this.interfaceName = `lan${process.pid % 100_000}-${lans}`;
    // 198.18.0.0/15 is for tests of networks (RFC 2544).
    this.#prefix = `198.${18 + (lans % 2)}.${process.pid % 250}`;
    ip("link", "add", this.interfaceName, "type", "bridge", "mcast_snooping", "0");
    ip("addr", "add", this.address(1), "dev", this.interfaceName, "broadcast", "+");
    ip("link", "set", this.interfaceName, "up");
  }

  /** With the prefix' length. */
  address(host: number): string {
    return `${this.plain(host)}/24`;
  }

  plain(host: number): string {
    return `${this.#prefix}.${host}`;
  }

  /** The network as discovery is to see it: this LAN, and `others`, alone. */
  network(...others: readonly CameraLan[]): DiscoveryNetwork {
    const names = [this, ...others].map(({ interfaceName }) => interfaceName);
    return {
      ...SYSTEM_NETWORK,
      addresses: () =>
        SYSTEM_NETWORK.addresses().filter(({ interfaceName }) => names.includes(interfaceName)),
    };
  }

  /** A host with an address, and further ones. Answers its namespace. */
  host(number: number, further: readonly number[] = []): string {
    const namespace = `${this.interfaceName}-${number}`;
    const cable = this.#cable(number);
    ip("netns", "add", namespace);
    this.#namespaces.push(namespace);
    ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace);
    ip("link", "set", cable, "master", this.interfaceName, "up");
    for (const each of [number, ...further])
      ip("-n", namespace, "addr", "add", this.address(each), "dev", "eth0");
    ip("-n", namespace, "link", "set", "lo", "up");
    ip("-n", namespace, "link", "set", "eth0", "up");
    ip("-n", namespace, "route", "add", "224.0.0.0/4", "dev", "eth0");
    return namespace;
  }

  /** Pulls a host's cable out of the switch: nothing comes through, and nobody is told. */
  cut(number: number): void {
    ip("link", "set", this.#cable(number), "down");
  }

  /** Plugs it in again. */
  mend(number: number): void {
    ip("link", "set", this.#cable(number), "up");
  }

  #cable(number: number): string {
    return `v${process.pid % 100_000}-${this.#number}-${number}`;
  }

  /** A host of its own that answers as the script says. Resolves when it listens. */
  async responder(
    number: number,
    script: ResponderScript,
    further: readonly number[] = [],
  ): Promise<Responder> {
    return await this.respond(this.host(number, further), script);
  }

  /** The same in a namespace there is. */
  async respond(namespace: string, script: ResponderScript): Promise<Responder> {
    const command = ["netns", "exec", namespace, process.execPath, RESPONDER, JSON.stringify(script)];
    const child = spawn("ip", command, { stdio: ["pipe", "pipe", "inherit"] });
    this.#processes.push(child);
    await Promise.race([once(child.stdout, "data"), rejectOnEnd(child)]);
    return {
      say: (word) => void child.stdin.write(`${word}\n`),
    };
  }

  /** Ends every host and takes the network away. */
  async close(): Promise<void> {
    for (const child of this.#processes) {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
    }
    for (const namespace of this.#namespaces) ip("netns", "del", namespace);
    ip("link", "del", this.interfaceName);
  }
}

export interface Responder {
  say(word: "hello" | "bye"): void;
}

async function rejectOnEnd(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, "exit")) as [number | null];
  throw new Error(`the responder ended with ${code}`);
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}
