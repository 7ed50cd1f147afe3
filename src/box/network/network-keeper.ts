import { readdir, rm } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { type Clock, errorText, type Log, NvrdError, replaceSmallFile } from "../../base/index.js";
import type { SystemFiles } from "../../health/index.js";
import { announce } from "./announcement.js";
import type { BoxIdentity } from "./box-identity.js";
import { type InterfaceState, LASTING_FOLDER, planFile, readInterfaces } from "./interfaces.js";
import type { KeeperOrder } from "./keeper-protocol.js";
import { isSameNetwork } from "./network-address.js";
import { type Ipv4Plan, type Ipv6Plan, type NetworkPlan, vlanName } from "./network-plan.js";
import type { NetworkTools } from "./network-tools.js";
import { LASTING_PREFIX, networkdFiles, TRIAL_PREFIX } from "./networkd-files.js";
import {
  APPLIED_FILE,
  CONFIRMED_FILE,
  EXPIRED_FILE,
  REASON_FILE,
  readRecord,
  readTrialState,
  readUptimeS,
  recordText,
  STATE_FOLDER,
  TRIAL_FILE,
  type TrialRecord,
} from "./trial-state.js";

/** Files in /run go with a reboot. */
const TRIAL_FOLDER = "/run/systemd/network";
/** Of a trial; nvrd-network-back.timer has the same. */
const TRIAL_SECONDS = 90;
/** So long the network stays as it is after the answer: it reaches its client, and a page can prepare itself. */
const APPLY_DELAY_MS = 4000;
/** networkd takes a file at once, and waits for nothing. */
const TAKEN_MS_MAX = 15_000;
const TAKEN_LOOK_MS = 250;
/** Not secret: networkd runs as a user of its own. */
const FILE_MODE = 0o644;

export interface NetworkKeeperOptions {
  readonly files: SystemFiles;
  readonly tools: NetworkTools;
  readonly identity: BoxIdentity;
  readonly clock: Clock;
  readonly log: Log;
}

/** What follows the answer to an order. */
export type AfterAnswer = () => Promise<void>;

/**
 * Changes the network of the box on trial. It runs with root rights, so it trusts no input. Whatever happens to it, the trial
 * ends: the deadline is started before anything is changed, and is a timer of systemd.
 */
export class NetworkKeeper {
  readonly #options: NetworkKeeperOptions;

  constructor(options: NetworkKeeperOptions) {
    this.#options = options;
  }

  /** Rejects with NvrdError, and then nothing is changed. */
  async carryOut(order: KeeperOrder): Promise<AfterAnswer> {
    if (order.action === "try") return await this.#begin(order.id, order.plan);
    if (order.action === "confirm") await this.#confirm(order.id);
    if (order.action === "end") await this.#end();
    if (order.action === "announce") await announce(this.#options.tools, order);
    if (order.action === "box") await this.#options.identity.set(order);
    return async () => undefined;
  }

  async #begin(id: string, plan: NetworkPlan): Promise<AfterAnswer> {
    const { files, tools, log } = this.#options;
    const { running } = await readTrialState(files);
    if (running !== undefined)
      throw new NvrdError("CONFLICT", `a trial of ${running.plan.interface} is running`, {
        hint: "confirm it, or end it: DELETE /api/network/trial",
      });
    const state = await this.#requireChangeable(plan);
    await this.#requireFree(plan, state);
    await rm(CONFIRMED_FILE, { force: true });
    await rm(EXPIRED_FILE, { force: true });
    await rm(REASON_FILE, { force: true });
    await tools.startDeadline();
    const endsUptimeS = (await readUptimeS(files)) + TRIAL_SECONDS;
    const record = { id, plan, before: state.plan ?? null, endsUptimeS };
    // Before the record: what ends a trial looks there for what it has to put back.
    await replaceSmallFile(`${STATE_FOLDER}/links`, linkList(plan), FILE_MODE);
    await replaceSmallFile(TRIAL_FILE, recordText(record), FILE_MODE);
    log.info({ interface: plan.interface }, "a trial of network settings begins");
    return () => this.#apply(record);
  }

  /** Puts the plan into effect; goes back at once if networkd does not take it. Never rejects. */
  async #apply(record: TrialRecord): Promise<void> {
    const { tools, clock, log } = this.#options;
    const { plan } = record;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, APPLY_DELAY_MS));
    // Somebody may have ended it meanwhile.
    if (!(await this.#isRunning(record.id))) return;
    try {
      await removeVlanFiles(TRIAL_FOLDER, `${TRIAL_PREFIX}${plan.interface}.`);
      for (const { name, text } of networkdFiles(plan, TRIAL_PREFIX))
        await replaceSmallFile(path.join(TRIAL_FOLDER, name), text, FILE_MODE);
      await tools.apply();
      await this.#requireTaken(plan, path.join(TRIAL_FOLDER, `${TRIAL_PREFIX}${plan.interface}.network`));
      await replaceSmallFile(APPLIED_FILE, record.id, FILE_MODE);
      // It may have ended while its files were written: nothing would end them then.
      if (!(await this.#isRunning(record.id))) await tools.goBack();
    } catch (error) {
      log.warn(
        { interface: plan.interface, reason: errorText(error) },
        "the network settings fail: going back",
      );
      await replaceSmallFile(REASON_FILE, errorText(error), FILE_MODE);
      await tools.goBack();
    }
  }

  async #isRunning(id: string): Promise<boolean> {
    return (await readRecord(this.#options.files, TRIAL_FILE))?.id === id;
  }

  /** networkd may prefer a file of somebody else: then what was confirmed would not last. */
  async #requireTaken(plan: NetworkPlan, file: string): Promise<void> {
    const { files, clock } = this.#options;
    let applied: string | undefined;
    for (let waitedMs = 0; waitedMs < TAKEN_MS_MAX; waitedMs += TAKEN_LOOK_MS) {
      const states = await readInterfaces(files);
      applied = states.find(({ name }) => name === plan.interface)?.file;
      if (applied === file) return;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, TAKEN_LOOK_MS));
    }
    throw new NvrdError(
      "CONFLICT",
      `systemd-networkd applies ${applied ?? "no file"} to ${plan.interface} instead of nvrd's`,
      { hint: "remove that file, or give it a name that sorts later" },
    );
  }

  async #requireChangeable(plan: NetworkPlan): Promise<InterfaceState> {
    const states = await readInterfaces(this.#options.files);
    const state = states.find(({ name }) => name === plan.interface);
    if (state === undefined)
      throw new NvrdError("NOT_FOUND", `there is no network interface ${plan.interface}`, {
        hint: "GET /api/network lists them",
      });
    if (state.refusal !== undefined) throw new NvrdError("CONFLICT", state.refusal, { hint: "" });
    if (state.kind === "vlan" || state.kind === "wireless")
      throw new NvrdError("BAD_REQUEST", `${plan.interface} is not a port of the box`, {
        hint: state.kind === "vlan" ? "change Vlans of the port it is on" : "use a cable",
      });
    if (!state.hasLink)
      throw new NvrdError("CONFLICT", `no cable is plugged into ${plan.interface}, so nothing can be tried`, {
        hint: "plug it in first",
      });
    this.#requireOwnNetwork(plan, states);
    return state;
  }

  /** Two ports in one network: answers would leave by the wrong one. */
  #requireOwnNetwork(plan: NetworkPlan, states: readonly InterfaceState[]): void {
    const own = [plan.interface, ...plan.vlans.map(({ id }) => vlanName(plan.interface, id))];
    const others = states.filter(({ name }) => !own.includes(name));
    for (const { where, part } of partsOf(plan)) {
      if (part.method !== "fixed") continue;
      for (const { name, addresses } of others) {
        const rival = addresses.find(
          ({ address, origin }) =>
            origin !== "linkLocal" && isSameNetwork(part.address, address.split("/")[0] ?? ""),
        );
        if (rival !== undefined)
          throw new NvrdError(
            "CONFLICT",
            `${where} ${part.address} is in the network of ${name} (${rival.address})`,
            {
              hint: "each port needs a network of its own",
            },
          );
      }
    }
  }

  /** Nobody else has the addresses, and the gateways answer. */
  async #requireFree(plan: NetworkPlan, state: InterfaceState): Promise<void> {
    const own = new Set(
      Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address)),
    );
    await this.#requireFreeOn(state.name, [plan.ipv4, plan.ipv6], own);
    for (const { id, ipv4, ipv6 } of plan.vlans)
      await this.#options.tools.inVlan(state.name, id, (link) =>
        this.#requireFreeOn(link, [ipv4, ipv6], own),
      );
  }

  async #requireFreeOn(
    link: string,
    parts: readonly (Ipv4Plan | Ipv6Plan)[],
    own: ReadonlySet<string>,
  ): Promise<void> {
    const { tools } = this.#options;
    for (const part of parts) {
      if (part.method !== "fixed") continue;
      const [address = ""] = part.address.split("/");
      if (!own.has(address) && (await tools.isAnswered(link, address)))
        throw new NvrdError("CONFLICT", `another machine on this network has the address ${address}`, {
          hint: "choose an address that is free, outside the range of the DHCP server",
        });
      if (part.gateway !== null && !(await tools.isAnswered(link, part.gateway)))
        throw new NvrdError("CONFLICT", `no router answers at ${part.gateway}`, {
          hint: "check the gateway and the cable, or leave Gateway out for a network without a way out",
        });
    }
  }

  async #confirm(id: string): Promise<void> {
    const { files, tools, log } = this.#options;
    const record = await readRecord(files, TRIAL_FILE);
    if (record?.id !== id)
      throw new NvrdError("CONFLICT", "this trial is over: the network is as it was before", {
        hint: "make the change again",
      });
    const { plan } = record;
    // The lasting files first: from here on every end of the trial leads to them.
    await removeVlanFiles(LASTING_FOLDER, `${LASTING_PREFIX}${plan.interface}.`);
    for (const { name, text } of networkdFiles(plan, LASTING_PREFIX))
      await replaceSmallFile(path.join(LASTING_FOLDER, name), text, FILE_MODE);
    await replaceSmallFile(planFile(plan.interface), JSON.stringify(plan), FILE_MODE);
    await replaceSmallFile(CONFIRMED_FILE, recordText(record), FILE_MODE);
    await rm(TRIAL_FILE, { force: true });
    await rm(EXPIRED_FILE, { force: true });
    // The trial's own files stay until the next start: they say the same, and a new lease would interrupt the network.
    await tools.stopDeadline();
    log.info({ interface: plan.interface }, "the network settings are confirmed");
  }

  async #end(): Promise<void> {
    const { running } = await readTrialState(this.#options.files);
    if (running === undefined)
      throw new NvrdError("NOT_FOUND", "no trial is running", { hint: "GET /api/network shows the network" });
    await this.#options.tools.goBack();
  }
}

function partsOf(plan: NetworkPlan) {
  const vlans = plan.vlans.flatMap(({ id, ipv4, ipv6 }) => [
    { where: `VLAN ${id}:`, part: ipv4 },
    { where: `VLAN ${id}:`, part: ipv6 },
  ]);
  return [{ where: "IPv4.Address", part: plan.ipv4 }, { where: "IPv6.Address", part: plan.ipv6 }, ...vlans];
}

/** What nvrd-network-back has to put back: `link eth0`, `vlan eth0.20`, a line each. */
function linkList(plan: NetworkPlan): string {
  const vlans = plan.vlans.map(({ id }) => `vlan ${vlanName(plan.interface, id)}\n`);
  return `link ${plan.interface}\n${vlans.join("")}`;
}

/** Files of VLANs that the plan no longer has would bring them back. The file of the interface itself is replaced. */
async function removeVlanFiles(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOfVlan = name.startsWith(start) && /^\d{1,4}\.(?:network|netdev)$/.test(name.slice(start.length));
    if (isOfVlan) await rm(path.join(folder, name), { force: true });
  }
}
