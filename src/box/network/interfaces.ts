import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import type { SystemFiles } from "../../health/index.js";
import { type InterfaceOwner, type LinkRecord, readLinkRecord, readOwner } from "./interface-owner.js";
import { type NetworkPlan, readPlan } from "./network-plan.js";
import { LASTING_PREFIX } from "./networkd-files.js";

/** Where networkd looks for the owner's files. */
export const LASTING_FOLDER = "/etc/systemd/network";
/** Of `linux/if.h`: somebody has switched it on. */
const IFF_UP = 1;
const ETHERNET = "1";
const INTERFACES_MAX = 64;

/** Where an address comes from. */
type AddressOrigin = "dhcp" | "fixed" | "router" | "linkLocal";

export interface InterfaceAddress {
  /** `192.168.1.20/24`. */
  readonly address: string;
  readonly origin: AddressOrigin;
}

/** An interface as it is. */
export interface InterfaceState extends InterfaceOwner {
  readonly name: string;
  readonly kind: "ethernet" | "wireless" | "vlan" | "other";
  readonly mac: string;
  /** Whether there is something at the other end of the cable. */
  readonly hasLink: boolean;
  readonly speedMbps: number | undefined;
  readonly isFullDuplex: boolean | undefined;
  readonly addresses: readonly InterfaceAddress[];
  readonly gateways: readonly string[];
  readonly dns: readonly string[];
  readonly ntp: readonly string[];
  /** The file of networkd that applies; undefined where there is none. */
  readonly file: string | undefined;
  /** What nvrd has made last; undefined where it never changed anything. */
  readonly plan: NetworkPlan | undefined;
}

type Addresses = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** The network interfaces of the machine, read without any rights. */
export async function readInterfaces(
  files: SystemFiles,
  addresses: Addresses = networkInterfaces(),
): Promise<readonly InterfaceState[]> {
  const routes = await readGateways(files);
  const states: InterfaceState[] = [];
  for (const name of (await files.names("/sys/class/net")).slice(0, INTERFACES_MAX)) {
    if ((await files.text(`/sys/class/net/${name}/type`)) !== ETHERNET) continue;
    if (await isIdle(files, name)) continue;
    states.push(await readInterface(files, name, addresses[name] ?? [], routes.get(name) ?? []));
  }
  return states;
}

/** Whether it is one that the kernel has made by itself, such as `ifb0`: switched off, and no hardware. */
async function isIdle(files: SystemFiles, name: string): Promise<boolean> {
  const flags = Number((await files.text(`/sys/class/net/${name}/flags`)) ?? IFF_UP);
  if ((flags & IFF_UP) !== 0) return false;
  return (await files.text(`/sys/class/net/${name}/device/uevent`)) === undefined;
}

async function readInterface(
  files: SystemFiles,
  name: string,
  found: readonly NetworkInterfaceInfo[],
  gateways: readonly string[],
): Promise<InterfaceState> {
  const attribute = (file: string) => files.text(`/sys/class/net/${name}/${file}`);
  const index = (await attribute("ifindex")) ?? "";
  const record = await readLinkRecord(files, index);
  const lease = /^ADDRESS=(.+)$/m.exec((await files.text(`/run/systemd/netif/leases/${index}`)) ?? "")?.[1];
  const speed = Number(await attribute("speed"));
  const duplex = await attribute("duplex");
  return {
    name,
    kind: kindOf((await attribute("uevent")) ?? ""),
    mac: (await attribute("address")) ?? "",
    hasLink: (await attribute("carrier")) === "1",
    speedMbps: speed > 0 ? speed : undefined,
    isFullDuplex: duplex === "full" ? true : duplex === "half" ? false : undefined,
    addresses: found.map(({ address, cidr }) => ({
      address: cidr ?? address,
      origin: originOf(address, lease, record),
    })),
    gateways,
    dns: words(record.DNS),
    ntp: words(record.NTP),
    file: record.NETWORK_FILE === "" ? undefined : record.NETWORK_FILE,
    plan: readPlan(await files.text(planFile(name))),
    ...(await readOwner(files, name, index, record)),
  };
}

/** The plan of an interface beside the file of networkd that was made from it. */
export function planFile(name: string): string {
  return `${LASTING_FOLDER}/${LASTING_PREFIX}${name}.json`;
}

function kindOf(uevent: string): InterfaceState["kind"] {
  const type = /^DEVTYPE=(.+)$/m.exec(uevent)?.[1];
  if (type === undefined) return "ethernet";
  return type === "wlan" ? "wireless" : type === "vlan" ? "vlan" : "other";
}

function originOf(address: string, lease: string | undefined, record: LinkRecord): AddressOrigin {
  if (address === lease) return "dhcp";
  if (/^(?:169\.254\.|fe[89ab])/.test(address)) return "linkLocal";
  // An interface identifier made of the MAC address, or a random one, comes from a router's announcement.
  const isOfRouter =
    address.includes(":") && (record.DHCP6_CLIENT_DUID !== undefined || /:[0-9a-f]*ff:fe/.test(address));
  return isOfRouter ? "router" : "fixed";
}

function words(text: string | undefined): readonly string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}

/** The default gateways by interface, from the kernel's tables (proc(5)). */
async function readGateways(files: SystemFiles): Promise<ReadonlyMap<string, readonly string[]>> {
  const gateways = new Map<string, string[]>();
  const add = (name: string, gateway: string): void => {
    const known = gateways.get(name) ?? [];
    if (!known.includes(gateway)) gateways.set(name, [...known, gateway]);
  };
  for (const line of ((await files.text("/proc/net/route")) ?? "").split("\n").slice(1)) {
    const [name = "", destination, gateway = ""] = line.split("\t");
    if (destination === "00000000" && gateway !== "00000000")
      add(name, [...Buffer.from(gateway.trim(), "hex").reverse()].join("."));
  }
  for (const line of ((await files.text("/proc/net/ipv6_route")) ?? "").split("\n")) {
    const [destination = "", length, , , next = "", , , , , name = ""] = line.trim().split(/\s+/);
    if (/^0{32}$/.test(destination) && length === "00" && !/^0*$/.test(next)) add(name, longIpv6(next));
  }
  return gateways;
}

function longIpv6(hex: string): string {
  const host = new URL(`http://[${hex.match(/.{4}/g)?.join(":")}]/`).hostname;
  return host.slice(1, -1);
}
