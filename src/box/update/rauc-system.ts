import * as v from "valibot";
import { errorText, NvrdError, readPlain } from "../../base/index.js";
import type { Command, CommandEnd, RunCommand } from "./command-runner.js";
import { notSupported } from "./journal.js";
import type { BootState, BundleInfo, SlotSystem } from "./types.js";

export interface RaucSystemOptions {
  readonly run: RunCommand;
  /** RAUC's program; default `rauc`. */
  readonly rauc?: string;
  /** RAUC's configuration file; default: RAUC's own default. */
  readonly configFile?: string;
  /** The boot back end of `image/rauc`. */
  readonly bootSlots?: string;
  /** The image's description. */
  readonly imageFile?: string;
}

export const BOOT_SLOTS = "/usr/lib/nvrd-update/boot-slots";
export const IMAGE_FILE = "/usr/lib/nvrd-image/image.json";

/** Time to check the signature, and to read all of a bundle if its format requires that: 2 GB from a slow disk. */
const INFO_TIMEOUT_MS = 300_000;
/** Time to write a gigabyte to a slow SD card. */
const INSTALL_TIMEOUT_MS = 3_600_000;
const SHORT_TIMEOUT_MS = 60_000;
const REASON_LENGTH_MAX = 300;
const IMAGE_BYTES_MAX = 64 * 1024;
/** ` 40% Checking bundle done.`, as `rauc install` prints it. */
const PROGRESS = /^\s*(\d{1,3})%\s+(.+)$/;

const line = v.pipe(v.string(), v.nonEmpty(), v.maxLength(100));
const infoSchema = v.object({ compatible: line, version: line });
const imageSchema = v.object({ compatible: line, version: line });

/** Controls the slots through RAUC's command line (rauc(1)) and the boot back end. */
export class RaucSystem implements SlotSystem {
  readonly #options: RaucSystemOptions;

  constructor(options: RaucSystemOptions) {
    this.#options = options;
  }

  async bundleInfo(file: string, signal?: AbortSignal): Promise<BundleInfo> {
    const args = ["info", "--output-format=json", file];
    const ended = await this.#rauc(args, {
      timeoutMs: INFO_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (ended.status !== 0) {
      throw new NvrdError("BAD_REQUEST", `the bundle is refused: ${reasonOf(ended)}`, {
        hint: "send the .raucb file of a release for this box, whole and unchanged",
      });
    }
    return parsed(infoSchema, ended.output, "the bundle's description");
  }

  async install(file: string, progress: (percent: number, text: string) => void): Promise<void> {
    const onLine = (text: string): void => {
      const [, percent, what] = PROGRESS.exec(text) ?? [];
      if (percent !== undefined && what !== undefined) progress(Math.min(100, Number(percent)), what);
    };
    // Checked before anything is written: RAUC would only report that its back end failed.
    await this.#boot(["can-try"]);
    const ended = await this.#rauc(["install", file], { timeoutMs: INSTALL_TIMEOUT_MS, onLine });
    if (ended.status !== 0)
      throw new NvrdError("NOT_AVAILABLE", `the update was not installed: ${reasonOf(ended)}`);
  }

  async bootState(): Promise<BootState> {
    const { compatible, version } = await this.#image();
    const slot = await this.#boot(["get-current"]);
    const trial = await this.#boot(["trial-state"]);
    const waiting = await this.#boot(["awaits-try"]);
    const awaitsTry = waiting !== "" && waiting !== slot;
    return { slot, onTrial: trial === "trial", awaitsTry, compatible, version };
  }

  async markGood(): Promise<void> {
    await this.#boot(["set-state", await this.#boot(["get-current"]), "good"]);
  }

  async markBad(): Promise<void> {
    await this.#boot(["set-state", await this.#boot(["get-current"]), "bad"]);
  }

  async restart(): Promise<void> {
    // systemd passes it to reboot(2): systemctl(1), --reboot-argument=.
    const word = await this.#boot(["arm-try"]);
    const forFirmware = word === "" ? [] : [`--reboot-argument=${word}`];
    const args = ["--no-block", ...forFirmware, "reboot"];
    await this.#done({ program: "systemctl", args, timeoutMs: SHORT_TIMEOUT_MS });
  }

  async #image(): Promise<v.InferOutput<typeof imageSchema>> {
    const file = this.#options.imageFile ?? IMAGE_FILE;
    let text: string;
    try {
      text = (await readPlain(file, IMAGE_BYTES_MAX)).toString("utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") throw notSupported();
      throw new NvrdError("NOT_AVAILABLE", `${file} cannot be read: ${errorText(error)}`, { cause: error });
    }
    return parsed(imageSchema, text, file);
  }

  #rauc(args: readonly string[], options: Omit<Command, "program" | "args">): Promise<CommandEnd> {
    const { run, rauc = "rauc", configFile } = this.#options;
    const config = configFile === undefined ? [] : [`--conf=${configFile}`];
    return run({ program: rauc, args: [...config, ...args], ...options });
  }

  async #boot(args: readonly string[]): Promise<string> {
    const program = this.#options.bootSlots ?? BOOT_SLOTS;
    return (await this.#done({ program, args, timeoutMs: SHORT_TIMEOUT_MS })).output.trim();
  }

  async #done(command: Command): Promise<CommandEnd> {
    const ended = await this.#options.run(command);
    if (ended.status === 0) return ended;
    const said = `${command.program} ${command.args.join(" ")}`;
    throw new NvrdError("NOT_AVAILABLE", `${said} failed: ${reasonOf(ended)}`);
  }
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, text: string, what: string): T {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new NvrdError("NOT_AVAILABLE", `${what} is not JSON`, { cause });
  }
  const result = v.safeParse(schema, data);
  if (!result.success) throw new NvrdError("NOT_AVAILABLE", `${what} has no version and compatible`);
  return result.output;
}

/** The program's last relevant message, in one line. */
function reasonOf({ status, output, errors }: CommandEnd): string {
  const lines = `${output}\n${errors}`.split("\n").filter((text) => text.trim() !== "");
  // `rauc install` ends with "LastError: …" and "Installing … failed"; the former gives the reason.
  const said = ["LastError", "error", "fail"].flatMap(
    (word) => lines.findLast((text) => text.includes(word)) ?? [],
  );
  const plain = (said[0] ?? lines.at(-1) ?? "")
    .replace("LastError: ", "")
    .replace(/\p{Cc}/gu, " ")
    .trim();
  return (plain === "" ? `status ${status ?? "signal"}` : plain).slice(0, REASON_LENGTH_MAX);
}
