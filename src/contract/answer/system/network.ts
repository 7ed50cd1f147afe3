import {
  choice,
  flag,
  group,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  number,
  text,
  time,
  type ValueOf,
} from "../../kinds/kinds.js";

/** The box's own network: `/api/network`. */

/** The address with the length of its network, as `192.168.1.20/24`; both null unless the method is `Fixed`. */
const fixed = { Address: nullable(text), Gateway: nullable(text) } as const;
export const ipv4Methods = choice("Dhcp", "Fixed", "Off");
export const ipv6Methods = choice("Automatic", "Fixed", "LinkLocal");
const addresses = {
  IPv4: group({ Method: ipv4Methods, ...fixed }),
  IPv6: group({ Method: ipv6Methods, ...fixed }),
} as const;
export type Ipv4Settings = ValueOf<typeof addresses.IPv4>;
export type Ipv6Settings = ValueOf<typeof addresses.IPv6>;

const settings = named(
  "NetworkSettings",
  group({
    Interface: text,
    ...addresses,
    Dns: listOf(text),
    Ntp: listOf(text),
    Vlans: listOf(group({ Id: integer, ...addresses })),
  }),
);
export type NetworkSettings = ValueOf<typeof settings>;

/** Who configures an interface. */
export const NETWORK_MANAGERS = ["networkd", "netplan", "NetworkManager", "ifupdown", "nobody"] as const;

const port = group({
  Name: text,
  Kind: choice("Ethernet", "Wireless", "Vlan", "Other"),
  Mac: text,
  HasLink: meaning("Whether a cable with something at its other end is plugged in.", flag),
  SpeedMbps: meaning("Null where the driver does not say.", nullable(number)),
  IsFullDuplex: nullable(flag),
  Addresses: listOf(group({ Address: text, Origin: choice("Dhcp", "Fixed", "Router", "LinkLocal") })),
  Gateways: listOf(text),
  Dns: meaning("Name servers that apply on it.", listOf(text)),
  Ntp: meaning("Time servers that apply on it.", listOf(text)),
  ConfiguredBy: meaning("The program that configures it.", choice(...NETWORK_MANAGERS)),
  CanChange: meaning("Whether nvrd may change it.", flag),
  Reason: meaning("Why not, and what to do.", nullable(text)),
  Settings: meaning("What was confirmed here last; null if nvrd never changed it.", nullable(settings)),
});
export type NetworkInterface = ValueOf<typeof port>;

const trial = named(
  "NetworkTrial",
  group({
    Settings: settings,
    RemainingSeconds: number,
    EndTime: time,
    Addresses: meaning(
      "Where the confirmation must arrive. Empty while no DHCP server has answered.",
      listOf(text),
    ),
  }),
);
export type NetworkTrial = ValueOf<typeof trial>;

export const network = group({
  Name: meaning("The name of the machine: `NAME.local` by mDNS.", text),
  TimeZone: text,
  CanChange: flag,
  Reason: meaning("Why nothing can be changed on this machine.", nullable(text)),
  Interfaces: listOf(port),
  Trial: meaning("The trial that is running.", nullable(trial)),
  LastTrial: meaning(
    "How the last trial since the start of the machine ended.",
    nullable(group({ Interface: text, IsConfirmed: flag, Reason: nullable(text) })),
  ),
});

export type Network = ValueOf<typeof network>;

export const networkTrialBegun = group({
  Trial: trial,
  Token: meaning("Confirms the trial. It is shown only here.", text),
});
export type NetworkTrialBegun = ValueOf<typeof networkTrialBegun>;

export const networkTrialConfirmed = group({ IsConfirmed: flag });
export type NetworkTrialConfirmed = ValueOf<typeof networkTrialConfirmed>;

export const networkTrialEnded = group({ IsEnded: flag });
export type NetworkTrialEnded = ValueOf<typeof networkTrialEnded>;

export const networkBox = group({ Name: text, TimeZone: text });
export type NetworkBox = ValueOf<typeof networkBox>;
