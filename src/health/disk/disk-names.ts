import * as v from "valibot";
import { builtScript, type Clock, startProgram } from "../../base/index.js";
import { DISKS_MAX } from "./block-disks.js";
import { printable } from "./smart-types.js";

/** How long the child may take: a directory on a disk that hangs never answers. */
export const DISK_NAMES_MS_MAX = 20_000;
/** Most bytes taken of what it prints. */
const PRINTED_BYTES_MAX = 1024 * 1024;
const NAME_MAX = 4096;

const text = v.pipe(v.string(), v.maxLength(NAME_MAX));
const schema = v.object({
  directories: v.record(text, text),
  devices: v.pipe(
    v.array(v.object({ name: text, model: v.fallback(text, ""), serial: v.fallback(text, "") })),
    v.transform((devices) => devices.slice(0, DISKS_MAX)),
  ),
  problem: v.optional(text),
});

/** What the child prints. */
export type DiskNamesPrinted = v.InferInput<typeof schema>;

/** What is known of the disks' names and the volumes' places, in addition to /sys. */
export interface DiskNames {
  /** Where each directory lies, links resolved. */
  readonly directories: ReadonlyMap<string, string>;
  /** By the name in /sys: what udev knows of a disk. */
  readonly devices: ReadonlyMap<string, { readonly model: string; readonly serial: string }>;
}

export const NO_DISK_NAMES: DiskNames = { directories: new Map(), devices: new Map() };

/** Asks in a child process, so that a hung disk blocks only that. Rejects with a readable reason when there is no answer. */
export type AskDiskNames = (directories: readonly string[]) => Promise<DiskNames>;

export function childDiskNames(
  clock: Clock,
  script = builtScript(import.meta.url, "disk-names-child"),
): AskDiskNames {
  let hanging = false;
  return async (directories) => {
    if (hanging) throw new Error("the last look at the disks' names still hangs");
    const child = startProgram(process.execPath, [script, ...directories], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin`, LC_ALL: "C" },
    });
    hanging = true;
    child.once("exit", () => {
      hanging = false;
    });
    return await new Promise((resolve, reject) => {
      let printed = "";
      const giveUp = (reason: string): void => {
        timer.clear();
        child.stdout.destroy();
        child.kill("SIGKILL");
        child.unref();
        reject(new Error(reason));
      };
      const timer = clock.setTimeout(
        () => giveUp(`the disks' names were not read within ${DISK_NAMES_MS_MAX / 1000} s`),
        DISK_NAMES_MS_MAX,
      );
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        printed += chunk;
        if (printed.length > PRINTED_BYTES_MAX) giveUp("the disks' names are too many");
      });
      child.once("error", (error) => {
        hanging = false;
        giveUp(`the disks' names cannot be asked for: ${error.message}`);
      });
      child.once("close", (status) => {
        timer.clear();
        const names = parseNames(printed);
        if (names !== undefined) resolve(names);
        else reject(new Error(`the disks' names were not read (exit status ${status})`));
      });
    });
  };
}

function parseNames(printed: string): DiskNames | undefined {
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch {
    return undefined; // the caller says so
  }
  const result = v.safeParse(schema, value);
  if (!result.success) return undefined;
  const { directories, devices } = result.output;
  return {
    directories: new Map(Object.entries(directories)),
    devices: new Map(
      devices.map(({ name, model, serial }) => [
        name,
        { model: printable(model), serial: printable(serial) },
      ]),
    ),
  };
}
