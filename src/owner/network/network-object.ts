import { formatIsoTime } from "../../base/index.js";
import type {
  InterfaceState,
  Ipv4Plan,
  Ipv6Plan,
  NetworkPlan,
  NetworkView,
} from "../../box/network/index.js";
import type {
  Network,
  NetworkInterface,
  NetworkSettings,
  NetworkTrial,
} from "../../contract/answer/index.js";

/* The network in the format of the API. */

const IPV4_METHODS = { dhcp: "Dhcp", fixed: "Fixed", off: "Off" } as const;
const IPV6_METHODS = { automatic: "Automatic", fixed: "Fixed", linkLocal: "LinkLocal" } as const;
const ORIGINS = { dhcp: "Dhcp", fixed: "Fixed", router: "Router", linkLocal: "LinkLocal" } as const;
const KINDS = { ethernet: "Ethernet", wireless: "Wireless", vlan: "Vlan", other: "Other" } as const;

export function describeNetwork(view: NetworkView, nowUs: number): Network {
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

export function describeTrial({ trial }: NetworkView, nowUs: number): NetworkTrial | null {
  if (trial === undefined) return null;
  return {
    Settings: describeSettings(trial.plan),
    RemainingSeconds: Math.round(trial.remainingS),
    EndTime: formatIsoTime(nowUs + Math.round(trial.remainingS * 1e6)),
    Addresses: trial.addresses,
  };
}

function describeInterface(state: InterfaceState): NetworkInterface {
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

function describeSettings(plan: NetworkPlan): NetworkSettings {
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
