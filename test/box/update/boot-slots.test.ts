import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CutScript, type ScriptEnd } from "../../support/archive/cut-script.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");

let scripts: CutScript;
let directory: string;
let entries: string;

function writeEntry(name: string, slot: string, version: number): void {
  writeFileSync(
    join(entries, name),
    `title nvrd\nsort-key nvrd\nversion ${version}\nlinux /EFI/nvrd/${slot}/vmlinuz\n` +
      `initrd /EFI/nvrd/${slot}/initrd.img\noptions rauc.slot=${slot} quiet\n`,
  );
}

function writeKernel(slot: string): void {
  const folder = join(directory, "esp", "EFI", "nvrd", slot);
  mkdirSync(folder, { recursive: true });
  for (const part of ["vmlinuz", "initrd.img"]) writeFileSync(join(folder, part), "kernel\n");
  writeFileSync(join(folder, "cmdline"), "quiet panic=10\n");
}

beforeEach(async () => {
  directory = await temporaryDirectory();
  entries = join(directory, "esp", "loader", "entries");
  scripts = new CutScript(directory, {
    NVRD_ESP: join(directory, "esp"),
    NVRD_CMDLINE: join(directory, "cmdline"),
    NVRD_LOCK: join(directory, "lock"),
  });
  mkdirSync(entries, { recursive: true });
  writeEntry("nvrd-a.conf", "a", 1);
  for (const slot of ["a", "b"]) writeKernel(slot);
  writeFileSync(join(directory, "cmdline"), "quiet rauc.slot=a root=/dev/nvrd/a\n");
});

const running = (slot: string): void => writeFileSync(join(directory, "cmdline"), `rauc.slot=${slot}\n`);
const names = (): readonly string[] => readdirSync(entries).sort();

const run = (args: readonly string[]): ScriptEnd => scripts.run(BOOT_SLOTS, args);

/** The same with the power going before the n-th change. Answers whether it went. */
function runCut(args: readonly string[], cut: number): boolean {
  scripts.cutBefore(cut);
  run(args);
  const { wasCut } = scripts;
  scripts.cutBefore(Number.POSITIVE_INFINITY);
  return wasCut;
}

/** What systemd-boot takes, as its sort order says (sd-boot: boot counting): the slot, and its entry's file. */
function nextBoot(): { slot: string; file: string } {
  const known = names().flatMap((file) => {
    const [, slot, left] = /^nvrd-([ab])(?:\+(\d+)(?:-\d+)?)?\.conf$/.exec(file) ?? [];
    const version = Number(/^version (\d+)$/m.exec(readFileSync(join(entries, file), "utf8"))?.[1]);
    return slot === undefined ? [] : [{ file, slot, version, isUsedUp: left === "0" }];
  });
  const [first] = known.sort((x, y) => Number(x.isUsedUp) - Number(y.isUsedUp) || y.version - x.version);
  if (first === undefined) throw new Error("nothing to boot");
  return first;
}

describe("the boot back end", () => {
  it("has the next boot take the slot that was installed, once", () => {
    expect(run(["set-primary", "b"]).status).toBe(0);
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b+1.conf"]);
    expect(run(["get-primary"]).output).toBe("b");
    expect(nextBoot().slot).toBe("b");
    expect(readFileSync(join(entries, "nvrd-b+1.conf"), "utf8")).toContain(
      "version 2\nlinux /EFI/nvrd/b/vmlinuz\ninitrd /EFI/nvrd/b/initrd.img\noptions rauc.slot=b quiet panic=10\n",
    );
  });

  it("falls back when the one try is used up", () => {
    writeEntry("nvrd-b+0-1.conf", "b", 2);
    expect(run(["get-primary"]).output).toBe("a");
    expect(run(["get-state", "b"]).output).toBe("bad");
    expect(nextBoot().slot).toBe("a");
  });

  it("keeps a slot that is marked good for all boots", () => {
    writeEntry("nvrd-b+0-1.conf", "b", 2);
    running("b");
    expect(run(["trial-state"]).output).toBe("trial");
    expect(run(["set-state", "b", "good"]).status).toBe(0);
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b.conf"]);
    expect(run(["trial-state"]).output).toBe("good");
    expect(run(["get-primary"]).output).toBe("b");
  });

  it("removes the entry of a bad slot", () => {
    writeEntry("nvrd-b.conf", "b", 2);
    expect(run(["set-state", "b", "bad"]).status).toBe(0);
    expect(names()).toEqual(["nvrd-a.conf"]);
    expect(run(["get-state", "b"]).output).toBe("bad");
  });

  it("goes back to a good slot by hand without a trial", () => {
    writeEntry("nvrd-b.conf", "b", 5);
    running("b");
    expect(run(["set-primary", "a"]).status).toBe(0);
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b.conf"]);
    expect(run(["get-primary"]).output).toBe("a");
    expect(readFileSync(join(entries, "nvrd-a.conf"), "utf8")).toContain("version 6\n");
  });

  it("counts a try that the firmware could not record", () => {
    writeEntry("nvrd-b+1.conf", "b", 2);
    running("b");
    expect(run(["count-try"]).status).toBe(0);
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
    expect(run(["count-try"]).status).toBe(0);
    expect(run(["trial-state"]).output).toBe("trial");
  });

  it("leaves a try to systemd-boot: no restart need be armed for it", () => {
    run(["set-primary", "b"]);
    for (const word of ["can-try", "awaits-try", "arm-try"])
      expect(run([word])).toEqual({ status: 0, output: "", errors: "" });
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b+1.conf"]);
  });

  it("uses systemd-boot if an owner has left a config.txt", () => {
    writeFileSync(join(directory, "esp", "config.txt"), "os_prefix=EFI/nvrd/b/\n");
    expect(run(["get-primary"]).output).toBe("a");
  });

  it("does not boot a slot whose kernel is not in the ESP", () => {
    rmSync(join(directory, "esp/EFI/nvrd/b/initrd.img"));
    const { status, errors } = run(["set-primary", "b"]);
    expect(status).toBe(1);
    expect(errors).toContain("slot b has no initrd.img in the ESP");
    expect(names()).toEqual(["nvrd-a.conf"]);
  });

  it.each([
    ["set-primary", "c"],
    ["set-primary", "../a"],
    ["set-state", "a", "maybe"],
    ["get-state"],
    ["reboot"],
    [],
  ])("refuses %s %s %s", (...args) => {
    const { status, errors } = run(args.filter((word) => word !== undefined));
    expect(status).toBe(1);
    expect(errors).toMatch(/^boot-slots: error: /);
    expect(names()).toEqual(["nvrd-a.conf"]);
  });
});

describe("power that goes before any change of the boot back end", () => {
  const scenes = [
    {
      what: "while a slot is made the next",
      before: () => undefined,
      args: ["set-primary", "b"],
      slots: "ab",
    },
    {
      what: "while it is made the next over an older entry",
      before: () => writeEntry("nvrd-b+0-1.conf", "b", 2),
      args: ["set-primary", "b"],
      slots: "ab",
    },
    {
      what: "while a slot is taken out before it is written",
      before: () => writeEntry("nvrd-b.conf", "b", 0),
      args: ["set-state", "b", "bad"],
      slots: "a",
    },
    {
      what: "while a slot is marked good",
      before: () => {
        writeEntry("nvrd-b+0-1.conf", "b", 2);
        running("b");
      },
      args: ["set-state", "b", "good"],
      slots: "ab",
    },
  ];

  it.each(scenes)(
    "$what leaves a complete entry to boot, and the same commands finish it",
    ({ before, args, slots }) => {
      for (let cut = 0; ; cut += 1) {
        for (const name of names()) rmSync(join(entries, name));
        writeEntry("nvrd-a.conf", "a", 1);
        before();
        const wasCut = runCut(args, cut);
        const { slot, file } = nextBoot();
        expect(slots).toContain(slot);
        expect(readFileSync(join(entries, file), "utf8")).toMatch(
          /^title [\s\S]*\nlinux [\s\S]*\noptions rauc\.slot=[ab] .*\n$/,
        );
        expect(readFileSync(join(entries, "nvrd-a.conf"), "utf8")).toContain("version 1\n");
        expect(run(args).status).toBe(0);
        expect(names().filter((name) => name.startsWith("nvrd-b")).length).toBe(args.includes("bad") ? 0 : 1);
        if (!wasCut) break;
        expect(cut).toBeLessThan(30);
      }
    },
  );
});
