import type { NvrdError } from "../../../../src/base/value/errors.js";
import type { NetworkControl, NetworkUser, NetworkView } from "../../../../src/box/network/network.js";

type Plan = Parameters<NetworkControl["begin"]>[0];

export const TRIAL_TOKEN = "t".repeat(43);

/** A box with one port; notes what it is asked for. */
export class MemoryNetwork implements NetworkControl {
  readonly asked: unknown[] = [];
  /** What the next request is refused with. */
  refusal: NvrdError | undefined;
  hosts: readonly string[] = [];
  #trial: NetworkView["trial"];

  async view(): Promise<NetworkView> {
    return {
      name: "nvrd-1",
      timeZone: "Europe/Berlin",
      interfaces: [
        {
          ...{ name: "eth0", kind: "ethernet", mac: "02:00:00:00:00:01" },
          ...{ hasLink: true, speedMbps: 1000, isFullDuplex: true },
          addresses: [{ address: "192.168.1.5/24", origin: "dhcp" }],
          ...{ gateways: ["192.168.1.1"], dns: ["192.168.1.1"], ntp: [] },
          ...{ file: "/usr/lib/systemd/network/80-nvrd.network", plan: undefined },
          ...{ manager: "networkd", refusal: undefined },
        },
        {
          ...{ name: "eth1", kind: "ethernet", mac: "02:00:00:00:00:02" },
          ...{ hasLink: false, speedMbps: undefined, isFullDuplex: undefined },
          ...{ addresses: [], gateways: [], dns: [], ntp: [], file: undefined, plan: undefined },
          ...{ manager: "ifupdown", refusal: "ifupdown configures eth1" },
        },
      ],
      trial: this.#trial,
      last: undefined,
      refusal: undefined,
    };
  }

  async begin(plan: Plan, by: NetworkUser): Promise<string> {
    this.#note({ begin: plan, by });
    this.#trial = { plan, remainingS: 90, addresses: ["192.168.1.20"] };
    return TRIAL_TOKEN;
  }

  async confirm(token: string, localAddresses: readonly string[], asked: string | undefined): Promise<void> {
    this.#note({ confirm: token, localAddresses, asked });
    this.#trial = undefined;
  }

  async end(by: NetworkUser): Promise<void> {
    this.#note({ end: true, by });
    this.#trial = undefined;
  }

  async setBox(change: Parameters<NetworkControl["setBox"]>[0], by: NetworkUser): Promise<void> {
    this.#note({ box: change, by });
  }

  async announce(): Promise<void> {
    this.#note({ announce: true });
  }

  trialHosts(): readonly string[] {
    return this.hosts;
  }

  #note(what: unknown): void {
    this.asked.push(what);
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal !== undefined) throw refusal;
  }
}
