import type { Ipv4Plan, Ipv6Plan, NetworkPlan } from "./network-plan.js";
import { vlanName } from "./network-plan.js";

/* The files of systemd-networkd for a plan. */

/** Gone with a reboot; read before everything else. */
export const TRIAL_PREFIX = "00-nvrd-trial-";
/** What was confirmed: right after that, so that no other file comes between them. */
export const LASTING_PREFIX = "00-nvrd-used-";

export interface NetworkdFile {
  readonly name: string;
  readonly text: string;
}

const HEAD =
  "# Written by nvrd. PUT /api/network and the page change it; removing it gives the interface back.\n";

/** All files for an interface and its VLANs, named by the prefix. */
export function networkdFiles(plan: NetworkPlan, prefix: string): readonly NetworkdFile[] {
  const parent = file(`${prefix}${plan.interface}.network`, [
    ["Match", [["Name", plan.interface]]],
    ["Network", [...addressing(plan), ...servers(plan), ...plan.vlans.map(({ id }) => vlanLine(plan, id))]],
    ...dhcpSections(plan.ipv4, plan),
  ]);
  const vlans = plan.vlans.flatMap((vlan) => {
    const name = vlanName(plan.interface, vlan.id);
    return [
      file(`${prefix}${name}.netdev`, [
        [
          "NetDev",
          [
            ["Name", name],
            ["Kind", "vlan"],
          ],
        ],
        ["VLAN", [["Id", String(vlan.id)]]],
      ]),
      file(`${prefix}${name}.network`, [
        ["Match", [["Name", name]]],
        ["Network", addressing(vlan)],
        ...dhcpSections(vlan.ipv4, { dns: [], ntp: [] }),
      ]),
    ];
  });
  return [parent, ...vlans];
}

type Line = readonly [key: string, value: string];
type Section = readonly [name: string, lines: readonly Line[]];

function file(name: string, sections: readonly Section[]): NetworkdFile {
  const texts = sections.map(
    ([title, lines]) => `[${title}]\n${lines.map(([key, value]) => `${key}=${value}\n`).join("")}`,
  );
  return { name, text: `${HEAD}\n${texts.join("\n")}` };
}

function vlanLine(plan: NetworkPlan, id: number): Line {
  return ["VLAN", vlanName(plan.interface, id)];
}

function addressing({ ipv4, ipv6 }: { readonly ipv4: Ipv4Plan; readonly ipv6: Ipv6Plan }): Line[] {
  const fixed = [ipv4, ipv6].flatMap((part): Line[] => {
    if (part.method !== "fixed") return [];
    const gateway: Line[] = part.gateway === null ? [] : [["Gateway", part.gateway]];
    return [["Address", part.address], ...gateway];
  });
  return [
    [
      "DHCP",
      ipv4.method === "dhcp"
        ? ipv6.method === "automatic"
          ? "yes"
          : "ipv4"
        : ipv6.method === "automatic"
          ? "ipv6"
          : "no",
    ],
    // The link-local IPv6 address remains in every case: by it and mDNS the box is found whatever else is wrong.
    ["LinkLocalAddressing", ipv4.method === "dhcp" ? "yes" : "ipv6"],
    ["IPv6AcceptRA", ipv6.method === "automatic" ? "yes" : "no"],
    ["MulticastDNS", "yes"],
    ...fixed,
  ];
}

function servers({ dns, ntp }: Pick<NetworkPlan, "dns" | "ntp">): Line[] {
  return [...dns.map((server): Line => ["DNS", server]), ...ntp.map((server): Line => ["NTP", server])];
}

/** Servers that the owner names replace those of the DHCP server. */
function dhcpSections(ipv4: Ipv4Plan, { dns, ntp }: Pick<NetworkPlan, "dns" | "ntp">): Section[] {
  if (ipv4.method !== "dhcp") return [];
  const lines: Line[] = [
    // The lease is kept while the DHCP server is unreachable: the cameras are on the same network.
    ["SendRelease", "no"],
    ["ClientIdentifier", "mac"],
  ];
  if (dns.length > 0) lines.push(["UseDNS", "no"]);
  if (ntp.length > 0) lines.push(["UseNTP", "no"]);
  return [["DHCPv4", lines]];
}
