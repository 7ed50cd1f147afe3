import type { NETWORK_MANAGERS } from "../../contract/answer/index.js";
import type { SystemFiles } from "../../health/index.js";

/** Programs that configure interfaces. */
type Manager = (typeof NETWORK_MANAGERS)[number];

export interface InterfaceOwner {
  readonly manager: Manager;
  /** Why nvrd leaves the interface alone, and what to do; undefined if it may change it. */
  readonly refusal: string | undefined;
}

const NETWORKD_STATE = "/run/systemd/netif/state";

/** What networkd says about an interface in /run/systemd/netif/links. */
export type LinkRecord = Readonly<Record<string, string>>;

export async function readLinkRecord(files: SystemFiles, index: string): Promise<LinkRecord> {
  const text = (await files.text(`/run/systemd/netif/links/${index}`)) ?? "";
  const pairs = text.split("\n").map((line) => /^([A-Z0-9_]+)=(.*)$/.exec(line));
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
}

/** Who configures an interface. Two programs on one interface undo each other's work, so nvrd changes only what is networkd's. */
export async function readOwner(
  files: SystemFiles,
  name: string,
  index: string,
  record: LinkRecord,
): Promise<InterfaceOwner> {
  if (await isOfNetworkManager(files, index))
    return refused(
      "NetworkManager",
      `NetworkManager configures ${name}: use nmcli or nmtui, or leave the interface to systemd-networkd`,
    );
  if (await isOfIfupdown(files, name))
    return refused(
      "ifupdown",
      `ifupdown configures ${name} (/etc/network/interfaces): change it there, or remove it there and enable systemd-networkd`,
    );
  const file = record.NETWORK_FILE ?? "";
  if (file.includes("netplan"))
    return refused("netplan", `netplan configures ${name}: change /etc/netplan and use netplan try`);
  if ((await files.text(NETWORKD_STATE)) === undefined)
    return refused("nobody", "systemd-networkd does not run: systemctl enable --now systemd-networkd");
  return { manager: file === "" ? "nobody" : "networkd", refusal: undefined };
}

function refused(manager: Manager, refusal: string): InterfaceOwner {
  return { manager, refusal };
}

async function isOfNetworkManager(files: SystemFiles, index: string): Promise<boolean> {
  const text = (await files.text(`/run/NetworkManager/devices/${index}`)) ?? "";
  return /^managed=(?:true|1)$/m.test(text);
}

async function isOfIfupdown(files: SystemFiles, name: string): Promise<boolean> {
  const folder = "/etc/network/interfaces.d";
  const paths = (await files.names(folder)).map((entry) => `${folder}/${entry}`);
  for (const path of ["/etc/network/interfaces", ...paths]) {
    const lines = ((await files.text(path)) ?? "").split("\n").map((line) => line.trim().split(/\s+/));
    if (lines.some(([word, named]) => word === "iface" && named === name)) return true;
  }
  return false;
}
