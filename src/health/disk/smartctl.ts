import type { ChildProcess } from "node:child_process";
import { type Clock, errorText, setTimeLimit, startProgram, US_PER_MS } from "../../base/index.js";
import { identityOf, readingOf } from "./smart-reading.js";
import { type DiskIdentity, printable, type SmartReading } from "./smart-types.js";
import { parseSmartctl, type SmartctlOutput } from "./smartctl-output.js";

/** The bits of smartctl's exit status (smartctl(8), EXIT STATUS), in plain words. */
const BITS: readonly (readonly [bit: number, text: string])[] = [
  [0x01, "smartctl did not understand the request or the kind of device"],
  [0x02, "the disk could not be opened or did not identify itself"],
  [0x04, "a SMART command failed, or an answer had a wrong check sum"],
  [0x08, "the disk says that it is failing"],
  [0x10, "an attribute that foretells failure is at its threshold"],
  [0x20, "an attribute was at its threshold in the past"],
  [0x40, "the disk's log of errors has entries"],
  [0x80, "the disk's log of self-tests has faults"],
];
/** The exit status requested for a sleeping disk: these two bits never occur together. */
const ASLEEP_STATUS = 0x03;
/** Bits for nothing read. */
const NOTHING_READ = 0x03;
const DISK_FAILING_BIT = 0x08;

/** How long smartctl may take: a disk that repairs a sector on its own takes up to 30 s, twice. */
export const SMARTCTL_MS_MAX = 60_000;
/** Most bytes taken of what it prints; a disk with full logs makes some 60 KB. */
export const SMARTCTL_BYTES_MAX = 1024 * 1024;
const REASON_LENGTH_MAX = 300;
/** Where smartctl lies; the path of a service without root's rights often lacks it. */
const SYSTEM_PATHS = "/usr/sbin:/sbin";

/** The disk to ask, as the kernel knows it. */
export interface SmartQuestion {
  /** `/dev/sda` */
  readonly device: string;
  readonly kind: "ata" | "scsi" | "nvme" | "other";
  readonly isRotational: boolean | null;
}

/** The result of asking a disk. */
export type SmartAnswer =
  | { readonly kind: "read"; readonly identity: DiskIdentity; readonly reading: SmartReading | undefined }
  /** It sleeps and was left alone. */
  | { readonly kind: "asleep" }
  /** Another smartctl asks it, or an earlier one still waits for it. */
  | { readonly kind: "busy" }
  /** It could not be read; in words. */
  | { readonly kind: "failed"; readonly reason: string };

export interface SmartctlOptions {
  readonly clock: Clock;
  /** Whether a smartctl that is not ours asks the device. */
  readonly isAsked: (device: string) => Promise<boolean>;
  /** Directories to look for smartctl in; default: those of this process and the system's. */
  readonly path?: string;
}

interface Printed {
  readonly text: string;
  readonly status: number | null;
}

/**
 * Runs smartctl on one disk at a time each: bounded in time and output, never waking a disk that sleeps, never twice at
 * once on one. A process that cannot even be killed, because it waits for a dead disk in the kernel, is left behind.
 */
export class Smartctl {
  readonly #options: SmartctlOptions;
  readonly #asking = new Set<string>();
  /** A smartctl of ours lives for them, one that was given up included. */
  readonly #running = new Set<string>();
  /** What smartctl found a device to be, so that it need not probe, which may wake it. */
  readonly #types = new Map<string, string>();

  constructor(options: SmartctlOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async ask(question: SmartQuestion): Promise<SmartAnswer> {
    const { device } = question;
    if (this.#asking.has(device) || this.#running.has(device)) return { kind: "busy" };
    this.#asking.add(device);
    try {
      if (await this.#options.isAsked(device)) return { kind: "busy" };
      return await this.#askTwice(question);
    } finally {
      this.#asking.delete(device);
    }
  }

  /** Another disk may have its name now: the detected type no longer counts. */
  forget(device: string): void {
    this.#types.delete(device);
  }

  async #askTwice(question: SmartQuestion): Promise<SmartAnswer> {
    const type = this.#types.get(question.device) ?? typeOf(question);
    const first = await this.#askAs(question, type);
    if (first.kind !== "failed" || type !== undefined || !first.wantsType) return first;
    return await this.#askAs(question, "sat");
  }

  async #askAs(
    question: SmartQuestion,
    type: string | undefined,
  ): Promise<SmartAnswer & { readonly wantsType?: boolean }> {
    let printed: Printed;
    try {
      printed = await this.#run(question.device, argumentsOf(question, type));
    } catch (error) {
      return { kind: "failed", reason: errorText(error) };
    }
    const output = parseSmartctl(printed.text);
    if (output === undefined) return { kind: "failed", reason: notUnderstood(printed) };
    const answer = answerOf(output, printed.status, this.#options.clock);
    const found = output.device?.type;
    if (answer.kind === "read" && answer.reading !== undefined && found !== undefined)
      if (/^[a-z0-9,+/]{1,40}$/.test(found)) this.#types.set(question.device, found);
    return answer;
  }

  /** Resolves with what it printed; rejects with words when it hangs, floods or cannot be started. */
  async #run(device: string, args: readonly string[]): Promise<Printed> {
    const { clock } = this.#options;
    const path = this.#options.path ?? `${process.env.PATH ?? ""}:${SYSTEM_PATHS}`;
    const child = startProgram("smartctl", args, {
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: path, LC_ALL: "C" },
    });
    this.#running.add(device);
    child.once("exit", () => this.#running.delete(device));
    return await new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const timer = setTimeLimit(
        clock,
        () => giveUp(`smartctl did not answer within ${SMARTCTL_MS_MAX / 1000} s: does the disk hang?`),
        SMARTCTL_MS_MAX,
      );
      const giveUp = (reason: string): void => {
        timer.clear();
        abandon(child);
        reject(new Error(reason));
      };
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > SMARTCTL_BYTES_MAX) giveUp(`smartctl printed more than ${SMARTCTL_BYTES_MAX} bytes`);
        else chunks.push(chunk);
      });
      child.once("error", (error) => {
        if (child.pid === undefined) this.#running.delete(device);
        giveUp(startFailure(error));
      });
      child.once("close", (status) => {
        timer.clear();
        resolve({ text: Buffer.concat(chunks).toString("utf8"), status });
      });
    });
  }
}

/** Kills it without waiting: a process that hangs in the kernel ends when the disk does. */
function abandon(child: ChildProcess): void {
  child.stdout?.destroy();
  child.kill("SIGKILL");
  child.unref();
}

function argumentsOf({ device, isRotational }: SmartQuestion, type: string | undefined): string[] {
  // A disk that does not spin is not woken by a request; some SSDs always report that they sleep.
  const asleep = isRotational === false ? "never" : `standby,${ASLEEP_STATUS}`;
  return ["--json=c", "-n", asleep, "-a", ...(type === undefined ? [] : ["-d", type]), device];
}

/** What smartctl need not probe for; probing may wake a disk. */
function typeOf({ kind }: SmartQuestion): string | undefined {
  if (kind === "ata") return "sat";
  return kind === "nvme" ? "nvme" : undefined;
}

function answerOf(
  output: SmartctlOutput,
  exitStatus: number | null,
  clock: Clock,
): SmartAnswer & { readonly wantsType?: boolean } {
  const status = exitStatus ?? output.smartctl.exit_status ?? 0;
  const messages = output.smartctl.messages
    .map(({ string }) => printable(string))
    .filter((said) => said !== "");
  if (status === ASLEEP_STATUS || messages.some((said) => /^Device is in \S+.* mode, exit/i.test(said)))
    return { kind: "asleep" };
  if (nothingWasRead(status)) {
    const reason = [exitStatusText(status), ...messages].join(": ").slice(0, REASON_LENGTH_MAX);
    const wantsType = messages.some((said) => /unknown usb bridge|specify device type/i.test(said));
    return { kind: "failed", reason, wantsType };
  }
  const reading = readingOf(output, Math.round(clock.nowUs() / US_PER_MS));
  // The status says it even where the disk's words are not in the JSON.
  const isFailing = (status & DISK_FAILING_BIT) !== 0;
  return {
    kind: "read",
    identity: identityOf(output),
    reading: reading !== undefined && isFailing ? { ...reading, passed: false } : reading,
  };
}

function startFailure(error: Error): string {
  const isMissing = "code" in error && error.code === "ENOENT";
  return isMissing ? "smartctl is not installed: install smartmontools" : `smartctl: ${error.message}`;
}

function notUnderstood({ text, status }: Printed): string {
  if (text === "" && status === null) return "smartctl was killed";
  const isOld = /UNRECOGNIZED OPTION|=======> INVALID/i.test(text.slice(0, SMARTCTL_BYTES_MAX));
  if (isOld) return "smartctl is older than 7.0 and knows no --json: install smartmontools 7 or newer";
  return `what smartctl printed is not understood (exit status ${status ?? "none"})`;
}

/** What an exit status says, bit by bit. */
function exitStatusText(status: number): string {
  return BITS.filter(([bit]) => (status & bit) !== 0)
    .map(([, text]) => text)
    .join("; ");
}

/** Whether nothing was read of the disk. */
function nothingWasRead(status: number): boolean {
  return (status & NOTHING_READ) !== 0;
}
