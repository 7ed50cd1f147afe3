import { createHash, randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  localZoneName,
  NvrdError,
} from "../../base/index.js";
import type { SystemFiles } from "../../health/index.js";
import { type Announced, isAnnounced } from "./announcement.js";
import { type BoxChange, boxName } from "./box-identity.js";
import { type InterfaceState, readInterfaces } from "./interfaces.js";
import type { NetworkKeeperCall } from "./keeper-client.js";
import { checkedPlan, type NetworkPlan } from "./network-plan.js";
import { readTrialState, type TrialRecord, type TrialState } from "./trial-state.js";

const TOKEN_BYTES = 32;
/** How often a running trial is looked at. */
const FOLLOW_MS = 1000;

export interface NetworkUser {
  readonly id: string;
  readonly name: string;
}

/** What happened to the network, for the events. */
export interface NetworkAct {
  readonly kind: "trial" | "confirmed" | "back" | "box";
  readonly comment: string;
  /** Undefined: by itself, or by whoever has the token. */
  readonly by: NetworkUser | undefined;
}

interface NetworkTrial {
  readonly plan: NetworkPlan;
  readonly remainingS: number;
  /** Where the box can be reached during the trial, as far as it is known. */
  readonly addresses: readonly string[];
}

export interface NetworkView {
  readonly name: string;
  readonly timeZone: string;
  readonly interfaces: readonly InterfaceState[];
  readonly trial: NetworkTrial | undefined;
  /** The last trial since the boot. */
  readonly last:
    | { readonly interface: string; readonly isConfirmed: boolean; readonly reason: string | undefined }
    | undefined;
  /** Why nothing can be changed at all; undefined where it can. */
  readonly refusal: string | undefined;
}

/** What the API does with the network. Each rejects with NvrdError. */
export interface NetworkControl {
  view(): Promise<NetworkView>;
  /** Begins a trial; resolves with the token that confirms it. */
  begin(plan: NetworkPlan, by: NetworkUser): Promise<string>;
  /** @param localAddresses Addresses of this box that the confirming client has connections to. */
  confirm(token: string, localAddresses: readonly string[], asked: string | undefined): Promise<void>;
  end(by: NetworkUser): Promise<void>;
  setBox(change: BoxChange, by: NetworkUser): Promise<void>;
  /** Has mDNS announce the page, where the machine can and does not already. Never rejects. */
  announce(announced: Announced): Promise<void>;
  /** Addresses and names that the page of a running trial tries; empty without one. */
  trialHosts(): readonly string[];
}

export interface NetworkOptions {
  readonly files: SystemFiles;
  readonly keeper: NetworkKeeperCall;
  readonly keeperSocket: string;
  /** Address that the service listens on: `0.0.0.0` and other IPv4 addresses are not reached over IPv6. */
  readonly listen: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onAct: (act: NetworkAct) => void;
}

/** The box's own network, as it is, and changes of it on trial. */
export class Network implements NetworkControl {
  readonly #options: NetworkOptions;
  #followed: TrialRecord | undefined;
  #hosts: readonly string[] = [];
  #timer: ClockTimer | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** Follows a trial that was running when the service ended. */
  async start(): Promise<void> {
    await this.#follow();
  }

  stop(): void {
    this.#timer?.clear();
  }

  trialHosts(): readonly string[] {
    return this.#hosts;
  }

  async view(): Promise<NetworkView> {
    const { files } = this.#options;
    const interfaces = await readInterfaces(files);
    const state = await readTrialState(files);
    const { running, last, reason } = state;
    return {
      name: boxName(),
      timeZone: localZoneName(),
      interfaces,
      trial:
        running === undefined
          ? undefined
          : {
              plan: running.plan,
              remainingS: state.remainingS,
              addresses: newAddresses(running, interfaces),
            },
      last:
        last === undefined
          ? undefined
          : { interface: last.plan.interface, isConfirmed: last.isConfirmed, reason },
      refusal: await this.#refusal(),
    };
  }

  async begin(plan: NetworkPlan, by: NetworkUser): Promise<string> {
    if (plan.ipv4.method === "off" && !this.#options.listen.includes(":"))
      throw new NvrdError("CONFLICT", "the recorder answers over IPv4 alone, so nobody could confirm this", {
        hint: 'set listen to "::" and restart nvrd, or keep IPv4',
      });
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await this.#options.keeper({ action: "try", id: idOf(token), plan: checkedPlan(plan) });
    this.#report({ kind: "trial", comment: planText(plan), by });
    await this.#follow();
    return token;
  }

  async confirm(token: string, localAddresses: readonly string[], asked: string | undefined): Promise<void> {
    const { files, keeper } = this.#options;
    const { running, isApplied, last } = await readTrialState(files);
    // The answer to the first one may be lost with the former address.
    if (running === undefined && last?.isConfirmed === true && last.id === idOf(token)) return;
    if (running?.id !== idOf(token))
      throw new NvrdError("CONFLICT", "this trial is over: the network is as it was before", {
        hint: "make the change again",
      });
    const wanted = newAddresses(running, await readInterfaces(files));
    // A lease that is asked for anew may take a moment: until then no address shows anything.
    if (!isApplied || wanted.length === 0)
      throw new NvrdError("CONFLICT", "the new settings have not taken effect yet", {
        hint: "repeat the request in some seconds",
      });
    const isReached = localAddresses.some((address) => wanted.includes(address));
    if (!isReached || (asked !== undefined && localAddresses.includes(asked) && !wanted.includes(asked)))
      throw new NvrdError("CONFLICT", `this request did not come over the new address ${wanted.join(", ")}`, {
        hint: "send it there: only that shows that the box can be reached",
      });
    await keeper({ action: "confirm", id: running.id });
    await this.#follow();
  }

  async end(by: NetworkUser): Promise<void> {
    await this.#options.keeper({ action: "end" });
    await this.#follow(by);
  }

  async setBox(change: BoxChange, by: NetworkUser): Promise<void> {
    await this.#options.keeper({ action: "box", ...change });
    // Node reads it anew at each assignment; threads and children get it with the next start.
    if (change.timeZone !== null) process.env.TZ = change.timeZone;
    this.#report({ kind: "box", comment: boxText(change), by });
  }

  async announce(announced: Announced): Promise<void> {
    const { files, keeper, log } = this.#options;
    try {
      if ((await this.#refusal()) !== undefined || (await isAnnounced(files, announced))) return;
      await keeper({ action: "announce", ...announced });
    } catch (error) {
      log.warn({ reason: errorText(error) }, "the page cannot be announced by mDNS");
    }
  }

  async #refusal(): Promise<string | undefined> {
    try {
      await stat(this.#options.keeperSocket);
      return undefined;
    } catch {
      return "the network keeper, which changes the network for nvrd, is not installed on this machine";
    }
  }

  /** Notes whether a trial runs, and reports how the one before ended. */
  async #follow(by?: NetworkUser): Promise<void> {
    const { files, clock } = this.#options;
    const before = this.#followed;
    const state = await readTrialState(files);
    this.#followed = state.running;
    this.#timer?.clear();
    this.#hosts = await this.#hostsOf(state);
    if (before !== undefined && state.running?.id !== before.id) this.#reportEnd(before, state, by);
    if (state.running === undefined) return;
    this.#timer = clock.setTimeout(() => void this.#followQuietly(), FOLLOW_MS);
  }

  async #followQuietly(): Promise<void> {
    try {
      await this.#follow();
    } catch (error) {
      this.#options.log.error(
        { reason: errorText(error) },
        "the trial of network settings cannot be followed",
      );
    }
  }

  async #hostsOf({ running }: TrialState): Promise<readonly string[]> {
    if (running === undefined) return [];
    const interfaces = await readInterfaces(this.#options.files);
    return [...newAddresses(running, interfaces), `${boxName()}.local`];
  }

  #reportEnd(before: TrialRecord, { last }: TrialState, by: NetworkUser | undefined): void {
    const isConfirmed = last?.id === before.id && last.isConfirmed;
    this.#report({ kind: isConfirmed ? "confirmed" : "back", comment: planText(before.plan), by });
  }

  #report(act: NetworkAct): void {
    const { log, onAct } = this.#options;
    log.info({ act: act.kind, user: act.by?.name, change: act.comment }, "the network of the box");
    onAct(act);
  }
}

function idOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * The addresses that a trial is about: those of what it changes. Whatever else still works shows nothing.
 */
export function newAddresses(
  { plan, before }: Pick<TrialRecord, "plan" | "before">,
  interfaces: readonly InterfaceState[],
): readonly string[] {
  const own = interfaces.find(({ name }) => name === plan.interface)?.addresses ?? [];
  const present = own.map(({ address, origin }) => ({ address: address.split("/")[0] ?? "", origin }));
  const isSame = before !== null && JSON.stringify(before.ipv4) === JSON.stringify(plan.ipv4);
  const { ipv4, ipv6 } = plan;
  const v4 =
    ipv4.method === "fixed"
      ? [ipv4.address.split("/")[0] ?? ""]
      : present
          .filter(({ address, origin }) => !address.includes(":") && origin === "dhcp")
          .map(({ address }) => address);
  const v6 = present.filter(({ address }) => address.includes(":"));
  const wanted6 =
    ipv6.method === "fixed"
      ? [ipv6.address.split("/")[0] ?? ""]
      : v6
          .filter(({ origin }) => ipv6.method === "linkLocal" || origin !== "linkLocal")
          .map(({ address }) => address);
  if (ipv4.method === "off") return wanted6;
  return isSame ? [...v4, ...wanted6] : v4;
}

/** A plan in one line, for events and the log. */
function planText(plan: NetworkPlan): string {
  const part = (name: string, one: NetworkPlan["ipv4"] | NetworkPlan["ipv6"]): string =>
    one.method === "fixed"
      ? `${name} ${one.address}${one.gateway === null ? "" : ` via ${one.gateway}`}`
      : `${name} ${one.method}`;
  const vlans = plan.vlans.map(
    ({ id, ipv4, ipv6 }) => `VLAN ${id}: ${part("IPv4", ipv4)}, ${part("IPv6", ipv6)}`,
  );
  return [
    `${plan.interface}: ${part("IPv4", plan.ipv4)}`,
    part("IPv6", plan.ipv6),
    ...(plan.dns.length > 0 ? [`DNS ${plan.dns.join(" ")}`] : []),
    ...(plan.ntp.length > 0 ? [`NTP ${plan.ntp.join(" ")}`] : []),
    ...vlans,
  ].join(", ");
}

function boxText({ name, timeZone }: BoxChange): string {
  return [name === null ? "" : `name ${name}`, timeZone === null ? "" : `time zone ${timeZone}`]
    .filter((text) => text !== "")
    .join(", ");
}
