/** Messages of the box's own network, `/api/network` (docs/ref/api.md). */

export interface FixedAddress {
  /** With the length of its network: `192.168.1.20/24`. Null unless the method is `Fixed`. */
  readonly Address: string | null;
  readonly Gateway: string | null;
}
export interface Ipv4Settings extends FixedAddress {
  readonly Method: "Dhcp" | "Fixed" | "Off";
}
export interface Ipv6Settings extends FixedAddress {
  readonly Method: "Automatic" | "Fixed" | "LinkLocal";
}

export interface NetworkSettings {
  readonly Interface: string;
  readonly IPv4: Ipv4Settings;
  readonly IPv6: Ipv6Settings;
  readonly Dns: readonly string[];
  readonly Ntp: readonly string[];
  readonly Vlans: readonly {
    readonly Id: number;
    readonly IPv4: Ipv4Settings;
    readonly IPv6: Ipv6Settings;
  }[];
}

export interface NetworkInterface {
  readonly Name: string;
  readonly Kind: "Ethernet" | "Wireless" | "Vlan" | "Other";
  readonly Mac: string;
  readonly HasLink: boolean;
  readonly SpeedMbps: number | null;
  readonly IsFullDuplex: boolean | null;
  readonly Addresses: readonly {
    readonly Address: string;
    readonly Origin: "Dhcp" | "Fixed" | "Router" | "LinkLocal";
  }[];
  readonly Gateways: readonly string[];
  readonly Dns: readonly string[];
  readonly Ntp: readonly string[];
  readonly ConfiguredBy: "networkd" | "netplan" | "NetworkManager" | "ifupdown" | "nobody";
  readonly CanChange: boolean;
  /** Why not, and what to do. */
  readonly Reason: string | null;
  /** What was confirmed here last. */
  readonly Settings: NetworkSettings | null;
}

export interface NetworkTrial {
  readonly Settings: NetworkSettings;
  readonly RemainingSeconds: number;
  /** ISO 8601. */
  readonly EndTime: string;
  /** Where the confirmation must arrive. */
  readonly Addresses: readonly string[];
}

/** The answer of `GET /api/network`. */
export interface NetworkState {
  /** `NAME.local` by mDNS. */
  readonly Name: string;
  readonly TimeZone: string;
  readonly CanChange: boolean;
  readonly Reason: string | null;
  readonly Interfaces: readonly NetworkInterface[];
  readonly Trial: NetworkTrial | null;
  readonly LastTrial: {
    readonly Interface: string;
    readonly IsConfirmed: boolean;
    readonly Reason: string | null;
  } | null;
}

/** The answer of `PUT /api/network`. */
export interface NetworkTrialBegun {
  readonly Trial: NetworkTrial;
  /** Confirms the trial. */
  readonly Token: string;
}
