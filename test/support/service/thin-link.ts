import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { inNamespace, NetworkLan } from "../camera/network-lan.js";
import { BackgroundProcess } from "./background-process.js";

/** What `meta random` of nftables compares with: 1 % of its range. */
const ONE_PERCENT = 42_949_673;
const HOST = 2;
/** With its folder: npm puts the programs of packages before those of the system, and one of them has this name. */
export const NFT = "/usr/sbin/nft";

/**
 * A host behind a link of its own, whose way from here can be made as bad as one likes. `address` is this machine's, seen from
 * there.
 */
export class ThinLink {
  readonly #lan = new NetworkLan();
  readonly #directory = new TemporaryDirectory("thin-link");
  readonly #relays: BackgroundProcess[] = [];
  readonly namespace: string;
  readonly address: string;
  /** That of the host. */
  readonly thereAddress: string;
  #isLossy = false;

  /** Why there can be none here; undefined where there can. */
  static missing(): string | undefined {
    const reason = NetworkLan.missing();
    if (reason !== undefined) return reason;
    return existsSync(NFT) ? undefined : "no nftables";
  }

  constructor() {
    this.namespace = this.#lan.host(HOST);
    this.address = this.#lan.plain(1);
    this.thereAddress = this.#lan.plain(HOST);
  }

  /** So many bits a second arrive there, and so many packets of a hundred are lost. */
  narrow(rate: string, lossPercent = 1): void {
    run(
      "tc",
      "qdisc",
      "replace",
      "dev",
      this.#lan.cable(HOST),
      "root",
      "tbf",
      "rate",
      rate,
      "burst",
      "32kbit",
      "latency",
      "400ms",
    );
    this.#isLossy = lossPercent > 0;
    if (!this.#isLossy) return;
    const limit = `${lossPercent * ONE_PERCENT}`;
    this.#there(NFT, "add", "table", "ip", "link");
    this.#there(NFT, "add", "chain", "ip", "link", "in", "{ type filter hook input priority 0; }");
    this.#there(NFT, "add", "rule", "ip", "link", "in", "meta", "random", "<", limit, "drop");
  }

  /** Neither a limit nor a loss any more. */
  widen(): void {
    run("tc", "qdisc", "del", "dev", this.#lan.cable(HOST), "root");
    if (this.#isLossy) this.#there(NFT, "delete", "table", "ip", "link");
    this.#isLossy = false;
  }

  /** Nothing passes, and nobody is notified. */
  cut(): void {
    this.#lan.cut(HOST);
  }

  mend(): void {
    this.#lan.mend(HOST);
  }

  /** A program that starts `program` there, with the arguments that it is given. */
  startingThere(program: string): string {
    const file = this.#directory.join("start-there");
    writeFileSync(file, `#!/bin/sh\nexec nsenter ${inNamespace(this.namespace, [program]).join(" ")} "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** A path of a socket here that leads, by way of the host, to a port of this machine. */
  async relayTo(port: number): Promise<string> {
    const path = this.#directory.join(`relay-${this.#relays.length}`);
    const arguments_ = inNamespace(this.namespace, [
      process.execPath,
      "-e",
      RELAY,
      path,
      `${port}`,
      this.address,
    ]);
    const relay = new BackgroundProcess("nsenter", arguments_);
    this.#relays.push(relay);
    await relay.waitFor(/ready/);
    return path;
  }

  async close(): Promise<void> {
    for (const relay of this.#relays) await relay.stop();
    await this.#lan.close();
    this.#directory.remove();
  }

  #there(...command: readonly string[]): void {
    run("nsenter", ...inNamespace(this.namespace, command));
  }
}

/** Reads no more than has been taken from it. */
const RELAY = `
const [path, port, host] = process.argv.slice(1);
const { connect, createServer } = require("node:net");
createServer((near) => {
  const far = connect({ port: Number(port), host, highWaterMark: 4096 });
  near.pipe(far).pipe(near);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}).listen(path, () => console.log("ready"));
`;

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}
