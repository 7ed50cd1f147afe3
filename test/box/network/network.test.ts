import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import {
  Network,
  type NetworkAct,
  type NetworkPlan,
  newAddresses,
  readInterfaces,
} from "../../../src/box/network/index.js";
import { SystemFiles } from "../../../src/health/index.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const PLAN: NetworkPlan = {
  interface: "eth0",
  ipv4: { method: "fixed", address: "192.168.1.20/24", gateway: null },
  ipv6: { method: "automatic" },
  dns: [],
  ntp: [],
  vlans: [],
};
const USER = { id: "1", name: "root" };
const ADDRESSES = {
  eth0: [
    { address: "192.168.1.5", cidr: "192.168.1.5/24", family: "IPv4", internal: false, mac: "", netmask: "" },
    {
      address: "fe80::1",
      cidr: "fe80::1/64",
      family: "IPv6",
      internal: false,
      mac: "",
      netmask: "",
      scopeid: 2,
    },
  ],
} as const;

let directory: TemporaryDirectory;
beforeEach(() => {
  directory = new TemporaryDirectory("network");
  write("sys/class/net/eth0/type", "1\n");
  write("sys/class/net/eth0/ifindex", "2\n");
  write("sys/class/net/eth0/carrier", "1\n");
  write("sys/class/net/eth0/speed", "1000\n");
  write("run/systemd/netif/state", "OPER_STATE=routable\n");
  write(
    "run/systemd/netif/links/2",
    "ADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/10-a.network\nDNS=192.168.1.1 9.9.9.9\n",
  );
  write("run/systemd/netif/leases/2", "ADDRESS=192.168.1.5\n");
  write("proc/net/route", "Iface\tDestination\tGateway \tFlags\neth0\t00000000\t0101A8C0\t0003\n");
});
afterEach(() => directory.remove());

function write(name: string, text: string): void {
  const file = directory.join(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const files = () => new SystemFiles(directory.path);

describe("an interface", () => {
  it("is shown as it is", async () => {
    expect(await readInterfaces(files(), ADDRESSES)).toMatchObject([
      {
        ...{ name: "eth0", manager: "networkd", refusal: undefined, hasLink: true, speedMbps: 1000 },
        addresses: [
          { address: "192.168.1.5/24", origin: "dhcp" },
          { address: "fe80::1/64", origin: "linkLocal" },
        ],
        ...{ gateways: ["192.168.1.1"], dns: ["192.168.1.1", "9.9.9.9"] },
      },
    ]);
  });

  it("is not shown where the kernel has made it and nobody has switched it on", async () => {
    const shown = async () => (await readInterfaces(files(), ADDRESSES)).map(({ name }) => name);
    write("sys/class/net/ifb0/type", "1\n");
    write("sys/class/net/ifb0/flags", "0x82\n");
    expect(await shown()).toEqual(["eth0"]);
    write("sys/class/net/ifb0/flags", "0x83\n");
    expect(await shown()).toEqual(["eth0", "ifb0"]);
  });

  it("is shown where it is a port without a cable that is switched off", async () => {
    write("sys/class/net/eth1/type", "1\n");
    write("sys/class/net/eth1/flags", "0x1002\n");
    write("sys/class/net/eth1/device/uevent", "DRIVER=e1000e\n");
    expect((await readInterfaces(files(), ADDRESSES)).map(({ name }) => name)).toEqual(["eth0", "eth1"]);
  });

  it.each([
    ["NetworkManager", "run/NetworkManager/devices/2", "[device]\nmanaged=true\n"],
    ["ifupdown", "etc/network/interfaces.d/lan", "auto eth0\niface eth0 inet dhcp\n"],
    ["netplan", "run/systemd/netif/links/2", "NETWORK_FILE=/run/systemd/network/10-netplan-eth0.network\n"],
  ])("is left to %s", async (manager, file, text) => {
    write(file, text);
    const [found] = await readInterfaces(files(), ADDRESSES);
    expect(found).toMatchObject({ manager, refusal: expect.stringContaining(manager) });
  });

  it("cannot be changed where networkd does not run", async () => {
    rmSync(directory.join("run/systemd"), { recursive: true });
    const [found] = await readInterfaces(files(), ADDRESSES);
    expect(found?.refusal).toMatch(/systemctl enable --now systemd-networkd/);
  });
});

describe("the addresses of a trial", () => {
  const at = async () => await readInterfaces(files(), ADDRESSES);
  it.each([
    ["of a fixed address are that", PLAN, null, ["192.168.1.20"]],
    ["of DHCP are the lease", { ...PLAN, ipv4: { method: "dhcp" } }, null, ["192.168.1.5"]],
    [
      "without IPv4 are those of IPv6",
      { ...PLAN, ipv4: { method: "off" }, ipv6: { method: "linkLocal" } },
      null,
      ["fe80::1"],
    ],
    [
      "where IPv4 stays are of both kinds",
      { ...PLAN, ipv6: { method: "linkLocal" } },
      PLAN,
      ["192.168.1.20", "fe80::1"],
    ],
  ] satisfies readonly (readonly [string, NetworkPlan, NetworkPlan | null, readonly string[]])[])(
    "%s",
    async (_, plan, before, wanted) => {
      expect(newAddresses({ plan, before }, await at())).toEqual(wanted);
    },
  );
});

describe("a trial", () => {
  const acts: NetworkAct[] = [];
  const orders: string[] = [];
  let network: Network;

  beforeEach(() => {
    acts.length = 0;
    orders.length = 0;
    network = newNetwork("::");
  });
  afterEach(() => network.stop());

  function newNetwork(listen: string): Network {
    return new Network({
      files: files(),
      // As the network keeper leaves its files.
      keeper: async (order) => {
        orders.push(order.action);
        const file = (name: string) => directory.join("run/nvrd-network", name);
        if (order.action === "try")
          write(
            "run/nvrd-network/trial.json",
            JSON.stringify({
              id: order.id,
              plan: order.plan,
              before: null,
              isApplied: true,
              endsUptimeS: 90,
            }),
          );
        if (order.action === "confirm") write("run/nvrd-network/confirmed.json", trialText());
        if (order.action === "end") write("run/nvrd-network/expired.json", trialText());
        if (order.action !== "try") rmSync(file("trial.json"));
      },
      keeperSocket: join(directory.path, "none"),
      listen,
      clock: new SystemClock(),
      log: createLog({ level: "silent" }),
      onAct: (act) => acts.push(act),
    });
  }

  let token = "";
  const trialText = (): string =>
    JSON.stringify({
      ...{
        id: createHash("sha256").update(token).digest("hex"),
        plan: PLAN,
        before: null,
        isApplied: true,
        endsUptimeS: 90,
      },
    });

  it("is confirmed by its token over its address alone", async () => {
    token = await network.begin(PLAN, USER);
    expect(network.trialHosts()).toContain("192.168.1.20");
    const wrong = { code: "CONFLICT" };
    await expect(network.confirm(token, ["192.168.1.20"], undefined)).rejects.toThrow(
      /have not taken effect yet/,
    );
    write("run/nvrd-network/applied", createHash("sha256").update(token).digest("hex"));
    await expect(network.confirm("x".repeat(43), ["192.168.1.20"], undefined)).rejects.toMatchObject(wrong);
    await expect(network.confirm(token, ["192.168.1.5"], undefined)).rejects.toMatchObject(wrong);
    await expect(
      network.confirm(token, ["192.168.1.5", "192.168.1.20"], "192.168.1.5"),
    ).rejects.toMatchObject(wrong);
    await network.confirm(token, ["192.168.1.20"], "192.168.1.20");
    await network.confirm(token, [], undefined);
    expect(orders).toEqual(["try", "confirm"]);
    expect(acts.map(({ kind, by }) => [kind, by?.name])).toEqual([
      ["trial", "root"],
      ["confirmed", undefined],
    ]);
    expect(network.trialHosts()).toEqual([]);
  });

  it("to DHCP is not confirmed before there is a lease, and its client is told to ask again", async () => {
    const plan = { ...PLAN, ipv4: { method: "dhcp" as const } };
    write("run/systemd/netif/leases/2", "");
    token = await network.begin(plan, USER);
    write("run/nvrd-network/applied", createHash("sha256").update(token).digest("hex"));
    const early = network.confirm(token, ["192.168.1.5"], undefined);
    await expect(early).rejects.toThrow(/have not taken effect yet/);
    expect(orders).toEqual(["try"]);
  });

  it("to IPv6 alone is refused where the service listens on IPv4 alone", async () => {
    const plan = { ...PLAN, ipv4: { method: "off" as const } };
    network = newNetwork("0.0.0.0");
    await expect(network.begin(plan, USER)).rejects.toMatchObject({
      code: "CONFLICT",
      hint: expect.stringContaining("listen"),
    });
    expect(orders).toEqual([]);
    network = newNetwork("::");
    await network.begin(plan, USER);
    expect(orders).toEqual(["try"]);
  });

  it("that somebody ends is reported as going back", async () => {
    token = await network.begin(PLAN, USER);
    await network.end(USER);
    expect(acts.map(({ kind }) => kind)).toEqual(["trial", "back"]);
    expect((await network.view()).last).toMatchObject({ interface: "eth0", isConfirmed: false });
  });
});
