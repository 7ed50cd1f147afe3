import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type DiscoveryNetwork, SYSTEM_NETWORK } from "../../../src/camera/index.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { exitText } from "../service/background-process.js";
import { inNamespace, NetworkLan } from "./network-lan.js";

const RESPONDER = join(REPOSITORY_ROOT, "test/support/camera/discovery-responder.mjs");

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

/** A network with devices that answer discovery. */
export class CameraLan extends NetworkLan {
  readonly #processes: ChildProcess[] = [];

  /** The network as discovery is to see it: this LAN, and `others`, alone. */
  network(...others: readonly CameraLan[]): DiscoveryNetwork {
    const names = [this, ...others].map(({ interfaceName }) => interfaceName);
    return {
      ...SYSTEM_NETWORK,
      addresses: () =>
        SYSTEM_NETWORK.addresses().filter(({ interfaceName }) => names.includes(interfaceName)),
    };
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
    const command = inNamespace(namespace, [process.execPath, RESPONDER, JSON.stringify(script)]);
    const child = spawn("nsenter", command, { stdio: ["pipe", "pipe", "inherit"] });
    this.#processes.push(child);
    await Promise.race([once(child.stdout, "data"), rejectOnEnd(child)]);
    return {
      say: (word) => void child.stdin.write(`${word}\n`),
    };
  }

  /** Ends every host and takes the network away. */
  override async close(): Promise<void> {
    for (const child of this.#processes) {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
    }
    await super.close();
  }
}

export interface Responder {
  say(word: "hello" | "bye"): void;
}

async function rejectOnEnd(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  throw new Error(`the responder ended: ${exitText({ code, signal })}; what it said stands above`);
}
