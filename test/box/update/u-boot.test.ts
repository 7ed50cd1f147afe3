import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CutScript, type ScriptEnd } from "../../support/archive/cut-script.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import {
  LOADER_GUID,
  readVariables,
  type UBootVariable,
  variablesFile,
} from "../../support/update/u-boot-variables.js";

const BOOT_SLOTS = join(REPOSITORY_ROOT, "image", "rauc", "boot-slots");
/** A variable of the owner's, of odd length. */
const OTHER: UBootVariable = {
  name: "Boot0000",
  attributes: 7,
  guid: "61dfe48bca93d211aa0d00e098032b8c",
  value: Buffer.from("virtio 0 and what else is in it", "latin1"),
};

let scripts: CutScript;
let directory: string;
let entries: string;
let store: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  const esp = join(directory, "esp");
  entries = join(esp, "loader", "entries");
  store = join(esp, "ubootefi.var");
  mkdirSync(entries, { recursive: true });
  mkdirSync(join(directory, "machine/proc/device-tree/chosen"), { recursive: true });
  writeFileSync(join(directory, "machine/proc/device-tree/chosen/u-boot,version"), "2025.01\0");
  scripts = new CutScript(directory, {
    NVRD_ESP: esp,
    NVRD_CMDLINE: join(directory, "cmdline"),
    NVRD_LOCK: join(directory, "lock"),
    NVRD_MACHINE: join(directory, "machine"),
  });
  for (const slot of ["a", "b"]) {
    mkdirSync(join(esp, "EFI/nvrd", slot), { recursive: true });
    for (const part of ["vmlinuz", "initrd.img"])
      writeFileSync(join(esp, "EFI/nvrd", slot, part), "kernel\n");
    writeFileSync(join(esp, "EFI/nvrd", slot, "cmdline"), "quiet panic=10\n");
  }
  writeFileSync(join(entries, "nvrd-a.conf"), "sort-key nvrd\nversion 1\noptions rauc.slot=a quiet\n");
  running("a");
});

const running = (slot: string): void => writeFileSync(join(directory, "cmdline"), `rauc.slot=${slot}\n`);
const names = (): readonly string[] => readdirSync(entries).sort();
const run = (...args: readonly string[]): ScriptEnd => scripts.run(BOOT_SLOTS, args);
const variables = (): readonly UBootVariable[] =>
  existsSync(store) ? readVariables(readFileSync(store)) : [];

/**
 * A start: U-Boot reads its variables, systemd-boot deletes the one start and takes the entry that it named, else the first
 * one by its sorting. Nothing is renamed. Answers the slot.
 */
function start(): string {
  const all = variables();
  const once = all.find(({ name, guid }) => name === "LoaderEntryOneShot" && guid === LOADER_GUID);
  if (once !== undefined) writeFileSync(store, variablesFile(all.filter((one) => one !== once)));
  const known = names().flatMap((file) => {
    const [, slot, left] = /^nvrd-([ab])(?:\+(\d+)(?:-\d+)?)?\.conf$/.exec(file) ?? [];
    const version = Number(/^version (\d+)$/m.exec(readFileSync(join(entries, file), "utf8"))?.[1]);
    const id = `nvrd-${slot}.conf\0`;
    return slot === undefined ? [] : [{ id, slot, version, isUsedUp: left === "0" }];
  });
  const named = known.find(({ id }) => id === once?.value.toString("utf16le"));
  const [first] = known.sort((x, y) => Number(x.isUsedUp) - Number(y.isUsedUp) || y.version - x.version);
  const slot = (named ?? first)?.slot;
  if (slot === undefined) throw new Error("nothing to boot");
  running(slot);
  return slot;
}

describe("the boot back end with U-Boot", () => {
  it("has the next start take the slot that was installed, and all others the good one", () => {
    expect(run("set-primary", "b")).toEqual({ status: 0, output: "", errors: "" });
    expect(names()).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
    expect([run("get-primary").output, run("get-state", "b").output]).toEqual(["b", "good"]);
    // The slot dies before its userspace: nothing counts.
    expect([start(), start(), start()]).toEqual(["b", "a", "a"]);
    expect([run("get-primary").output, run("get-state", "b").output]).toEqual(["a", "bad"]);
  });

  it("is known by its file of variables where the device tree does not tell its version", () => {
    rmSync(join(directory, "machine/proc"), { recursive: true });
    writeFileSync(store, variablesFile([OTHER]));
    run("set-primary", "b");
    expect([start(), start()]).toEqual(["b", "a"]);
  });

  it("keeps a slot that is marked good for all starts", () => {
    run("set-primary", "b");
    expect(start()).toBe("b");
    expect(run("trial-state").output).toBe("trial");
    expect(run("count-try").status).toBe(0);
    expect(run("set-state", "b", "good").status).toBe(0);
    expect([start(), start()]).toEqual(["b", "b"]);
    expect(run("trial-state").output).toBe("good");
  });

  it("gives no start to a slot that is given up before it", () => {
    run("set-primary", "b");
    expect(run("set-state", "b", "bad").status).toBe(0);
    expect(variables()).toEqual([]);
    expect(start()).toBe("a");
  });

  it("keeps the other variables of the firmware as they are", () => {
    const another = { ...OTHER, name: "LoaderEntryDefault", guid: LOADER_GUID, value: Buffer.from([1]) };
    writeFileSync(store, variablesFile([OTHER, another]));
    run("set-primary", "b");
    expect(variables().map(({ name }) => name)).toEqual([
      "Boot0000",
      "LoaderEntryDefault",
      "LoaderEntryOneShot",
    ]);
    expect(variables().slice(0, 2)).toEqual([OTHER, another]);
    expect(start()).toBe("b");
    expect(variables()).toEqual([OTHER, another]);
  });

  it.each([
    [
      "is damaged",
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 40), Buffer.from([0xff]), whole.subarray(41)]),
    ],
    ["is torn", (whole: Buffer) => whole.subarray(0, whole.length - 9)],
    ["is empty", () => Buffer.alloc(0)],
    ["is not one", () => Buffer.alloc(200_000, 0x55)],
  ])("replaces a file of variables that %s, as U-Boot ignores it", (_what, change) => {
    writeFileSync(store, change(variablesFile([OTHER])));
    expect(run("set-primary", "b").status).toBe(0);
    expect(variables().map(({ name }) => name)).toEqual(["LoaderEntryOneShot"]);
    expect([start(), start()]).toEqual(["b", "a"]);
  });

  it("takes back the one start when a good slot is made the next by hand", () => {
    run("set-primary", "b");
    expect(run("set-primary", "a").status).toBe(0);
    expect(variables()).toEqual([]);
    expect(start()).toBe("a");
  });

  it("leaves no slot that is started twice, wherever the power goes while it is installed", () => {
    const seen = new Set<string>();
    for (let cut = 0, wasCut = true; wasCut; cut += 1) {
      for (const name of names()) if (name !== "nvrd-a.conf") run("set-state", "b", "bad");
      running("a");
      scripts.cutBefore(cut);
      run("set-primary", "b");
      wasCut = scripts.wasCut;
      scripts.cutBefore(Number.POSITIVE_INFINITY);
      const starts = [start(), start(), start()].join("");
      expect(["aaa", "baa"]).toContain(starts);
      seen.add(starts);
    }
    expect([...seen].sort()).toEqual(["aaa", "baa"]);
  });
});
