import { formatIsoTime } from "../../base/index.js";
import {
  type InterfaceState,
  type Ipv4Plan,
  type Ipv6Plan,
  MANAGERS,
  type NetworkPlan,
  type NetworkView,
} from "../../network/index.js";
import {
  choice,
  FLAG,
  ISO_TIME,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  TEXT,
  WHOLE,
} from "../../route/index.js";

/* The network in the format of the API. */

const IPV4_METHODS = { dhcp: "Dhcp", fixed: "Fixed", off: "Off" } as const;
const IPV6_METHODS = { automatic: "Automatic", fixed: "Fixed", linkLocal: "LinkLocal" } as const;
const ORIGINS = { dhcp: "Dhcp", fixed: "Fixed", router: "Router", linkLocal: "LinkLocal" } as const;
const KINDS = { ethernet: "Ethernet", wireless: "Wireless", vlan: "Vlan", other: "Other" } as const;

const part = (methods: readonly string[]) =>
  objectOf({ Method: choice(methods), Address: orNull(TEXT), Gateway: orNull(TEXT) });
const VLAN = objectOf({
  Id: WHOLE,
  IPv4: part(Object.values(IPV4_METHODS)),
  IPv6: part(Object.values(IPV6_METHODS)),
});
export const SETTINGS = named(
  "NetworkSettings",
  objectOf({
    Interface: TEXT,
    IPv4: part(Object.values(IPV4_METHODS)),
    IPv6: part(Object.values(IPV6_METHODS)),
    Dns: listOf(TEXT),
    Ntp: listOf(TEXT),
    Vlans: listOf(VLAN),
  }),
);
const INTERFACE = objectOf({
  Name: TEXT,
  Kind: choice(Object.values(KINDS)),
  Mac: TEXT,
  HasLink: meaning("Whether a cable with something at its other end is plugged in.", FLAG),
  SpeedMbps: meaning("Null where the driver does not say.", orNull(NUMBER)),
  IsFullDuplex: orNull(FLAG),
  Addresses: listOf(objectOf({ Address: TEXT, Origin: choice(Object.values(ORIGINS)) })),
  Gateways: listOf(TEXT),
  Dns: meaning("Name servers that apply on it.", listOf(TEXT)),
  Ntp: meaning("Time servers that apply on it.", listOf(TEXT)),
  ConfiguredBy: meaning("The program that configures it.", choice(MANAGERS)),
  CanChange: meaning("Whether nvrd may change it.", FLAG),
  Reason: meaning("Why not, and what to do.", orNull(TEXT)),
  Settings: {
    oneOf: [SETTINGS, { type: "null" }],
    description: "What was confirmed here last; null if nvrd never changed it.",
  },
});
export const TRIAL = named(
  "NetworkTrial",
  objectOf({
    Settings: SETTINGS,
    RemainingSeconds: NUMBER,
    EndTime: ISO_TIME,
    Addresses: meaning(
      "Where the confirmation must arrive. Empty while no DHCP server has answered.",
      listOf(TEXT),
    ),
  }),
);
export const NETWORK = objectOf({
  Name: meaning("The name of the machine: `NAME.local` by mDNS.", TEXT),
  TimeZone: TEXT,
  CanChange: FLAG,
  Reason: meaning("Why nothing can be changed on this machine.", orNull(TEXT)),
  Interfaces: listOf(INTERFACE),
  Trial: { oneOf: [TRIAL, { type: "null" }], description: "The trial that is running." },
  LastTrial: meaning(
    "How the last trial since the start of the machine ended.",
    orNull(objectOf({ Interface: TEXT, IsConfirmed: FLAG, Reason: orNull(TEXT) })),
  ),
});

export function describeNetwork(view: NetworkView, nowUs: number): Record<string, unknown> {
  const { last } = view;
  return {
    Name: view.name,
    TimeZone: view.timeZone,
    CanChange: view.refusal === undefined,
    Reason: view.refusal ?? null,
    Interfaces: view.interfaces.map(describeInterface),
    Trial: describeTrial(view, nowUs),
    LastTrial:
      last === undefined
        ? null
        : { Interface: last.interface, IsConfirmed: last.isConfirmed, Reason: last.reason ?? null },
  };
}

export function describeTrial({ trial }: NetworkView, nowUs: number): Record<string, unknown> | null {
  if (trial === undefined) return null;
  return {
    Settings: describeSettings(trial.plan),
    RemainingSeconds: Math.round(trial.remainingS),
    EndTime: formatIsoTime(nowUs + Math.round(trial.remainingS * 1e6)),
    Addresses: trial.addresses,
  };
}

function describeInterface(state: InterfaceState): Record<string, unknown> {
  return {
    Name: state.name,
    Kind: KINDS[state.kind],
    Mac: state.mac,
    HasLink: state.hasLink,
    SpeedMbps: state.speedMbps ?? null,
    IsFullDuplex: state.isFullDuplex ?? null,
    Addresses: state.addresses.map(({ address, origin }) => ({ Address: address, Origin: ORIGINS[origin] })),
    Gateways: state.gateways,
    Dns: state.dns,
    Ntp: state.ntp,
    ConfiguredBy: state.manager,
    CanChange: state.refusal === undefined,
    Reason: state.refusal ?? null,
    Settings: state.plan === undefined ? null : describeSettings(state.plan),
  };
}

function describeSettings(plan: NetworkPlan): Record<string, unknown> {
  return {
    Interface: plan.interface,
    ...describeParts(plan),
    Dns: plan.dns,
    Ntp: plan.ntp,
    Vlans: plan.vlans.map((vlan) => ({ Id: vlan.id, ...describeParts(vlan) })),
  };
}

function describeParts({ ipv4, ipv6 }: { readonly ipv4: Ipv4Plan; readonly ipv6: Ipv6Plan }) {
  return {
    IPv4: { Method: IPV4_METHODS[ipv4.method], ...describeFixed(ipv4) },
    IPv6: { Method: IPV6_METHODS[ipv6.method], ...describeFixed(ipv6) },
  };
}

function describeFixed(part: Ipv4Plan | Ipv6Plan) {
  return part.method === "fixed"
    ? { Address: part.address, Gateway: part.gateway }
    : { Address: null, Gateway: null };
}
