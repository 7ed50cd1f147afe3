import { spawnSync } from "node:child_process";
import { PATIENCE_MS } from "../base/patience.js";

let lans = 0;

/**
 * Arguments of `nsenter` that run a command in a namespace. Not `ip netns exec`: that gives the command mounts of its
 * own, in which a file system that another test takes away stays mounted.
 */
export function inNamespace(namespace: string, command: readonly string[]): string[] {
  return [`--net=/run/netns/${namespace}`, "--", ...command];
}

/** A network of this machine with hosts in namespaces of their own: a bridge, and a pair of virtual cables a host. */
export class NetworkLan {
  /** The interface that this machine has in it. */
  readonly interfaceName: string;
  readonly #prefix: string;
  readonly #number: number;
  readonly #namespaces: string[] = [];

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
    this.#addOwn();
  }

  #addOwn(): void {
    ip("link", "add", this.interfaceName, "type", "bridge", "mcast_snooping", "0");
    ip("addr", "add", this.address(1), "dev", this.interfaceName, "broadcast", "+");
    ip("link", "set", this.interfaceName, "up");
  }

  /** This machine's interface goes and comes back under its name, with its address, as a network card over USB does. */
  replaceOwn(...hosts: readonly number[]): void {
    ip("link", "del", this.interfaceName);
    this.#addOwn();
    for (const host of hosts) ip("link", "set", this.cable(host), "master", this.interfaceName, "up");
  }

  /** With the prefix' length. */
  address(host: number): string {
    return `${this.plain(host)}/24`;
  }

  plain(host: number): string {
    return `${this.#prefix}.${host}`;
  }

  /** A host with an address, and further ones. Answers its namespace. */
  host(number: number, further: readonly number[] = []): string {
    const namespace = `${this.interfaceName}-${number}`;
    ip("netns", "add", namespace);
    this.#namespaces.push(namespace);
    this.#plug(namespace, "eth0", [number, ...further]);
    ip("-n", namespace, "link", "set", "lo", "up");
    ip("-n", namespace, "route", "add", "224.0.0.0/4", "dev", "eth0");
    return namespace;
  }

  /** A host without an IPv4 address. Resolves with its link-local address, without its zone. */
  async ipv6Host(number: number): Promise<{ readonly namespace: string; readonly address: string }> {
    const namespace = this.host(number);
    ip("-n", namespace, "-4", "addr", "flush", "dev", "eth0");
    const address = await linkLocalAddress(["-n", namespace], "eth0");
    // Ours is not usable either until nobody else was found to have it (RFC 4862, 5.4).
    await linkLocalAddress([], this.interfaceName);
    return { namespace, address };
  }

  /** Gives a host, and this machine, further addresses of IPv6 in a network of their own. */
  addIpv6(number: number): string {
    const namespace = `${this.interfaceName}-${number}`;
    const own = (host: number): string => `fd00:198:${this.#number}::${host}`;
    ip("addr", "add", `${own(1)}/64`, "dev", this.interfaceName, "nodad");
    ip("-n", namespace, "addr", "add", `${own(number)}/64`, "dev", "eth0", "nodad");
    return own(number);
  }

  /** A host of another network gets a cable into this one as well. */
  join(namespace: string, number: number): void {
    this.#plug(namespace, "eth1", [number]);
  }

  /** Pulls a host's cable out of the switch: nothing comes through, and nobody is notified. */
  cut(number: number): void {
    ip("link", "set", this.cable(number), "down");
  }

  /** Plugs it in again. */
  mend(number: number): void {
    ip("link", "set", this.cable(number), "up");
  }

  /** Takes the hosts and the network away. */
  async close(): Promise<void> {
    for (const namespace of this.#namespaces) ip("netns", "del", namespace);
    ip("link", "del", this.interfaceName);
  }

  #plug(namespace: string, name: string, numbers: readonly [number, ...number[]]): void {
    const cable = this.cable(numbers[0]);
    ip("link", "add", cable, "type", "veth", "peer", "name", name, "netns", namespace);
    ip("link", "set", cable, "master", this.interfaceName, "up");
    for (const each of numbers) ip("-n", namespace, "addr", "add", this.address(each), "dev", name);
    ip("-n", namespace, "link", "set", name, "up");
  }

  /** The end of a host's cable that is on this side. */
  cable(number: number): string {
    return `v${process.pid % 100_000}-${this.#number}-${number}`;
  }
}

async function linkLocalAddress(where: readonly string[], name: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { stdout } = spawnSync("ip", [...where, "-6", "-o", "addr", "show", "dev", name, "scope", "link"], {
      encoding: "utf8",
    });
    const address = /inet6 (fe80::[0-9a-f:]+)\//.exec(stdout)?.[1];
    if (address !== undefined && !stdout.includes("tentative")) return address;
    if (performance.now() > deadline) throw new Error(`${name} has no link-local address: ${stdout}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}
