import { expect } from "vitest";
import type { SeededRandom } from "../base/seeded-random.js";
import { pause } from "../service/service.js";
import { found, type Lan, OTHER_ROUTER, ROUTER, ROUTER_6, TAKEN } from "./lan.js";

/** The network keeper takes so long before it changes anything. */
const APPLY_MS = 4000;
const UNPLUGGED_MS = 6000;

/** A box whose network is changed: in namespaces, or in an emulator. */
export interface TrialBox {
  readonly lan: Lan;
  /** Name of its port on that network. */
  readonly interface: string;
  /** Ends it as a power cut does. */
  powerOff(): Promise<void>;
  powerOn(): Promise<void>;
  /** Runs a command in the box as root; resolves with its output, whatever its status. */
  shell(command: string): Promise<string>;
  /** Pulls the cable out of the box, or plugs it in. */
  setCable(isPlugged: boolean): Promise<void>;
  /** How long trials last that begin from now on. */
  setTrialSeconds(seconds: number): Promise<void>;
  /** An address of the DHCP server's range, once it has one. */
  leased(): Promise<string>;
  /** What those who change the network said last, and what it is like now. */
  networkJournal(): Promise<string>;
}

/** How long things take in a box. */
export interface Pace {
  /** Of a trial that is to end by itself, and of one that the box can confirm. */
  readonly shortSeconds: number;
  readonly longSeconds: number;
  /** From the end of a trial until the box is back. */
  readonly endMs: number;
}

type Ipv4 = { readonly Method: "Dhcp" } | ReturnType<typeof fixed>;

/** A fixed address as the API takes it. */
export function fixed(Address: string, Gateway: string | null = null) {
  return { Method: "Fixed", Address, Gateway } as const;
}

/** Changes of a box's network over its API, by someone who knows where it is to be found. */
export class NetworkChanges {
  readonly #box: TrialBox;
  readonly #pace: Pace;
  /** Where the box is to be found now. */
  home: string;

  constructor(box: TrialBox, home: string, pace: Pace) {
    this.#box = box;
    this.home = home;
    this.#pace = pace;
  }

  /** Resolves when the box answers at the address. */
  async reached(address = this.home): Promise<void> {
    const isThere = async () => ((await this.#box.lan.isReached(address)) ? true : undefined);
    await found(`the box at ${address}`, isThere, this.#pace.endMs);
  }

  /** Begins a trial that ends by itself soon. */
  async beginShort(IPv4: Ipv4): Promise<void> {
    await this.#box.setTrialSeconds(this.#pace.shortSeconds);
    await this.begun({ IPv4 });
  }

  /** Begins a trial; resolves with its token. */
  async begin(settings: Readonly<Record<string, unknown>>): Promise<string> {
    await this.#box.setTrialSeconds(this.#pace.longSeconds);
    return await this.begun(settings);
  }

  /** Begins a trial as long as the box has them; resolves with its token. */
  async begun(settings: Readonly<Record<string, unknown>>): Promise<string> {
    const { status, json } = await this.#put(settings);
    expect([status, json]).toEqual([202, expect.objectContaining({ Token: expect.any(String) })]);
    return String(json.Token);
  }

  async #put(settings: Readonly<Record<string, unknown>>) {
    const body = { Interface: this.#box.interface, ...settings };
    return await this.#box.lan.ask(this.home, "PUT", "/api/network", { body });
  }

  /** Resolves when the box has taken the confirmation over the address. */
  async confirm(address: string, Token: string): Promise<void> {
    await this.reached(address);
    const said: string[] = [];
    await found("the confirmation", async () => {
      const { status, json } = await this.#confirmation(address, Token);
      said.push(`${status} ${JSON.stringify(json)}`);
      // No answer in time, or of a box whose keeper is busy: a slow machine may still confirm it.
      if (status === 0 || status === 503) return undefined;
      if (status === 409 && /not taken effect yet/.test(String(json.ErrorMessage))) return undefined;
      const journal = status === 200 ? "" : `${said.join("\n")}\n${await this.#box.networkJournal()}`;
      expect([status, json], journal).toEqual([200, { IsConfirmed: true }]);
      return true;
    });
  }

  async #confirmation(address: string, Token: string) {
    const path = "/api/network/confirm";
    return await this.#box.lan.ask(address, "POST", path, { body: { Token }, password: undefined });
  }

  /** Makes a change and confirms it over `address`, where the box is to be found from then on. */
  async move(address: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.confirm(address, await this.begin(settings));
    this.home = address;
  }

  /** The box is back where it was, and says that no trial runs. */
  async isBack(): Promise<void> {
    await this.#isAtOneOf([this.home]);
  }

  /** Resolves with the address at which the box says that no trial runs. */
  async #isAtOneOf(addresses: readonly string[]): Promise<string> {
    try {
      return await found(
        `the box without a trial at ${addresses.join(" or ")}`,
        async () => {
          for (const address of addresses) {
            const { status, json } = await this.#box.lan.ask(address, "GET", "/api/network");
            if (status === 200 && json.Trial === null) return address;
          }
          return undefined;
        },
        this.#pace.endMs,
      );
    } catch (error) {
      throw new Error(`the box is lost:\n${await this.#box.networkJournal()}`, { cause: error });
    }
  }

  /** Begins a change that fits nowhere, does something to the box after `waitMs`, and waits for the end of the trial. */
  async #disturbed(address: string, waitMs: number, disturb: () => Promise<unknown>): Promise<void> {
    await this.beginShort(fixed(address));
    await pause(waitMs);
    await disturb();
    await this.isBack();
  }

  async #kill(unit: string): Promise<void> {
    await this.#box.shell(`systemctl kill -s KILL '${unit}'`);
  }

  async #refused(settings: Readonly<Record<string, unknown>>, reason: RegExp): Promise<void> {
    const { status, json } = await this.#put(settings);
    expect([status, json.ErrorMessage]).toEqual([409, expect.stringMatching(reason)]);
    await this.isBack();
  }

  /** The keeper is killed while it confirms: either is right, that it was confirmed or that it was not. */
  async #killedWhileConfirming(number: number): Promise<void> {
    const address = `10.78.0.${50 + (number % 50)}`;
    const token = await this.begin({ IPv4: fixed(`${address}/24`) });
    await this.reached(address);
    const endsAt = performance.now() + this.#pace.longSeconds * 1000;
    const confirming = this.#confirmation(address, token);
    await pause(700 + number * 30);
    await this.#kill("nvrd-network-keeper@*");
    await confirming;
    await pause(Math.max(0, endsAt - performance.now()));
    this.home = await this.#isAtOneOf([this.home, address]);
  }

  /** One change of each kind with what goes wrong in it; afterwards the box is to be found at `home`. */
  readonly #kinds: Readonly<Record<string, (number: number) => Promise<void>>> = {
    "another address": async (number) => {
      const address = `10.7${7 + (number % 2)}.0.${150 + (number % 50)}`;
      await this.move(address, { IPv4: fixed(`${address}/24`, number % 2 === 0 ? ROUTER : OTHER_ROUTER) });
    },
    DHCP: async () => {
      const token = await this.begin({ IPv4: { Method: "Dhcp" } });
      await pause(APPLY_MS);
      this.home = await this.#box.leased();
      await this.confirm(this.home, token);
    },
    "name servers only": async () => await this.move(this.home, { Dns: ["192.0.2.53"] }),
    "an IPv6 address": async (number) => {
      const address = `fd77::${100 + number}`;
      await this.confirm(address, await this.begin({ IPv6: fixed(`${address}/64`, ROUTER_6) }));
      await this.reached(address);
    },
    "an address that another machine has": async () => {
      await this.#refused({ IPv4: fixed(`${TAKEN}/24`) }, /another machine on this network has the address/);
    },
    "a router that does not answer": async (number) => {
      const IPv4 = fixed(`10.77.0.${200 + (number % 50)}/24`, "10.77.0.99");
      await this.#refused({ IPv4 }, /no router answers at 10\.77\.0\.99/);
    },
    "a wrong network": async (number) => {
      await this.beginShort(fixed(`10.99.0.${number + 1}/24`));
      await this.isBack();
    },
    "a network too small": async (number) => {
      await this.beginShort(fixed(`172.31.9.${(number % 200) + 1}/32`));
      await this.isBack();
    },
    "a right address that nobody confirms": async (number) => {
      const address = `10.77.0.${200 + (number % 50)}`;
      await this.beginShort(fixed(`${address}/24`, ROUTER));
      await this.reached(address);
      await this.isBack();
    },
    "the cable pulled": async (number) =>
      await this.#disturbed(`10.99.5.${number + 1}/24`, number * 120, async () => {
        await this.#box.setCable(false);
        await pause(UNPLUGGED_MS);
        await this.#box.setCable(true);
      }),
    "nvrd killed": async (number) =>
      await this.#disturbed(`10.99.1.${number + 1}/24`, number * 130, () => this.#kill("nvrd")),
    "the keeper killed": async (number) =>
      await this.#disturbed(`10.99.2.${number + 1}/24`, number * 110, () =>
        this.#kill("nvrd-network-keeper@*"),
      ),
    "the keeper killed while it confirms": async (number) => await this.#killedWhileConfirming(number),
    "networkd killed": async (number) =>
      await this.#disturbed(`10.99.3.${number + 1}/24`, APPLY_MS + 500, () => this.#kill("systemd-networkd")),
    "a power cut": async (number) =>
      await this.#disturbed(`10.99.4.${number + 1}/24`, number * 150, async () => {
        await this.#box.powerOff();
        await this.#box.powerOn();
      }),
  };

  /** Makes so many changes, of each kind at first, then of any; after each the box has to be found. */
  async makeMany(count: number, random: SeededRandom): Promise<void> {
    const names = Object.keys(this.#kinds);
    for (let number = 0; number < count; number++) {
      const name = names[number < names.length ? number : random.below(names.length)] ?? "";
      const beganMs = performance.now();
      await this.#kinds[name]?.(number);
      await this.reached();
      const tookS = Math.round((performance.now() - beganMs) / 1000);
      console.log(`${number + 1}: ${name}, now at ${this.home}, ${tookS} s`);
    }
  }
}
