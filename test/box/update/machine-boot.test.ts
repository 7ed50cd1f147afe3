import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import {
  BOOT_MS,
  BootMachine,
  type BootMachineOptions,
  bootMachineMissing,
  endsOf,
  FIRMWARES,
  FirstRoots,
  fetchBootParts,
} from "../../support/update/boot-machine.js";

/*
 * What each firmware starts, by the entries of the boot back end: a slot once, then the good one, whatever the slot does and
 * whenever the power goes. `npm run torture -- update`.
 */

/** Several starts, each of which may take as long as that. */
const STARTS_MS = 4 * BOOT_MS;
const missing =
  process.env.NVRD_TEST_UPDATE_MACHINE === undefined
    ? "it takes minutes: npm run torture -- update"
    : bootMachineMissing();

let directory: TemporaryDirectory;
let firstRoots: FirstRoots;
let machine: BootMachine | undefined;

beforeAll(() => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("machine-boot");
  fetchBootParts();
  firstRoots = new FirstRoots(directory.path);
}, BOOT_MS);

afterEach(async () => {
  await machine?.cut();
});

afterAll(() => directory?.remove());

function make(options: Pick<BootMachineOptions, "firmware" | "firstRootOfB" | "rootOfB">): BootMachine {
  machine = new BootMachine({ ...options, folder: directory.join("box"), firstRoots });
  return machine;
}

describe.skipIf(missing !== undefined).each(FIRMWARES)(`a slot under %s${notHere(missing)}`, (firmware) => {
  const usedUp = ["nvrd-a.conf", "nvrd-b+0-1.conf"];

  it("is started once when nothing calls it good", { timeout: STARTS_MS }, async () => {
    const box = make({ firmware, firstRootOfB: "works" });
    box.bootSlots("a", "set-primary", "b");
    expect(endsOf(await box.runUntil(/BOOTED a/))).toEqual(["BOOTED b", "BOOTED a"]);
    expect(box.entries).toEqual(usedUp);
  });

  it("is started once when its kernel panics before its first root runs", {
    timeout: STARTS_MS,
  }, async () => {
    const box = make({ firmware, firstRootOfB: "broken" });
    box.bootSlots("a", "set-primary", "b");
    const output = await box.runUntil(/(BOOTED a[\s\S]*){2}/);
    expect(endsOf(output).slice(0, 3)).toEqual(["Kernel panic", "BOOTED a", "BOOTED a"]);
    expect(box.entries).toEqual(usedUp);
    if (firmware === "U-Boot") expect(box.uBootVariables).not.toContain("LoaderEntryOneShot");
  });

  it.each([
    ["absent", "nvrd: no partition is labelled nvrd-b"],
    ["noise", "nvrd: the root does not mount"],
    ["empty", "nvrd: the root is none"],
  ] as const)("is started once when its root is %s", { timeout: STARTS_MS }, async (rootOfB, end) => {
    const box = make({ firmware, firstRootOfB: "image", rootOfB });
    box.bootSlots("a", "set-primary", "b");
    expect(endsOf(await box.runUntil(/BOOTED a/))).toEqual([end, "BOOTED a"]);
    expect(box.entries).toEqual(usedUp);
  });

  it.each([
    ["before the boot loader", /U-Boot \d{4}|BdsDxe: |UEFI firmware/, ["BOOTED b", "BOOTED a"]],
    ["as its kernel starts", /EFI stub: /, ["BOOTED a"]],
    ["as it runs", /BOOTED b/, ["BOOTED a"]],
  ])("is started at most once when the power goes %s", { timeout: STARTS_MS }, async (_when, said, ends) => {
    const box = make({ firmware, firstRootOfB: "works" });
    box.bootSlots("a", "set-primary", "b");
    await box.runUntil(said);
    expect(endsOf(await box.runUntil(/BOOTED a/))).toEqual(ends);
    expect(box.entries).toEqual(usedUp);
  });

  it("is started each time once it was called good", { timeout: STARTS_MS }, async () => {
    const box = make({ firmware, firstRootOfB: "works" });
    box.bootSlots("a", "set-primary", "b");
    box.bootSlots("b", "count-try");
    box.bootSlots("b", "set-state", "b", "good");
    const output = await box.runUntil(/(BOOTED [ab][\s\S]*){2}/);
    expect(endsOf(output).slice(0, 2)).toEqual(["BOOTED b", "BOOTED b"]);
  });

  it("gives way to the former one when that is made the next by hand", { timeout: STARTS_MS }, async () => {
    const box = make({ firmware, firstRootOfB: "works" });
    box.bootSlots("a", "set-primary", "b");
    box.bootSlots("b", "set-state", "b", "good");
    box.bootSlots("b", "set-primary", "a");
    expect(endsOf(await box.runUntil(/BOOTED [ab]/))).toEqual(["BOOTED a"]);
  });

  it("that a version installed which knows no U-Boot is counted by its own first root", {
    timeout: STARTS_MS,
  }, async () => {
    const box = make({ firmware, firstRootOfB: "image", rootOfB: "noise" });
    box.writeEntry("nvrd-b+1.conf", "b", 2);
    const output = await box.runUntil(/BOOTED a/);
    if (firmware === "U-Boot") expect(output).toMatch(/Access denied/i);
    expect(endsOf(output)).toEqual(["nvrd: the root does not mount", "BOOTED a"]);
    expect(box.entries).toEqual(usedUp);
  });
});
