import * as v from "valibot";
import { jsonOfLine, NvrdError } from "../../base/index.js";
import { isSameNetwork, isUsableHost, readHost, readHostWithPrefix } from "./network-address.js";

/** How an interface gets its addresses. It is sent to the network keeper and stored beside the files of networkd. */
const TEXT_MAX = 64;
export const NAME_SERVERS_MAX = 8;
export const TIME_SERVERS_MAX = 8;
export const VLANS_MAX = 16;
export const VLAN_ID_MAX = 4094;
/** Names of interfaces that may be written into a file of networkd: no pattern, no path (IFNAMSIZ is 16). */
export const INTERFACE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;
/** Host names and addresses of time servers. */
export const SERVER_NAME = /^[A-Za-z0-9:.][A-Za-z0-9:.-]{0,252}$/;

const text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const fixed = v.strictObject({
  method: v.literal("fixed"),
  /** With its prefix: `192.168.1.20/24`. */
  address: text,
  gateway: v.nullable(text),
});
const ipv4 = v.variant("method", [
  v.strictObject({ method: v.literal("dhcp") }),
  fixed,
  v.strictObject({ method: v.literal("off") }),
]);
const ipv6 = v.variant("method", [
  v.strictObject({ method: v.literal("automatic") }),
  fixed,
  v.strictObject({ method: v.literal("linkLocal") }),
]);
const vlan = v.strictObject({
  id: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(VLAN_ID_MAX)),
  ipv4,
  ipv6,
});
export const networkPlan = v.strictObject({
  interface: v.pipe(v.string(), v.regex(INTERFACE_NAME)),
  ipv4,
  ipv6,
  dns: v.pipe(v.array(text), v.maxLength(NAME_SERVERS_MAX)),
  ntp: v.pipe(v.array(v.pipe(v.string(), v.regex(SERVER_NAME))), v.maxLength(TIME_SERVERS_MAX)),
  vlans: v.pipe(v.array(vlan), v.maxLength(VLANS_MAX)),
});

export type NetworkPlan = v.InferOutput<typeof networkPlan>;
export type Ipv4Plan = NetworkPlan["ipv4"];
export type Ipv6Plan = NetworkPlan["ipv6"];

/** The interface of a VLAN. */
export function vlanName(parent: string, id: number): string {
  return `${parent}.${id}`;
}

/** The plan in a text of JSON; undefined if it is none. */
export function readPlan(json: string | undefined): NetworkPlan | undefined {
  const result = v.safeParse(networkPlan, json === undefined ? undefined : jsonOfLine(json));
  return result.success ? result.output : undefined;
}

/** Throws NvrdError BAD_REQUEST for a plan that no network can have. Addresses become those in their usual form. */
export function checkedPlan(plan: NetworkPlan): NetworkPlan {
  const ids = plan.vlans.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw wrong("Vlans", `VLAN ${twice} is named twice`);
  for (const id of ids)
    if (vlanName(plan.interface, id).length > 15)
      throw wrong("Vlans", `the name ${vlanName(plan.interface, id)} is too long for an interface`);
  const result = {
    ...plan,
    ipv4: checkedPart(plan.ipv4, 4, "IPv4"),
    ipv6: checkedPart(plan.ipv6, 6, "IPv6"),
    dns: plan.dns.map((address) => checkedServer(address)),
    vlans: plan.vlans.map((one, index) => ({
      id: one.id,
      ipv4: checkedPart(one.ipv4, 4, `Vlans[${index}].IPv4`),
      ipv6: checkedPart(one.ipv6, 6, `Vlans[${index}].IPv6`),
    })),
  };
  refuseOverlaps(result);
  return result;
}

function checkedServer(text: string): string {
  const address = readHost(text);
  if (address === undefined || !isUsableHost(address))
    throw wrong("Dns", `${text} is not the address of a name server`);
  return address;
}

function checkedPart<Part extends Ipv4Plan | Ipv6Plan>(part: Part, family: 4 | 6, where: string): Part {
  if (part.method !== "fixed") return part;
  const host = readHostWithPrefix(part.address, family);
  if (host === undefined)
    throw wrong(
      `${where}.Address`,
      `write an address with the length of its network, such as ${family === 4 ? "192.168.1.20/24" : "2001:db8::20/64"}`,
    );
  if (!isUsableHost(host.address) || host.isNetworkItself)
    throw wrong(`${where}.Address`, `${part.address} is not an address that a machine can have`);
  if (part.gateway === null) return { ...part, address: host.text };
  const gateway = readHost(part.gateway, family);
  if (gateway === undefined || (!isUsableHost(gateway) && !isLinkLocal6(gateway)))
    throw wrong(`${where}.Gateway`, `${part.gateway} is not the address of a router`);
  if (gateway === host.address) throw wrong(`${where}.Gateway`, "the box cannot be its own gateway");
  if (!isSameNetwork(host.text, gateway) && !isLinkLocal6(gateway))
    throw wrong(
      `${where}.Gateway`,
      `${gateway} is not in the network of ${host.text}: use the router's address in that network, or another length of the network`,
    );
  return { ...part, address: host.text, gateway };
}

/** Two interfaces in one network: answers would leave by the wrong one. */
function refuseOverlaps({ ipv4, ipv6, vlans }: NetworkPlan): void {
  const taken: string[] = [];
  for (const part of [ipv4, ipv6, ...vlans.flatMap((one) => [one.ipv4, one.ipv6])]) {
    if (part.method !== "fixed") continue;
    const [address = ""] = part.address.split("/");
    const other = taken.find(
      (known) => isSameNetwork(known, address) || isSameNetwork(part.address, known.split("/")[0] ?? ""),
    );
    if (other !== undefined)
      throw wrong("Vlans", `${part.address} and ${other} are in the same network: each needs its own`);
    taken.push(part.address);
  }
}

function isLinkLocal6(address: string): boolean {
  return /^fe[89ab]/.test(address);
}

function wrong(where: string, what: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `${where}: ${what}`, { hint: "" });
}
