import { parseArgs } from "node:util";

/** The usage text: commands, flags, exit statuses. docs/ref/command-line.md has the details. */

export const COMMANDS = [
  "run",
  "demo",
  "check",
  "restore",
  "config",
  "password",
  "volume",
  "discover",
  "disk-report",
  "support",
  "update",
  "health-gate",
  "settings",
  "disk-keeper",
  "network-keeper",
] as const;

export const USAGE = `nvrd: network video recorder

usage:
  nvrd run    run the service
  nvrd demo   run the service with demo cameras; uses other ports if the wanted ones are in use
  nvrd check  compare the index with the recordings (through the service if it is running)
  nvrd restore FILE DIR   fetch recordings from object storage onto new disks: FILE says where from, DIR gets a folder a volume
  nvrd config export FILE | import FILE | history | revert N
              the configuration as a file, and its revisions (through the service if it is running)
  nvrd password reset     give root another password, and print it: for who has lost it and has the machine
  nvrd volume list        list the volumes, and why one is not used
  nvrd volume adopt PATH  accept the volume found at PATH, or create one, whatever volume was there before
  nvrd volume retire PATH [--back]         record nothing more onto it (--back: record again); its recordings can be played
  nvrd volume move PATH [--stop]           move what is recorded on a retired one to the others (--stop: end that)
  nvrd volume forget PATH --confirm ID     remove it and its recordings from the archive; the files stay
  nvrd discover           find the cameras on this machine's networks (through the service if it is running)
  nvrd disk-report        the health of the disks (SMART); needs root rights
  nvrd support            write a support bundle: log, settings, health, events, without secrets (with or without the service)
  nvrd update FILE        install a signed bundle into the other slot, and restart into it
  nvrd update --status    the progress of an update, or the result of the last one
  nvrd update --apply     for the image's unit: install the update passed on by the service (root)
  nvrd health-gate        for the image's unit: confirm or roll back a system on trial (root)
  nvrd settings           check the settings file and show every setting as the service would use it
  nvrd disk-keeper        format the disk requested on standard input; for nvrd-disk-keeper.socket
  nvrd network-keeper     carry out the order on standard input, a change of the network; for nvrd-network-keeper.socket
  nvrd --help | --version

flags of run and demo:
  --config FILE      settings file, JSON (see docs/ref/settings.md)
  --data DIR         data directory, default ./data
  --listen ADDR      address to listen on, default 0.0.0.0 (:: for IPv6 too)
  --http-port N      default 8080, 0 = off
  --https-port N     default 18080, 0 = off
  --rtsp-port N      default 554, 0 = off

flags of demo:
  --fresh            a recorder as it comes out of the box, in a directory that is removed at the end: to see the first run
  --fleet            a hub and two recorders that belong to it, on this machine

flags of check:
  --config FILE, --data DIR
  --rebuild          repair the index from the recordings
  --deep             read every recorded byte and compare check sums
  --json             print the report as JSON

flags of restore:
  --channel ID       one channel only
  --from T, --to T   what was recorded from T on, before T; ISO 8601, for example 2026-01-31T18:00:00Z
  --identity FILE    the private key (age) to recordings that are encrypted
  --json             print the report as JSON

flags of config:
  --config FILE, --data DIR
  --secrets FILE     export: write passwords to it too; import: take them from it
  --json             print the result as JSON

flags of password:
  --config FILE, --data DIR
  --quiet            do not print it: it is in the file root-password of the data directory
  --by TEXT          what asked for it, for the history and the event; default: the user of the machine

flags of volume:
  --config FILE, --data DIR
  --json             print the list as JSON

flags of discover:
  --config FILE, --data DIR
  --interface NAME   scan on this interface only (name or one of its addresses)
  --address A        scan an address, a range (192.168.1.10-40) or a network (192.168.1.0/24)
  --timeout S        seconds, default 5, more for a range; at most 60
  --json             print the list as JSON

flags of disk-report:
  --out FILE         write the report there, for the setting diskReport; disks read within 30 minutes are not read again
  --json             print the report as JSON

flags of support:
  --config FILE, --data DIR
  --out FILE         file to write, default nvrd-support-DATE.tar.gz
flags of update and health-gate:
  --config FILE, --data DIR
  --json             update: print the state as JSON
flags of settings:
  --config FILE, --data DIR
  --json             print them as JSON

Every setting can also be given as an environment variable (NVRD_HTTP_PORT=8080).
NVRD_ROOT_PASSWORD sets the password of the user root on the first start.

exit status: 0 done, 1 check found problems that remain, 2 wrong flags or settings,
  3 could not start, stop, check or change, 4 another nvrd uses the data directory
`;

const SERVICE_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  listen: { type: "string" },
  "http-port": { type: "string" },
  "https-port": { type: "string" },
  "rtsp-port": { type: "string" },
} as const;

const DEMO_FLAGS = { ...SERVICE_FLAGS, fresh: { type: "boolean" }, fleet: { type: "boolean" } } as const;

const CHECK_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  rebuild: { type: "boolean" },
  deep: { type: "boolean" },
  json: { type: "boolean" },
} as const;

const RESTORE_FLAGS = {
  channel: { type: "string" },
  identity: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  json: { type: "boolean" },
} as const;

/** A command line of `nvrd restore`. */
export interface RestoreLine {
  readonly command: "restore";
  /** A JSON file with the members of an away target. */
  readonly file: string;
  readonly directory: string;
  readonly channelId: string | undefined;
  /** Unix microseconds. */
  readonly fromUs: number | undefined;
  readonly toUs: number | undefined;
  /** A file with private keys, for what is encrypted. */
  readonly identity: string | undefined;
  readonly json: boolean;
}

const CONFIG_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  secrets: { type: "string" },
  json: { type: "boolean" },
} as const;

interface ConfigLineBase {
  readonly command: "config";
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
}

/** A command line of `nvrd config`. */
type ConfigCommandLine =
  | (ConfigLineBase & {
      readonly action: "export" | "import";
      readonly file: string;
      readonly secretsFile: string | undefined;
    })
  | (ConfigLineBase & { readonly action: "history" })
  | (ConfigLineBase & { readonly action: "revert"; readonly revision: number });

const PASSWORD_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  quiet: { type: "boolean" },
  by: { type: "string" },
} as const;

/** A command line of `nvrd password reset`. */
export interface PasswordLine {
  readonly command: "password";
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly quiet: boolean;
  /** What asked for it, in place of the machine's user. */
  readonly by: string | undefined;
}

const VOLUME_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  back: { type: "boolean" },
  stop: { type: "boolean" },
  confirm: { type: "string" },
  json: { type: "boolean" },
} as const;

const SETTINGS_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  json: { type: "boolean" },
} as const;

/** A command line of `nvrd settings`. */
export interface SettingsLine {
  readonly command: "settings";
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
}

const DISCOVER_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  interface: { type: "string" },
  address: { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean" },
} as const;

const SUPPORT_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  out: { type: "string" },
} as const;

/** A command line of `nvrd support`. */
export interface SupportLine {
  readonly command: "support";
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** The file to write; when absent, a file in the working directory, named by the date. */
  readonly out: string | undefined;
}

/** A command line of `nvrd discover`. */
export interface DiscoverLine {
  readonly command: "discover";
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly question: {
    readonly interface?: string;
    readonly address?: string;
    readonly timeoutSeconds?: number;
  };
  readonly json: boolean;
}

const DISK_REPORT_FLAGS = { out: { type: "string" }, json: { type: "boolean" } } as const;

/** A command line of `nvrd disk-report`. */
export interface DiskReportLine {
  readonly command: "disk-report";
  readonly out?: string;
  readonly json: boolean;
}

const UPDATE_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  json: { type: "boolean" },
  status: { type: "boolean" },
  apply: { type: "boolean" },
} as const;

const GATE_FLAGS = { config: { type: "string" }, data: { type: "string" } } as const;

/** A command line of `nvrd update` and `nvrd health-gate`. */
export type UpdateLine = { readonly flags: Readonly<Record<string, string | undefined>> } & (
  | { readonly command: "health-gate" }
  | { readonly command: "update"; readonly action: "apply" }
  | { readonly command: "update"; readonly action: "status"; readonly json: boolean }
  | { readonly command: "update"; readonly action: "send"; readonly file: string; readonly json: boolean }
);

export type CommandLine =
  | DiscoverLine
  | DiskReportLine
  | RestoreLine
  | SupportLine
  | UpdateLine
  | SettingsLine
  | ConfigCommandLine
  | PasswordLine
  | { readonly command: "help" | "version" }
  | { readonly command: "disk-keeper" | "network-keeper" }
  | { readonly command: "run"; readonly flags: Readonly<Record<string, string | undefined>> }
  | {
      readonly command: "demo";
      readonly flags: Readonly<Record<string, string | undefined>>;
      readonly fresh: boolean;
      readonly fleet: boolean;
    }
  | {
      readonly command: "check";
      readonly flags: Readonly<Record<string, string | undefined>>;
      readonly rebuild: boolean;
      readonly deep: boolean;
      readonly json: boolean;
    }
  | VolumeLine;

/** A command line of `nvrd volume`. */
export type VolumeLine = {
  readonly command: "volume";
  readonly flags: Readonly<Record<string, string | undefined>>;
} & (
  | { readonly action: "list"; readonly json: boolean }
  | { readonly action: "adopt"; readonly path: string }
  | { readonly action: "retire"; readonly path: string; readonly back: boolean }
  | { readonly action: "move"; readonly path: string; readonly stop: boolean }
  | { readonly action: "forget"; readonly path: string; readonly confirm: string }
);

/** An invalid command line; the message says why. */
export class UsageError extends Error {}

/** Reads the arguments after the program's name. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first, ...rest] = args;
  if (first === undefined) throw new UsageError("a command is missing");
  if (args.includes("--help") || args.includes("-h") || first === "help") return { command: "help" };
  if (first === "--version" || first === "version") return { command: "version" };
  const command = COMMANDS.find((known) => known === first);
  if (command === undefined) throw new UsageError(`there is no command ${first}`);
  if (command === "restore") return parseRestore(rest);
  if (command === "config") return parseConfig(rest);
  if (command === "password") return parsePassword(rest);
  if (command === "volume") return parseVolume(rest);
  if (command === "discover") return parseDiscover(rest);
  if (command === "disk-keeper" || command === "network-keeper") {
    parse(rest, {});
    return { command };
  }
  if (command === "disk-report") {
    const { out, json = false } = parse(rest, DISK_REPORT_FLAGS);
    return { command, json, ...(out === undefined ? {} : { out }) };
  }
  if (command === "support") {
    const { out, ...flags } = parse(rest, SUPPORT_FLAGS);
    return { command, flags, out };
  }
  if (command === "update") return parseUpdate(rest);
  if (command === "health-gate") return { command, flags: { ...parse(rest, GATE_FLAGS) } };
  if (command === "settings") {
    const { json = false, ...flags } = parse(rest, SETTINGS_FLAGS);
    return { command, flags, json };
  }
  if (command === "demo") return parseDemo(rest);
  if (command !== "check") return { command, flags: { ...parse(rest, SERVICE_FLAGS) } };
  const { rebuild = false, deep = false, json = false, ...flags } = parse(rest, CHECK_FLAGS);
  return { command, flags, rebuild, deep, json };
}

function parseDemo(args: readonly string[]): CommandLine {
  const { fresh = false, fleet = false, ...flags } = parse(args, DEMO_FLAGS);
  if (fresh && fleet) throw new UsageError("nvrd demo takes one of --fresh and --fleet");
  if (fresh && flags.data !== undefined)
    throw new UsageError("nvrd demo --fresh has a data directory of its own: leave out --data");
  return { command: "demo", flags, fresh, fleet };
}

function parseRestore(args: readonly string[]): RestoreLine {
  const { values, positionals } = parseAll(args, RESTORE_FLAGS);
  const [file, directory, ...surplus] = positionals;
  if (file === undefined || directory === undefined || surplus.length > 0)
    throw new UsageError("restore requires FILE and DIR");
  const { channel, from, to, identity, json = false } = values;
  if (channel !== undefined && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(channel))
    throw new UsageError("restore --channel requires the id of a channel");
  const times = { fromUs: timeOf("from", from), toUs: timeOf("to", to) };
  return { command: "restore", file, directory, channelId: channel?.toLowerCase(), ...times, identity, json };
}

/** Unix microseconds. */
function timeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`restore --${flag} requires a time with its zone, for example 2026-01-31T18:00:00Z`);
  return ms * 1000;
}

function parsePassword([action, ...rest]: readonly string[]): CommandLine {
  if (action !== "reset") throw new UsageError("nvrd password requires reset");
  const { quiet = false, by, ...flags } = parse(rest, PASSWORD_FLAGS);
  return { command: "password", flags, quiet, by };
}

function parseVolume([action, ...rest]: readonly string[]): CommandLine {
  if (action === "list") {
    const { json = false, back, stop, confirm, ...flags } = parse(rest, VOLUME_FLAGS);
    if (back !== undefined || stop !== undefined || confirm !== undefined)
      throw new UsageError("nvrd volume list has no --back, no --stop and no --confirm");
    return { command: "volume", action, flags, json };
  }
  if (action !== "adopt" && action !== "retire" && action !== "move" && action !== "forget")
    throw new UsageError("nvrd volume requires list, adopt, retire, move or forget");
  const [path, ...flagsGiven] = rest;
  if (path === undefined || path.startsWith("-"))
    throw new UsageError(`nvrd volume ${action} requires a path`);
  const { json, back, stop, confirm, ...flags } = parse(flagsGiven, VOLUME_FLAGS);
  if (json !== undefined) throw new UsageError(`nvrd volume ${action} has no --json`);
  if (back !== undefined && action !== "retire") throw new UsageError(`nvrd volume ${action} has no --back`);
  if (stop !== undefined && action !== "move") throw new UsageError(`nvrd volume ${action} has no --stop`);
  if (confirm !== undefined && action !== "forget")
    throw new UsageError(`nvrd volume ${action} has no --confirm`);
  const line = { command: "volume", path, flags } as const;
  if (action === "adopt") return { ...line, action };
  if (action === "retire") return { ...line, action, back: back ?? false };
  if (action === "move") return { ...line, action, stop: stop ?? false };
  if (confirm === undefined)
    throw new UsageError("nvrd volume forget requires --confirm ID, the volume's id: see nvrd volume list");
  return { ...line, action, confirm };
}

function parseDiscover(args: readonly string[]): DiscoverLine {
  const { json = false, interface: name, address, timeout, ...flags } = parse(args, DISCOVER_FLAGS);
  if (timeout !== undefined && !/^\d{1,2}(\.\d{1,3})?$/.test(timeout))
    throw new UsageError("discover --timeout requires seconds, at most 60");
  const question = {
    ...(name === undefined ? {} : { interface: name }),
    ...(address === undefined ? {} : { address }),
    ...(timeout === undefined ? {} : { timeoutSeconds: Number(timeout) }),
  };
  return { command: "discover", flags, question, json };
}

function parseUpdate(args: readonly string[]): UpdateLine {
  const { values, positionals } = parseAll(args, UPDATE_FLAGS);
  const { json = false, status = false, apply = false, ...flags } = values;
  const [file, ...surplus] = positionals;
  if ([file !== undefined, status, apply].filter((given) => given).length !== 1 || surplus.length > 0)
    throw new UsageError("update requires the file of a bundle, or --status, or --apply");
  const base = { command: "update", flags } as const;
  if (apply) return { ...base, action: "apply" };
  return file === undefined ? { ...base, action: "status", json } : { ...base, action: "send", file, json };
}

function parseConfig(args: readonly string[]): ConfigCommandLine {
  const { values, positionals } = parseAll(args, CONFIG_FLAGS);
  const { json = false, secrets: secretsFile, ...flags } = values;
  const base: ConfigLineBase = { command: "config", flags, json };
  const [action = "", operand, ...surplus] = positionals;
  if (surplus.length > 0)
    throw new UsageError(`config ${action} takes one argument; unexpected: ${surplus.join(" ")}`);
  if (action === "export" || action === "import") {
    if (operand === undefined) throw new UsageError(`config ${action}: the file is missing`);
    return { ...base, action, file: operand, secretsFile };
  }
  if (secretsFile !== undefined) throw new UsageError(`config ${action} has no flag --secrets`);
  if (action === "history") {
    if (operand !== undefined)
      throw new UsageError(`config history takes no argument; unexpected: ${operand}`);
    return { ...base, action };
  }
  if (action !== "revert") throw new UsageError("config: export FILE, import FILE, history or revert N");
  if (!/^[1-9]\d{0,14}$/.test(operand ?? ""))
    throw new UsageError("config revert: a revision number is missing");
  return { ...base, action, revision: Number(operand) };
}

type Flags = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

function parse<const F extends Flags>(args: readonly string[], options: F) {
  const { values, positionals } = parseAll(args, options);
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${positionals[0]}`);
  return values;
}

function parseAll<const F extends Flags>(args: readonly string[], options: F) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
