// Own process: it starts a system with namespaces of its own.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { found, OTHER_ROUTER, ROUTER, TAKEN } from "../../support/network/lan.js";
import { NetworkBox } from "../../support/network/network-box.js";
import { fixed, NetworkChanges } from "../../support/network/network-changes.js";

/** `npm run torture -- network` asks for 50. */
const CHANGES = Number(process.env.NVRD_TEST_NETWORK_CHANGES ?? "0");
const SEED = Number(process.env.NVRD_TEST_SEED ?? "7");
const TEST_TIMEOUT_MS = 600_000;
/** Of trials that are to end by themselves, and that a slow machine can confirm; until a timer of systemd has fired. */
const PACE = { shortSeconds: 8, longSeconds: 60, endMs: 90_000 };

const missing = NetworkBox.missing();

describe.skipIf(missing !== undefined)(`a box on a network${notHere(missing)}`, () => {
  let box: NetworkBox;
  let changes: NetworkChanges;

  beforeAll(async () => {
    box = await NetworkBox.start();
    const home = await box.leased();
    await box.reached(home);
    changes = new NetworkChanges(box, home, PACE);
  }, TEST_TIMEOUT_MS);

  afterAll(async () => {
    await box?.stop();
  });

  it("keeps a fixed address that was confirmed over it, also after a restart", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    await changes.move("10.77.0.21", { IPv4: fixed("10.77.0.21/24", ROUTER) });
    await box.powerOff();
    await box.powerOn();
    await box.reached("10.77.0.21");
    const { json } = await box.lan.ask(changes.home, "GET", "/api/network");
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
    const { status, json } = await box.lan.ask(changes.home, "PUT", "/api/network", {
      body: { Interface: "eth0", IPv4 },
    });
    expect([409, 400]).toContain(status);
    expect(json.ErrorMessage).toMatch(reason);
    expect((await box.lan.ask(changes.home, "GET", "/api/network")).json.Trial).toBeNull();
  });

  it("does not take a confirmation that comes over another address", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const token = await changes.begin({ IPv4: fixed("10.78.0.22/24", OTHER_ROUTER) });
    await box.reached("10.78.0.22");
    const said = await box.shell(
      `curl -sS --data '{"Token":"${token}"}' http://127.0.0.1:8080/api/network/confirm`,
    );
    expect(said).toContain("did not come over the new address 10.78.0.22");
    const { status } = await box.lan.ask("10.78.0.22", "DELETE", "/api/network/trial");
    // The answer may be lost with the address that it is sent from.
    expect([200, 0]).toContain(status);
    await changes.isBack();
  });

  it("ends a trial that has not taken effect yet", { timeout: TEST_TIMEOUT_MS }, async () => {
    await changes.begin({ IPv4: fixed("10.77.0.41/24", ROUTER) });
    const { status, json } = await box.lan.ask(changes.home, "DELETE", "/api/network/trial");
    expect([status, json.ErrorMessage]).toEqual([200, undefined]);
    await changes.isBack();
  });

  it("goes back by itself when nvrd and its keeper are killed", { timeout: TEST_TIMEOUT_MS }, async () => {
    await changes.beginShort(fixed("10.99.0.5/24"));
    await box.shell("systemctl kill -s KILL nvrd 'nvrd-network-keeper@*'");
    await changes.isBack();
  });

  it("is where it was after a power cut during a trial", { timeout: TEST_TIMEOUT_MS }, async () => {
    await changes.beginShort(fixed("10.99.0.6/24"));
    await found("the new address", async () =>
      (await box.addresses()).includes("10.99.0.6") ? true : undefined,
    );
    await box.powerOff();
    await box.powerOn();
    await changes.isBack();
  });

  it("is restarted by the page's button where the image has what does it, and a trial ends with that", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    expect((await box.lan.ask(changes.home, "GET", "/api/system/restart")).json).toMatchObject({
      Box: false,
    });
    await box.addRestart();
    await changes.reached();
    expect((await box.lan.ask(changes.home, "GET", "/api/system/restart")).json).toMatchObject({ Box: true });
    await changes.begin({ IPv4: fixed("10.77.0.31/24", ROUTER) });
    await box.reached("10.77.0.31");
    const asked = await box.lan.ask("10.77.0.31", "POST", "/api/system/restart", { body: { What: "Box" } });
    expect(asked.status).toBe(202);
    await box.restarted();
    await changes.isBack();
    expect(await box.shell("ls /var/lib/nvrd/update")).not.toContain("reboot-requested");
  });

  it("leaves an interface alone that another program configures", async () => {
    await box.shell(
      "mkdir -p /etc/network && printf 'auto eth0\\niface eth0 inet dhcp\\n' >/etc/network/interfaces",
    );
    const { json } = await box.lan.ask(changes.home, "GET", "/api/network");
    expect(json).toMatchObject({ Interfaces: [{ ConfiguredBy: "ifupdown", CanChange: false }] });
    const { status } = await box.lan.ask(changes.home, "PUT", "/api/network", {
      body: { Interface: "eth0", IPv4: { Method: "Dhcp" } },
    });
    expect(status).toBe(409);
    await box.shell("rm /etc/network/interfaces");
  });

  it.skipIf(CHANGES === 0)(
    `is to be found after each of ${CHANGES} changes${notHere(CHANGES === 0 ? "npm run torture -- network" : undefined)}`,
    { timeout: 3_600_000 },
    async () => {
      await changes.makeMany(CHANGES, new SeededRandom(SEED));
    },
  );
});
