import * as v from "valibot";
import { type Clock, NvrdError } from "../../base/index.js";
import {
  INTERFACE_NAME,
  type InterfaceState,
  type Ipv4Plan,
  type Ipv6Plan,
  NAME_SERVERS_MAX,
  type NetworkControl,
  type NetworkPlan,
  SERVER_NAME,
  TIME_SERVERS_MAX,
  VLAN_ID_MAX,
  VLANS_MAX,
} from "../../box/network/index.js";
import { ipv4Methods, ipv6Methods } from "../../contract/answer/index.js";
import { given, members, type RequestContext, type ServerReach } from "../../route/index.js";

/** What the routes of this topic work with. */
export interface NetworkNeeds {
  readonly network: NetworkControl;
  readonly reach: ServerReach;
  readonly clock: Clock;
  /** Origins that browsers may call from. */
  readonly corsOrigins: readonly string[];
}

/* The body of PUT /api/network. */

const ADDRESS_LENGTH_MAX = 64;
const addressText = v.pipe(
  v.string("accepted: an address"),
  v.maxLength(ADDRESS_LENGTH_MAX, "accepted: an address"),
);
const serverText = v.pipe(
  v.string("accepted: the address or name of a server"),
  v.regex(SERVER_NAME, "accepted: the address or name of a server"),
);
const part = <const Methods extends readonly string[]>(methods: Methods) =>
  members({
    Method: v.picklist(methods, `accepted: ${methods.join(", ")}`),
    Address: given(addressText),
    Gateway: given(addressText),
  });
const ipv4 = part(ipv4Methods.of);
const ipv6 = part(ipv6Methods.of);
const vlanId = v.pipe(
  v.number(`accepted: 1 to ${VLAN_ID_MAX}`),
  v.integer(`accepted: 1 to ${VLAN_ID_MAX}`),
  v.minValue(1, `accepted: 1 to ${VLAN_ID_MAX}`),
  v.maxValue(VLAN_ID_MAX, `accepted: 1 to ${VLAN_ID_MAX}`),
);
const list = <T extends v.GenericSchema>(schema: T, most: number) =>
  v.pipe(v.array(schema, "accepted: a list"), v.maxLength(most, `accepted: at most ${most}`));

export const settingsBody = members({
  Interface: v.pipe(
    v.string("accepted: the name of an interface"),
    v.regex(INTERFACE_NAME, "accepted: the name of an interface"),
  ),
  IPv4: given(ipv4),
  IPv6: given(ipv6),
  Dns: given(list(addressText, NAME_SERVERS_MAX)),
  Ntp: given(list(serverText, TIME_SERVERS_MAX)),
  Vlans: given(list(members({ Id: vlanId, IPv4: given(ipv4), IPv6: given(ipv6) }), VLANS_MAX)),
});
type SettingsBody = v.InferOutput<typeof settingsBody>;
type Part4 = v.InferOutput<typeof ipv4>;
type Part6 = v.InferOutput<typeof ipv6>;

const METHODS_4 = { Dhcp: "dhcp", Off: "off" } as const;
const METHODS_6 = { Automatic: "automatic", LinkLocal: "linkLocal" } as const;

/** The plan of a body. What is left out stays as it was confirmed last; DHCP and automatic IPv6 where nothing was. */
export function planOf(body: SettingsBody, present: InterfaceState | undefined): NetworkPlan {
  const before = present?.plan;
  return {
    interface: body.Interface,
    ipv4: plan4(body.IPv4, "IPv4") ?? before?.ipv4 ?? { method: "dhcp" },
    ipv6: plan6(body.IPv6, "IPv6") ?? before?.ipv6 ?? { method: "automatic" },
    dns: body.Dns ?? before?.dns ?? [],
    ntp: body.Ntp ?? before?.ntp ?? [],
    vlans:
      body.Vlans?.map(({ Id, IPv4, IPv6 }, index) => ({
        id: Id,
        ipv4: plan4(IPv4, `Vlans[${index}].IPv4`) ?? { method: "dhcp" },
        ipv6: plan6(IPv6, `Vlans[${index}].IPv6`) ?? { method: "automatic" },
      })) ??
      before?.vlans ??
      [],
  };
}

function plan4(part: Part4 | null | undefined, where: string): Ipv4Plan | undefined {
  if (part === null || part === undefined) return undefined;
  if (part.Method === "Fixed") return fixedOf(part, where);
  refuseAddress(part, where);
  return { method: METHODS_4[part.Method] };
}

function plan6(part: Part6 | null | undefined, where: string): Ipv6Plan | undefined {
  if (part === null || part === undefined) return undefined;
  if (part.Method === "Fixed") return fixedOf(part, where);
  refuseAddress(part, where);
  return { method: METHODS_6[part.Method] };
}

function fixedOf({ Address, Gateway }: Part4 | Part6, where: string) {
  if (!Address)
    throw new NvrdError("BAD_REQUEST", `${where}.Address: is required with Method Fixed`, { hint: "" });
  return { method: "fixed", address: Address, gateway: Gateway ?? null } as const;
}

function refuseAddress({ Address, Gateway, Method }: Part4 | Part6, where: string): void {
  if ((Address ?? Gateway ?? null) !== null)
    throw new NvrdError("BAD_REQUEST", `${where}: only Method Fixed has an address, not ${Method}`, {
      hint: "",
    });
}

export function userOf({ principal }: RequestContext<NetworkNeeds>) {
  return { id: principal.user.id, name: principal.user.name };
}
