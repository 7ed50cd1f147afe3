// Own process: it starts a system with namespaces of its own.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { SeededRandom } from "../support/base/seeded-random.js";
import { NetworkBox, OTHER_ROUTER, ROUTER, TAKEN } from "../support/network/network-box.js";
import { pause } from "../support/service/service.js";

/** `npm run torture -- network` asks for 50. */
const CHANGES = Number(process.env.NVRD_TEST_NETWORK_CHANGES ?? "0");
const SEED = Number(process.env.NVRD_TEST_SEED ?? "7");
const TEST_TIMEOUT_MS = 600_000;
const APPLY_MS = 4000;
/** A trial that is to end by itself, and one that a slow machine can confirm. */
const SHORT_SECONDS = 8;
const LONG_SECONDS = 60;
/** Until a timer of systemd has fired and networkd has taken the former files. */
const END_MS = 90_000;

const missing = NetworkBox.missing();

describe.skipIf(missing !== undefined)(`a box on a network${notHere(missing)}`, () => {
  let box: NetworkBox;
  /** Where the box is to be found now. */
  let home = "";

  beforeAll(async () => {
    box = await NetworkBox.start();
    home = await box.leased();
    await box.reached(home);
  }, TEST_TIMEOUT_MS);

  afterAll(async () => {
    await box?.stop();
  });

  /** Begins a trial that ends by itself soon. */
  async function beginShort(IPv4: unknown): Promise<void> {
    await box.setTrialSeconds(SHORT_SECONDS);
    await begun(IPv4, {});
  }

  /** Begins a trial; resolves with its token. */
  async function begin(IPv4: unknown, more: Record<string, unknown> = {}): Promise<string> {
    await box.setTrialSeconds(LONG_SECONDS);
    return await begun(IPv4, more);
  }

  async function begun(IPv4: unknown, more: Record<string, unknown>): Promise<string> {
    const { status, json } = await box.ask(home, "PUT", "/api/network", { Interface: "eth0", IPv4, ...more });
    expect([status, json]).toEqual([202, expect.objectContaining({ Token: expect.any(String) })]);
    return String(json.Token);
  }

  async function confirm(address: string, token: string): Promise<void> {
    await box.reached(address);
    await until(async () => {
      const { status, json } = await box.ask(
        address,
        "POST",
        "/api/network/confirm",
        { Token: token },
        false,
      );
      if (status === 409 && /not taken effect yet/.test(String(json.ErrorMessage))) return undefined;
      const journal = status === 200 ? "" : await box.networkJournal();
      expect([status, json], journal).toEqual([200, { IsConfirmed: true }]);
      return true;
    });
    home = address;
  }

  /** The box is back where it was, and says so. */
  async function isBack(): Promise<void> {
    try {
      await until(async () => ((await box.addresses()).includes(home) ? home : undefined), END_MS);
      await box.reached(home);
      await until(async () => {
        const { json } = await box.ask(home, "GET", "/api/network");
        return json.Trial === null ? true : undefined;
      }, END_MS);
    } catch (error) {
      throw new Error(`the box is not back at ${home}:\n${await box.networkJournal()}`, { cause: error });
    }
  }

  const fixed = (Address: string, Gateway: string | null = null) => ({ Method: "Fixed", Address, Gateway });

  it("keeps a fixed address that was confirmed over it, also after a restart", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const token = await begin(fixed("10.77.0.21/24", ROUTER));
    await confirm("10.77.0.21", token);
    await box.powerOff();
    await box.powerOn();
    await box.reached("10.77.0.21");
    const { json } = await box.ask(home, "GET", "/api/network");
    expect(json).toMatchObject({
      Trial: null,
      Interfaces: [
        { Name: "eth0", ConfiguredBy: "networkd", Settings: { IPv4: fixed("10.77.0.21/24", ROUTER) } },
      ],
    });
  });

  it.each([
    [
      "an address that another machine has",
      fixed(`${TAKEN}/24`),
      /another machine on this network has the address/,
    ],
    [
      "a gateway that does not answer",
      fixed("10.77.0.22/24", "10.77.0.99"),
      /no router answers at 10\.77\.0\.99/,
    ],
    ["a gateway of another network", fixed("10.77.0.22/24", OTHER_ROUTER), /is not in the network of/],
  ])("refuses %s", async (_, IPv4, reason) => {
    const { status, json } = await box.ask(home, "PUT", "/api/network", { Interface: "eth0", IPv4 });
    expect([409, 400]).toContain(status);
    expect(json.ErrorMessage).toMatch(reason);
    expect((await box.ask(home, "GET", "/api/network")).json.Trial).toBeNull();
  });

  it("does not take a confirmation that comes over another address", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const token = await begin(fixed("10.78.0.22/24", OTHER_ROUTER));
    await box.reached("10.78.0.22");
    const said = await box.shell(
      `curl -sS --data '{"Token":"${token}"}' http://127.0.0.1:8080/api/network/confirm`,
    );
    expect(said).toContain("did not come over the new address 10.78.0.22");
    const { status } = await box.ask("10.78.0.22", "DELETE", "/api/network/trial");
    // The answer may be lost with the address that it is sent from.
    expect([200, 0]).toContain(status);
    await isBack();
  });

  it("goes back by itself when nvrd and its keeper are killed", { timeout: TEST_TIMEOUT_MS }, async () => {
    await beginShort(fixed("10.99.0.5/24"));
    await box.shell("systemctl kill -s KILL nvrd 'nvrd-network-keeper@*'");
    await isBack();
  });

  it("is where it was after a power cut during a trial", { timeout: TEST_TIMEOUT_MS }, async () => {
    await beginShort(fixed("10.99.0.6/24"));
    await until(async () => ((await box.addresses()).includes("10.99.0.6") ? true : undefined));
    await box.powerOff();
    await box.powerOn();
    await isBack();
  });

  it("is restarted by the page's button where the image has what does it, and a trial ends with that", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    expect((await box.ask(home, "GET", "/api/system/restart")).json).toMatchObject({ Box: false });
    await box.addRestart();
    await box.reached(home);
    expect((await box.ask(home, "GET", "/api/system/restart")).json).toMatchObject({ Box: true });
    await begin(fixed("10.77.0.31/24", ROUTER));
    await box.reached("10.77.0.31");
    const asked = await box.ask("10.77.0.31", "POST", "/api/system/restart", { What: "Box" });
    expect(asked.status).toBe(202);
    await box.restarted();
    await isBack();
    expect(await box.shell("ls /var/lib/nvrd/update")).not.toContain("reboot-requested");
  });

  it("leaves an interface alone that another program configures", async () => {
    await box.shell(
      "mkdir -p /etc/network && printf 'auto eth0\\niface eth0 inet dhcp\\n' >/etc/network/interfaces",
    );
    const { json } = await box.ask(home, "GET", "/api/network");
    expect(json).toMatchObject({ Interfaces: [{ ConfiguredBy: "ifupdown", CanChange: false }] });
    const { status } = await box.ask(home, "PUT", "/api/network", {
      Interface: "eth0",
      IPv4: { Method: "Dhcp" },
    });
    expect(status).toBe(409);
    await box.shell("rm /etc/network/interfaces");
  });

  /** One change with what goes wrong in it; afterwards the box is to be found at `home`. */
  const KINDS: Readonly<Record<string, (number: number) => Promise<void>>> = {
    "another address": async (number) => {
      const address = `10.7${7 + (number % 2)}.0.${150 + (number % 50)}`;
      await confirm(address, await begin(fixed(`${address}/24`, number % 2 === 0 ? ROUTER : OTHER_ROUTER)));
    },
    DHCP: async () => {
      const token = await begin({ Method: "Dhcp" });
      await pause(APPLY_MS);
      await confirm(await box.leased(), token);
    },
    "name servers only": async () => {
      const token = await begin(undefined, { Dns: ["192.0.2.53"] });
      await confirm(home, token);
    },
    "a wrong network": async (number) => {
      await beginShort(fixed(`10.99.0.${number + 1}/24`));
      await isBack();
    },
    "a network too small": async (number) => {
      await beginShort(fixed(`172.31.9.${(number % 200) + 1}/32`));
      await isBack();
    },
    "nvrd killed": async (number) => {
      await beginShort(fixed(`10.99.1.${number + 1}/24`));
      await pause(number * 130);
      await box.shell("systemctl kill -s KILL nvrd");
      await isBack();
    },
    "the keeper killed": async (number) => {
      await beginShort(fixed(`10.99.2.${number + 1}/24`));
      await pause(number * 110);
      await box.shell("systemctl kill -s KILL 'nvrd-network-keeper@*'");
      await isBack();
    },
    "the keeper killed while it confirms": async (number) => {
      const address = `10.78.0.${50 + (number % 50)}`;
      const token = await begin(fixed(`${address}/24`));
      await box.reached(address);
      const endsAt = performance.now() + LONG_SECONDS * 1000;
      const confirming = box.ask(address, "POST", "/api/network/confirm", { Token: token }, false);
      await pause(700 + number * 30);
      await box.shell("systemctl kill -s KILL 'nvrd-network-keeper@*'");
      await confirming;
      await pause(Math.max(0, endsAt - performance.now()));
      // Either is right: it was confirmed, or it was not.
      const [now = ""] = await box.addresses();
      expect([home, address]).toContain(now);
      home = now;
      await isBack();
    },
    "networkd killed": async (number) => {
      await beginShort(fixed(`10.99.3.${number + 1}/24`));
      await pause(APPLY_MS + 500);
      await box.shell("systemctl kill -s KILL systemd-networkd");
      await isBack();
    },
    "a power cut": async (number) => {
      await beginShort(fixed(`10.99.4.${number + 1}/24`));
      await pause(number * 150);
      await box.powerOff();
      await box.powerOn();
      await isBack();
    },
  };

  it.skipIf(CHANGES === 0)(
    `is to be found after each of ${CHANGES} changes${notHere(CHANGES === 0 ? "npm run torture -- network" : undefined)}`,
    { timeout: 3_600_000 },
    async () => {
      const random = new SeededRandom(SEED);
      const names = Object.keys(KINDS);
      for (let number = 0; number < CHANGES; number++) {
        const name = names[number < names.length ? number : random.below(names.length)] ?? "";
        const beganMs = performance.now();
        await KINDS[name]?.(number);
        await box.reached(home);
        const tookS = Math.round((performance.now() - beganMs) / 1000);
        console.log(`${number + 1}: ${name}, now at ${home}, ${tookS} s`);
      }
    },
  );
});

async function until<T>(find: () => Promise<T | undefined>, patienceMs = 90_000): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs / 1000} s: ${find}`);
    await pause(300);
  }
}
