import { stat } from "node:fs/promises";
import { replaceSmallFile } from "../../base/index.js";
import type { SystemFiles } from "../../health/index.js";
import type { NetworkTools } from "./network-tools.js";

/* The service that mDNS announces under the name of the box (RFC 6763), by whichever of the two programs the machine has. */

const RESOLVED_FOLDER = "/run/systemd/resolve";
/** Read by systemd-resolved when it starts; gone with a reboot. */
const RESOLVED_FILE = "/run/systemd/dnssd/nvrd.dnssd";
const AVAHI_FOLDER = "/etc/avahi/services";
/** Read by avahi-daemon as soon as it is written. */
const AVAHI_FILE = `${AVAHI_FOLDER}/nvrd.service`;
const FILE_MODE = 0o644;

/** Where the page is to be found. */
export interface Announced {
  readonly port: number;
  readonly isSecure: boolean;
}

interface AnnouncementFile {
  readonly file: string;
  readonly text: string;
  readonly isOfResolved: boolean;
}

/** The files that this machine's programs read; none where it has neither. */
async function filesFor({ port, isSecure }: Announced): Promise<readonly AnnouncementFile[]> {
  const type = isSecure ? "_https._tcp" : "_http._tcp";
  const resolved = `# Written by nvrd.\n[Service]\nName=%H\nType=${type}\nPort=${port}\n`;
  const avahi = `<?xml version="1.0" standalone="no"?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by nvrd. -->
<service-group>
  <name replace-wildcards="yes">%h</name>
  <service><type>${type}</type><port>${port}</port></service>
</service-group>
`;
  return [
    ...((await isThere(RESOLVED_FOLDER))
      ? [{ file: RESOLVED_FILE, text: resolved, isOfResolved: true }]
      : []),
    ...((await isThere(AVAHI_FOLDER)) ? [{ file: AVAHI_FILE, text: avahi, isOfResolved: false }] : []),
  ];
}

/** Whether everything is announced already. */
export async function isAnnounced(files: SystemFiles, announced: Announced): Promise<boolean> {
  for (const { file, text } of await filesFor(announced))
    if ((await files.text(file)) !== text.trim()) return false;
  return true;
}

/** Has mDNS announce the page. */
export async function announce(
  tools: Pick<NetworkTools, "restartResolved">,
  announced: Announced,
): Promise<void> {
  const files = await filesFor(announced);
  for (const { file, text } of files) await replaceSmallFile(file, text, FILE_MODE);
  if (files.some(({ isOfResolved }) => isOfResolved)) await tools.restartResolved();
}

async function isThere(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}
