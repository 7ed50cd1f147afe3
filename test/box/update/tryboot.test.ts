import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CutScript } from "../../support/archive/cut-script.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { DEVICE_TREE, type PiStart, RaspberryPi } from "../../support/image/raspberry-pi.js";

/*
 * The boot back end of a Raspberry Pi and the hook of a bundle, as they are, on a folder; the firmware is simulated by its
 * documentation (test/support/image/raspberry-pi.ts).
 */

const RAUC_PARTS = join(REPOSITORY_ROOT, "image", "rauc");
const TRYBOOT = "0 tryboot";

let esp: string;
let root: string;
let scripts: CutScript;
let pi: RaspberryPi;

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The ESP of an image: slot a, of version 1. */
function makeEsp(): void {
  rmSync(esp, { recursive: true, force: true });
  const config = readFileSync(join(REPOSITORY_ROOT, "image/boot/config.txt"), "utf8");
  writeFiles(esp, { "config.txt": config.replaceAll("@SLOT@", "a"), "start4.elf": "firmware\n" });
  writeFiles(join(esp, "EFI/nvrd/a"), {
    vmlinuz: "version 1\n",
    "initrd.img": "version 1\n",
    [DEVICE_TREE]: "version 1\n",
    "cmdline.txt": "rauc.slot=a quiet\n",
  });
}

/** What RAUC has written into the slot before it calls the hook. */
function makeRoot(version: string): void {
  rmSync(root, { recursive: true, force: true });
  const text = `version ${version}\n`;
  writeFiles(join(root, "boot"), {
    vmlinuz: text,
    "initrd.img": text,
    cmdline: "quiet panic=10\n",
    [`dtb/${DEVICE_TREE}`]: text,
    "dtb/overlays/README": text,
  });
}

beforeEach(async () => {
  const directory = await temporaryDirectory();
  esp = join(directory, "esp");
  root = join(directory, "root");
  const machine = join(directory, "machine");
  scripts = new CutScript(
    directory,
    {
      NVRD_ESP: esp,
      NVRD_MACHINE: machine,
      NVRD_CMDLINE: join(machine, "proc/cmdline"),
      NVRD_LOCK: join(directory, "lock"),
      TMPDIR: directory,
    },
    // The last word is where to.
    { mount: `for to; do :; done\nexec /bin/cp -r ${root}/. "$to"\n`, mountpoint: "exit 1\n" },
  );
  pi = new RaspberryPi({ esp, machine });
  makeEsp();
  makeRoot("2");
  pi.cutPower();
});

const bootSlots = (...args: readonly string[]) => scripts.run(join(RAUC_PARTS, "boot-slots"), args);
const said = (...args: readonly string[]): string => bootSlots(...args).output;
const hook = (slot: string) =>
  scripts.run(join(RAUC_PARTS, "hook.sh"), ["slot-post-install"], {
    RAUC_SLOT_BOOTNAME: slot,
    RAUC_SLOT_DEVICE: "/dev/null",
  });

/** As RAUC does it: the slot out, its root written, the hook, the slot in. */
function install(slot = "b"): void {
  expect(bootSlots("set-state", slot, "bad")).toMatchObject({ status: 0 });
  expect(hook(slot)).toMatchObject({ status: 0 });
  expect(bootSlots("set-primary", slot)).toMatchObject({ status: 0 });
}

const whole = (version: string) => {
  const text = `version ${version}\n`;
  return { kernel: text, initramfs: text, deviceTree: text };
};
const FORMER = { configuration: "config.txt", slot: "a", loaded: whole("1") };
const TRIED = { configuration: "tryboot.txt", slot: "b", loaded: whole("2") };
const KEPT = { configuration: "config.txt", slot: "b", loaded: whole("2") };

describe("the boot back end of a Raspberry Pi", () => {
  it("has the installed slot wait until a restart is requested", () => {
    install();
    expect(said("awaits-try")).toBe("b");
    expect(said("get-primary")).toBe("b");
    expect(said("get-state", "b")).toBe("good");
    expect(pi.cutPower()).toEqual(FORMER);
    expect(said("arm-try")).toBe(TRYBOOT);
    expect(pi.restart(TRYBOOT)).toEqual(TRIED);
    expect(said("trial-state")).toBe("trial");
  });

  it("goes back to the previous slot at any other start", () => {
    install();
    pi.restart(said("arm-try"));
    expect(pi.cutPower()).toEqual(FORMER);
    expect(said("trial-state")).toBe("good");
    expect(said("awaits-try")).toBe("");
    expect(said("get-primary")).toBe("a");
    expect(said("get-state", "b")).toBe("bad");
  });

  it("tries a slot once: the restart after its try is a plain one", () => {
    install();
    pi.restart(said("arm-try"));
    pi.cutPower();
    expect(said("arm-try")).toBe("");
    expect(pi.restart()).toEqual(FORMER);
  });

  it("clears a finished try before another installation", () => {
    install();
    pi.restart(said("arm-try"));
    pi.cutPower();
    expect(existsSync(join(esp, "tryboot.txt"))).toBe(true);
    bootSlots("set-state", "b", "bad");
    expect(readdirSync(esp).filter((name) => name.startsWith("tryboot"))).toEqual([]);
  });

  it("keeps a slot that is marked good for all starts", () => {
    install();
    pi.restart(said("arm-try"));
    expect(bootSlots("set-state", "b", "good").status).toBe(0);
    expect(said("trial-state")).toBe("good");
    expect(existsSync(join(esp, "tryboot.txt"))).toBe(false);
    expect(pi.cutPower()).toEqual(KEPT);
    expect(said("get-primary")).toBe("b");
    expect(said("get-state", "a")).toBe("bad");
  });

  it("gives up a slot on trial that is marked bad", () => {
    install();
    pi.restart(said("arm-try"));
    expect(bootSlots("set-state", "b", "bad").status).toBe(0);
    expect(said("arm-try")).toBe("");
    expect(readdirSync(esp).filter((name) => name.startsWith("tryboot"))).toEqual([]);
    expect(pi.restart()).toEqual(FORMER);
  });

  it("installs into slot a when slot b is the good one", () => {
    install();
    pi.restart(said("arm-try"));
    bootSlots("set-state", "b", "good");
    makeRoot("3");
    install("a");
    expect(pi.restart(said("arm-try"))).toMatchObject({ slot: "a", loaded: whole("3") });
    bootSlots("set-state", "a", "good");
    expect(pi.cutPower()).toMatchObject({ slot: "a", configuration: "config.txt" });
  });

  it("leaves what the owner wrote into config.txt", () => {
    const file = join(esp, "config.txt");
    const own = `${readFileSync(file, "utf8").replaceAll("\n", "\r\n")}dtparam=pciex1_gen=3\r\n`;
    writeFileSync(file, own);
    install();
    pi.restart(said("arm-try"));
    bootSlots("set-state", "b", "good");
    expect(readFileSync(file, "utf8")).toBe(own.replace("nvrd/a/", "nvrd/b/"));
    expect(pi.cutPower()).toEqual(KEPT);
  });

  it("does not treat a config.txt that was changed on a running box as a trial", () => {
    const file = join(esp, "config.txt");
    writeFileSync(file, readFileSync(file, "utf8").replace("nvrd/a/", "nvrd/b/"));
    expect(said("trial-state")).toBe("good");
  });

  it.each(["vmlinuz", "initrd.img", "cmdline.txt", DEVICE_TREE])("tries no slot without its %s", (part) => {
    bootSlots("set-state", "b", "bad");
    hook("b");
    rmSync(join(esp, "EFI/nvrd/b", part));
    const { status, errors } = bootSlots("set-primary", "b");
    expect([status, errors]).toEqual([1, `boot-slots: error: slot b has no ${part} in the ESP\n`]);
    expect(said("get-primary")).toBe("a");
  });

  it("tries a slot by Debian's kernel with our module", () => {
    pi.withDebianKernel(["nvrd_tryboot"]);
    install();
    expect(pi.restart(said("arm-try"))).toEqual(TRIED);
  });

  it("reports before an installation that the kernel cannot request a try from the firmware", () => {
    pi.withDebianKernel([]);
    const { status, errors } = bootSlots("can-try");
    expect(status).toBe(1);
    expect(errors).toContain("this kernel cannot ask the firmware to try a slot");
  });

  it("never removes the slot that normal starts use", () => {
    expect(bootSlots("set-state", "a", "bad").status).toBe(1);
    expect(hook("a").status).toBe(1);
    expect(pi.cutPower()).toEqual(FORMER);
  });

  it("refuses a config.txt that names no slot", () => {
    writeFileSync(join(esp, "config.txt"), "arm_64bit=1\n");
    const { status, errors } = bootSlots("trial-state");
    expect(status).toBe(1);
    expect(errors).toContain("config.txt names no slot");
  });
});

describe("the hook of a bundle on a Raspberry Pi", () => {
  it("puts kernel, initramfs, device trees, overlays and command line into the slot's folder", () => {
    expect(hook("b").status).toBe(0);
    const folder = join(esp, "EFI/nvrd/b");
    expect(readdirSync(folder).sort()).toEqual(
      [DEVICE_TREE, "cmdline", "cmdline.txt", "initrd.img", "overlays", "vmlinuz"].sort(),
    );
    expect(readFileSync(join(folder, "overlays/README"), "utf8")).toBe("version 2\n");
    expect(readFileSync(join(folder, "cmdline.txt"), "utf8")).toBe("rauc.slot=b quiet panic=10\n");
    expect(existsSync(`${folder}.new`)).toBe(false);
  });
});

describe("power that goes before any change of an update of a Raspberry Pi", () => {
  /** The words of an update, by hand, as far as the power reaches. Answers the last start. */
  function update(): PiStart {
    let start = pi.cutPower();
    const steps = [
      () => bootSlots("set-state", "b", "bad"),
      () => hook("b"),
      () => bootSlots("set-primary", "b"),
      () => {
        const { output } = bootSlots("arm-try");
        if (!scripts.wasCut) start = pi.restart(output);
      },
      () => bootSlots("set-state", "b", "good"),
    ];
    for (const step of steps) {
      if (scripts.wasCut) break;
      step();
    }
    return scripts.wasCut ? pi.cutPower() : start;
  }

  it(
    "starts a complete slot, and the same commands finish it",
    () => {
      const seen = new Set<string>();
      for (let cut = 0; ; cut += 1) {
        makeEsp();
        scripts.cutBefore(cut);
        const start = update();
        const { wasCut } = scripts;
        scripts.cutBefore(Number.POSITIVE_INFINITY);
        if (!wasCut) {
          expect(start).toEqual(TRIED);
          break;
        }
        seen.add(start.slot);
        expect([FORMER, KEPT], `cut before change ${cut}`).toContainEqual(start);
        if (start.slot === "a") expect(update(), `again after change ${cut}`).toEqual(TRIED);
        expect(pi.cutPower()).toEqual(KEPT);
        expect(cut).toBeLessThan(80);
      }
      expect([...seen].sort()).toEqual(["a", "b"]);
    },
    PATIENCE_MS,
  );
});
