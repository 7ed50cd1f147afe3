import { parseArgs } from "node:util";

/** The command line's words: commands, flags, exit statuses. docs/ref/command-line.md says the same at length. */

export const COMMANDS = ["run", "demo", "check"] as const;
export type Command = (typeof COMMANDS)[number];

/** Exit statuses. systemd's unit must not restart on `usage` and `locked`. */
export const EXIT = {
  done: 0,
  /** `check` found problems that remain. */
  problems: 1,
  /** Wrong flags or settings. */
  usage: 2,
  /** The service could not start or stop, or the check could not be made. */
  failed: 3,
  /** Another nvrd uses the data directory. */
  locked: 4,
} as const;

export const USAGE = `nvrd: network video recorder

usage:
  nvrd run    run the service
  nvrd demo   run the service with demo cameras; takes other ports where the wanted ones are taken
  nvrd check  compare the index with the recordings (through the service when it runs)
  nvrd --help | --version

flags of run and demo:
  --config FILE      settings file, JSON (see docs/ref/settings.md)
  --data DIR         data directory, default ./data
  --listen ADDR      address to listen on, default 0.0.0.0 (:: takes IPv6 too)
  --http-port N      default 8080, 0 = off
  --https-port N     default 18080, 0 = off
  --rtsp-port N      default 554, 0 = off (no RTSP server in this version)

flags of check:
  --config FILE, --data DIR
  --rebuild          repair the index from the recordings
  --deep             read every recorded byte and compare check sums
  --json             print the report as JSON

Every setting can also be given as an environment variable (NVRD_HTTP_PORT=8080).
NVRD_ROOT_PASSWORD sets the password of the user root on the first start.

exit status: 0 done, 1 check found problems that remain, 2 wrong flags or settings,
  3 could not start, stop or check, 4 another nvrd uses the data directory
`;

const SERVICE_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  listen: { type: "string" },
  "http-port": { type: "string" },
  "https-port": { type: "string" },
  "rtsp-port": { type: "string" },
} as const;

const CHECK_FLAGS = {
  config: { type: "string" },
  data: { type: "string" },
  rebuild: { type: "boolean" },
  deep: { type: "boolean" },
  json: { type: "boolean" },
} as const;

export type CommandLine =
  | { readonly command: "help" | "version" }
  | { readonly command: "run" | "demo"; readonly flags: Readonly<Record<string, string | undefined>> }
  | {
      readonly command: "check";
      readonly flags: Readonly<Record<string, string | undefined>>;
      readonly rebuild: boolean;
      readonly deep: boolean;
      readonly json: boolean;
    };

/** A command line that cannot be understood; the message says why. */
export class UsageError extends Error {}

/** Reads the arguments after the program's name. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first, ...rest] = args;
  if (first === undefined) throw new UsageError("a command is missing");
  if (args.includes("--help") || args.includes("-h") || first === "help") return { command: "help" };
  if (first === "--version" || first === "version") return { command: "version" };
  const command = COMMANDS.find((known) => known === first);
  if (command === undefined) throw new UsageError(`there is no command ${first}`);
  if (command !== "check") return { command, flags: { ...parse(rest, SERVICE_FLAGS) } };
  const { rebuild = false, deep = false, json = false, ...flags } = parse(rest, CHECK_FLAGS);
  return { command, flags, rebuild, deep, json };
}

function parse<const F extends NonNullable<Parameters<typeof parseArgs>[0]>["options"]>(
  args: readonly string[],
  options: F,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
