import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The device tree that a Raspberry Pi 4 B looks for. */
export const DEVICE_TREE = "bcm2711-rpi-4-b.dtb";
/** What the kernel hands to the firmware: the partition, and words after it. */
const TRYBOOT = / tryboot/;

/** What the firmware started. */
export interface PiStart {
  readonly configuration: "config.txt" | "tryboot.txt";
  /** By the command line. */
  readonly slot: string;
  /** The text of the files it loaded, by what they are. */
  readonly loaded: Readonly<Record<"kernel" | "initramfs" | "deviceTree", string>>;
}

/**
 * The firmware of a Raspberry Pi 4 as raspberrypi.com documents it (config.txt: os_prefix, kernel, initramfs, cmdline; "Fail-safe
 * OS updates (tryboot)"), with a folder as its boot partition. What it leaves for the kernel lies below `machine` as in a
 * Linux that runs: /proc/cmdline and the device tree. No overlays: the image has none.
 */
export class RaspberryPi {
  readonly #esp: string;
  readonly #machine: string;
  #flag = false;

  constructor({ esp, machine }: { readonly esp: string; readonly machine: string }) {
    this.#esp = esp;
    this.#machine = machine;
    mkdirSync(join(machine, "proc/device-tree/chosen/bootloader"), { recursive: true });
    mkdirSync(join(machine, "dev"), { recursive: true });
    writeFileSync(join(machine, "dev/vcio"), "");
  }

  /** From now on the kernel is Debian's, which hands the restart's argument on by our module alone. */
  withDebianKernel(modules: readonly string[]): void {
    rmSync(join(this.#machine, "dev/vcio"));
    for (const name of modules) mkdirSync(join(this.#machine, "sys/module", name), { recursive: true });
  }

  /** Restarts it as `reboot ARGUMENT` does; the flag lasts over this restart alone. */
  restart(argument = ""): PiStart {
    const has = (name: string): boolean => existsSync(join(this.#machine, name));
    // Raspberry Pi's kernel looks for the word, image/tryboot-module for all of it.
    this.#flag =
      (has("dev/vcio") && TRYBOOT.test(argument)) ||
      (has("sys/module/nvrd_tryboot") && argument === "0 tryboot");
    return this.#start();
  }

  /** The power goes and comes back, or the watchdog restarts it. */
  cutPower(): PiStart {
    this.#flag = false;
    return this.#start();
  }

  #start(): PiStart {
    const configuration = this.#flag ? "tryboot.txt" : "config.txt";
    const tries = Buffer.alloc(4);
    tries.writeUInt32BE(this.#flag ? 1 : 0);
    this.#flag = false; // cleared before anything is loaded
    const settings = settingsIn(this.#read(configuration, "the firmware finds no configuration"));
    const named = (key: string): string => settings.get(key) ?? "";
    const wanted = named("os_prefix");
    // "unless the expected kernel and .dtb can be found at the new location/name, the prefix is ignored"
    const isViable = [named("kernel"), DEVICE_TREE].every((name) =>
      existsSync(join(this.#esp, wanted + name)),
    );
    const prefix = isViable ? wanted : "";
    const loaded = {
      kernel: this.#read(prefix + named("kernel"), "no kernel is found"),
      initramfs: this.#read(prefix + named("initramfs"), "no first root is found"),
      deviceTree: this.#read(prefix + DEVICE_TREE, "no device tree is found"),
    };
    const cmdline = this.#read(prefix + named("cmdline"), "no command line is found");
    writeFileSync(join(this.#machine, "proc/cmdline"), cmdline);
    writeFileSync(join(this.#machine, "proc/device-tree/chosen/bootloader/tryboot"), tries);
    const slot = /rauc\.slot=(\S+)/.exec(cmdline)?.[1] ?? "";
    return { configuration, slot, loaded };
  }

  #read(name: string, otherwise: string): string {
    const file = join(this.#esp, name);
    if (!existsSync(file)) throw new Error(`the Raspberry Pi does not start: ${otherwise} (${name})`);
    return readFileSync(file, "utf8");
  }
}

/** `key=value` lines; `initramfs FILE ADDRESS` has no sign. */
function settingsIn(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, file] = /^initramfs (\S+) \S+$/.exec(line) ?? [];
    const [, key, value] = /^([a-z0-9_]+)=(.*)$/.exec(line.trim()) ?? [];
    if (file !== undefined) settings.set("initramfs", file);
    else if (key !== undefined && value !== undefined) settings.set(key, value);
  }
  return settings;
}
