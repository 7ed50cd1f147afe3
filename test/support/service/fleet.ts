import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { inNamespace, NetworkLan } from "../camera/network-lan.js";
import { exitText } from "./background-process.js";
import { pause, type Service } from "./service.js";

const CAMERAS = join(REPOSITORY_ROOT, "test/support/service/fleet-cameras.mjs");
const FIRST_HOST = 10;
/** Each camera's login. */
export const FLEET_LOGIN = { login: "installer", password: "Fleet-secret-7" } as const;

/** The parameters of fleet-cameras.mjs. */
export interface FleetOrder {
  readonly hosts: readonly string[];
  readonly login: string;
  readonly password: string;
}

/** A TCP connection that a camera took: when (Unix milliseconds), its address, its port. */
export type TakenConnection = readonly [atMs: number, address: string, port: number];

/** Cameras behind one switch: a network of their own, in which each has its address. */
export class Fleet {
  readonly lan: NetworkLan;
  readonly hosts: readonly string[];
  readonly #namespace: string;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #lines: Interface | undefined;

  private constructor(count: number) {
    this.lan = new NetworkLan();
    const numbers = Array.from({ length: count }, (_, index) => FIRST_HOST + index);
    this.#namespace = this.lan.host(FIRST_HOST, numbers.slice(1));
    this.hosts = numbers.map((number) => this.lan.plain(number));
  }

  /** Resolves when all of them answer. */
  static async start(count: number): Promise<Fleet> {
    const fleet = new Fleet(count);
    try {
      await fleet.powerOn();
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  /** All boot. Resolves when they answer. */
  async powerOn(): Promise<void> {
    const order: FleetOrder = { hosts: this.hosts, ...FLEET_LOGIN };
    const command = inNamespace(this.#namespace, [process.execPath, CAMERAS, JSON.stringify(order)]);
    this.#child = spawn("nsenter", command, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout });
    await this.#line();
  }

  /** All are without power at once, while their addresses still answer: ports are closed. */
  async powerOff(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  }

  /** Connections that were refused so far: resets that the cameras' network stack sent (RFC 9293, 3.5.2). */
  refusedConnections(): number {
    const command = inNamespace(this.#namespace, ["cat", "/proc/net/snmp"]);
    const { stdout } = spawnSync("nsenter", command, { encoding: "utf8" });
    const [names, values] = stdout.split("\n").filter((line) => line.startsWith("Tcp:"));
    const at = names?.split(" ").indexOf("OutRsts") ?? -1;
    const count = Number(values?.split(" ")[at]);
    if (!Number.isInteger(count)) throw new Error("no OutRsts in /proc/net/snmp");
    return count;
  }

  /** The switch fails: no cable of any camera leads anywhere. */
  cut(): void {
    this.lan.cut(FIRST_HOST);
  }

  mend(): void {
    this.lan.mend(FIRST_HOST);
  }

  /** Every connection that the cameras took so far. */
  async connections(): Promise<TakenConnection[]> {
    this.#child?.stdin.write("report\n");
    return JSON.parse(await this.#line()) as TakenConnection[];
  }

  async stop(): Promise<void> {
    await this.powerOff();
    await this.lan.close();
  }

  async #line(): Promise<string> {
    if (this.#child === undefined || this.#lines === undefined)
      throw new Error("the cameras are switched off");
    const ended = once(this.#child, "exit").then(([code, signal]) => {
      throw new Error(`the cameras' process ended: ${exitText({ code, signal })}; what it said stands above`);
    });
    const [line] = (await Promise.race([once(this.#lines, "line"), ended])) as [string];
    return line;
  }
}

interface FoundDevice {
  readonly Address: string;
  readonly Identity: string;
}

/** Finds the cameras of a fleet as an installer does, and adds all of them; answers their channels. */
export async function addFleet(service: Service, fleet: Fleet): Promise<string[]> {
  const path = `/configure/discovery?interface=${fleet.lan.interfaceName}&timeout=3`;
  const found = await service.json<FoundDevice[]>(path);
  const body = {
    Devices: found.map(({ Address, Identity }) => ({ Address, Identity })),
    Login: FLEET_LOGIN.login,
    Password: FLEET_LOGIN.password,
  };
  const outcomes = await service.json<{ Result: string; Reason: string; ChannelIds: string[] }[]>(
    "/configure/discovery/add",
    { method: "POST", body, timeoutMs: 60_000 },
  );
  for (const { Result, Reason } of outcomes) if (Result !== "Added") throw new Error(`${Result}: ${Reason}`);
  return outcomes.flatMap(({ ChannelIds }) => ChannelIds);
}

interface ChannelStatus {
  readonly Status: string;
  readonly IsRecording: boolean;
}

/** Resolves when each channel is recorded (or, `wanted` false, is known to be lost); answers the milliseconds it took. */
export async function untilRecording(
  service: Service,
  ids: readonly string[],
  { wanted = true, withinMs }: { readonly wanted?: boolean; readonly withinMs: number },
): Promise<number> {
  const start = performance.now();
  let waiting = [...ids];
  for (;;) {
    const states = await Promise.all(
      waiting.map((id) => service.json<ChannelStatus>(`/api/channels/${id}/status`)),
    );
    waiting = waiting.filter((_, index) => {
      const state = states[index];
      return wanted ? state?.Status !== "Ok" || !state.IsRecording : state?.Status !== "Lost";
    });
    const tookMs = performance.now() - start;
    if (waiting.length === 0) return tookMs;
    if (tookMs > withinMs) {
      const words = wanted ? "are not recorded" : "are not known to be lost";
      throw new Error(
        `${waiting.length} cameras ${words} after ${Math.round(tookMs)} ms: ${JSON.stringify(states[0])}`,
      );
    }
    await pause(200);
  }
}

/** Most connections in one second, of all cameras and of one; most of one camera in all. */
export function mostConnections(taken: readonly TakenConnection[]): {
  readonly allPerSecond: number;
  readonly onePerSecond: number;
  readonly one: number;
} {
  const start = taken[0]?.[0] ?? 0;
  const second = ([atMs]: TakenConnection) => Math.floor((atMs - start) / 1000);
  return {
    allPerSecond: most(taken, second),
    onePerSecond: most(taken, (each) => `${each[1]} ${second(each)}`),
    one: most(taken, ([, address]) => address),
  };
}

function most<T>(items: readonly T[], key: (item: T) => unknown): number {
  const counts = new Map<unknown, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
