import { describe, expect, it } from "vitest";
import { checkedPlan, type NetworkPlan, networkdFiles } from "../../../src/box/network/index.js";

const PLAN: NetworkPlan = {
  interface: "eth0",
  ipv4: { method: "dhcp" },
  ipv6: { method: "automatic" },
  dns: [],
  ntp: [],
  vlans: [],
};
const fixed = (address: string, gateway: string | null = null) =>
  ({ method: "fixed", address, gateway }) as const;

describe("a plan", () => {
  it.each([
    ["no length of the network", { ipv4: fixed("192.168.1.20") }, /IPv4\.Address: write an address with/],
    [
      "the address of the network itself",
      { ipv4: fixed("192.168.1.0/24") },
      /not an address that a machine can have/,
    ],
    ["the broadcast address", { ipv4: fixed("192.168.1.255/24") }, /not an address that a machine can have/],
    ["a loopback address", { ipv4: fixed("127.0.0.1/8") }, /not an address that a machine can have/],
    ["a multicast address", { ipv4: fixed("224.0.0.9/24") }, /not an address that a machine can have/],
    ["an IPv6 address as IPv4", { ipv4: fixed("fd00::1/64") }, /IPv4\.Address/],
    ["an octal number", { ipv4: fixed("192.168.01.20/24") }, /IPv4\.Address/],
    ["itself as its gateway", { ipv4: fixed("192.168.1.1/24", "192.168.1.1") }, /its own gateway/],
    [
      "a gateway elsewhere",
      { ipv4: fixed("192.168.1.2/24", "192.168.2.1") },
      /not in the network of 192\.168\.1\.2\/24/,
    ],
    ["a name as name server", { dns: ["dns.example"] }, /not the address of a name server/],
    [
      "a VLAN in the same network",
      {
        ipv4: fixed("10.0.0.2/24"),
        vlans: [{ id: 5, ipv4: fixed("10.0.0.3/24"), ipv6: { method: "linkLocal" } }],
      },
      /same network/,
    ],
    [
      "a VLAN twice",
      {
        vlans: [5, 5].map((id) => ({ id, ipv4: { method: "dhcp" }, ipv6: { method: "linkLocal" } }) as const),
      },
      /VLAN 5 is named twice/,
    ],
  ] satisfies readonly (readonly [string, Partial<NetworkPlan>, RegExp])[])(
    "with %s is refused",
    (_, part, reason) => {
      expect(() => checkedPlan({ ...PLAN, ...part })).toThrow(reason);
    },
  );

  it("may have a link-local IPv6 gateway, and an address without a way out", () => {
    const plan = checkedPlan({ ...PLAN, ipv4: fixed("10.0.0.2/30"), ipv6: fixed("FD00:0::2/64", "fe80::1") });
    expect([plan.ipv4, plan.ipv6]).toEqual([fixed("10.0.0.2/30"), fixed("fd00::2/64", "fe80::1")]);
  });
});

function textOf(plan: Partial<NetworkPlan>): Record<string, string> {
  const files = networkdFiles({ ...PLAN, ...plan }, "00-nvrd-used-");
  return Object.fromEntries(files.map(({ name, text }) => [name, text]));
}

describe("the files of networkd", () => {
  it("for DHCP keep the lease while the server is away", () => {
    const text = textOf({})["00-nvrd-used-eth0.network"];
    expect(text).toMatch(/^\[Match\]\nName=eth0\n/m);
    expect(text).toMatch(/^DHCP=yes\n/m);
    expect(text).toMatch(/^SendRelease=no\n/m);
  });

  it("for a fixed address keep the link-local one, by which the box is found whatever is wrong", () => {
    const text = textOf({ ipv4: fixed("10.0.0.2/24", "10.0.0.1"), ipv6: { method: "linkLocal" } })[
      "00-nvrd-used-eth0.network"
    ];
    expect(text).toMatch(
      /^DHCP=no\nLinkLocalAddressing=ipv6\nIPv6AcceptRA=no\nMulticastDNS=yes\nAddress=10\.0\.0\.2\/24\nGateway=10\.0\.0\.1\n/m,
    );
    expect(text).not.toContain("DHCPv4");
  });

  it("with servers of the owner do not use those of DHCP", () => {
    const text = textOf({ dns: ["9.9.9.9"], ntp: ["pool.ntp.org"] })["00-nvrd-used-eth0.network"];
    expect(text).toMatch(/^DNS=9\.9\.9\.9\nNTP=pool\.ntp\.org\n/m);
    expect(text).toMatch(/^UseDNS=no\nUseNTP=no\n/m);
  });

  it("for a VLAN make it, and name it at its port", () => {
    const files = textOf({ vlans: [{ id: 20, ipv4: fixed("10.20.0.2/24"), ipv6: { method: "linkLocal" } }] });
    expect(Object.keys(files)).toEqual([
      "00-nvrd-used-eth0.network",
      "00-nvrd-used-eth0.20.netdev",
      "00-nvrd-used-eth0.20.network",
    ]);
    expect(files["00-nvrd-used-eth0.network"]).toMatch(/^VLAN=eth0\.20\n/m);
    expect(files["00-nvrd-used-eth0.20.netdev"]).toMatch(
      /\[NetDev\]\nName=eth0\.20\nKind=vlan\n\n\[VLAN\]\nId=20\n/,
    );
    expect(files["00-nvrd-used-eth0.20.network"]).toMatch(/^Address=10\.20\.0\.2\/24\n/m);
  });
});
