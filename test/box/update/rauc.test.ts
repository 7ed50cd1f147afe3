import { execFileSync } from "node:child_process";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { DEVICE_TREE, type RaspberryPi } from "../../support/image/raspberry-pi.js";
import { RaucBox, raucMissing } from "../../support/update/rauc-box.js";
import { readVariables } from "../../support/update/u-boot-variables.js";

const missing = raucMissing();

describe.skipIf(missing !== undefined)(`real RAUC on slots in files${notHere(missing)}`, () => {
  let box: RaucBox;

  beforeEach(async () => {
    box = await RaucBox.make();
  }, PATIENCE_MS);

  afterEach(() => box.stop());

  const install = async (bundle: string): Promise<readonly number[]> => {
    const percents: number[] = [];
    await box.system().install(bundle, (percent) => percents.push(percent));
    return percents;
  };
  const slotHolds = (slot: string, version: string): boolean => {
    const root = readFileSync(join(box.directory, `root-${version}.squashfs`));
    return readFileSync(box.slotFile(slot)).subarray(0, root.length).equals(root);
  };

  it("installs a good bundle into the other slot and has the next boot try it once", async () => {
    const bundle = box.bundle();
    await box.start();
    const former = readFileSync(box.slotFile("a"));
    const percents = await install(bundle);
    expect(percents.at(-1)).toBe(100);
    expect(slotHolds("b", "2.0.0")).toBe(true);
    expect(readFileSync(box.slotFile("a")).equals(former)).toBe(true);
    expect(box.entries()).toEqual(["nvrd-a.conf", "nvrd-b+1.conf"]);
    expect(readFileSync(join(box.esp, "loader/entries/nvrd-b+1.conf"), "utf8")).toBe(
      "title nvrd (slot b)\nsort-key nvrd\nversion 2\nlinux /EFI/nvrd/b/vmlinuz\n" +
        "initrd /EFI/nvrd/b/initrd.img\noptions rauc.slot=b cmdline of 2.0.0\n",
    );
    expect(readFileSync(join(box.esp, "EFI/nvrd/b/vmlinuz"), "utf8")).toBe("vmlinuz of 2.0.0\n");
  });

  it("installs into slot a when slot b runs", async () => {
    const bundle = box.bundle();
    box.boot("b");
    await box.start();
    await install(bundle);
    expect(slotHolds("a", "2.0.0")).toBe(true);
    expect(box.entries()).toEqual(["nvrd-a+1.conf"]);
  });

  it("reports version and box type of a bundle by its signature only", async () => {
    expect(await box.system().bundleInfo(box.bundle())).toMatchObject({
      version: "2.0.0",
      compatible: "nvrd-test-amd64",
    });
  });

  it("reports them for a bundle that dm-verity checks, as boxes get it", async () => {
    const bundle = box.bundle({ format: "verity" });
    expect(await box.system().bundleInfo(bundle)).toMatchObject({ version: "2.0.0" });
  });

  it.each([
    ["a bundle of a foreign signer", () => box.bundle({ keys: box.foreignKeys() })],
    ["a bundle that was cut short", () => cut(box.bundle())],
    ["a bundle of which a byte was changed", () => changed(box.bundle())],
    ["a file that is no bundle", () => noBundle(box.directory)],
    ["a bundle without a signature", () => unsigned(box.bundle())],
  ])("refuses %s", async (_what, make) => {
    const bundle = make();
    await box.start();
    const before = readFileSync(box.slotFile("b"));
    await expect(box.system().bundleInfo(bundle)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(install(bundle)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(readFileSync(box.slotFile("b")).equals(before)).toBe(true);
    expect(box.bootSlots("get-primary")).toBe("a");
  });

  it("refuses a bundle for another kind of box when it is to be installed", async () => {
    const bundle = box.bundle({ compatible: "nvrd-other-arm64" });
    await box.start();
    const before = readFileSync(box.slotFile("b"));
    await expect(install(bundle)).rejects.toThrow(/compatible/i);
    expect(readFileSync(box.slotFile("b")).equals(before)).toBe(true);
  });

  it("leaves the box with the slot that runs when the new root lacks its kernel", async () => {
    const bundle = box.bundle({ version: "3.0.0", lacks: "initrd.img" });
    await box.start();
    await expect(install(bundle)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(box.entries()).toEqual(["nvrd-a.conf"]);
    expect(box.bootSlots("get-primary")).toBe("a");
  });

  it("installs an older version as well", async () => {
    const bundle = box.bundle({ version: "0.9.0" });
    await box.start();
    await install(bundle);
    expect(slotHolds("b", "0.9.0")).toBe(true);
  });
});

describe.skipIf(missing !== undefined)(
  `real RAUC of a version that does not know U-Boot${notHere(missing)}`,
  () => {
    let box: RaucBox;

    beforeEach(async () => {
      box = await RaucBox.makeFormer();
      await box.start();
    }, PATIENCE_MS);

    afterEach(() => box.stop());

    it("leaves the entry that U-Boot starts once, by the back end of the new version", async () => {
      await box.system().install(box.bundle(), () => undefined);
      expect(box.entries()).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
      const variables = readVariables(readFileSync(join(box.esp, "ubootefi.var")));
      expect(variables.map(({ name }) => name)).toEqual(["LoaderEntryOneShot"]);
    });

    it("installs once more after an installation of the same run failed", async () => {
      const bundle = box.bundle({ version: "3.0.0", lacks: "cmdline" });
      await expect(box.system().install(bundle, () => undefined)).rejects.toMatchObject({
        code: "NOT_AVAILABLE",
      });
      await box.system().install(box.bundle(), () => undefined);
      await box.system().install(box.bundle({ version: "4.0.0" }), () => undefined);
      expect(box.entries()).toEqual(["nvrd-a.conf", "nvrd-b+0-1.conf"]);
    });
  },
);

describe.skipIf(missing !== undefined)(`real RAUC on a Raspberry Pi of files${notHere(missing)}`, () => {
  let box: RaucBox;
  let pi: RaspberryPi;

  beforeEach(async () => {
    ({ box, pi } = await RaucBox.makePi());
    await box.start();
  }, PATIENCE_MS);

  afterEach(() => box.stop());

  it("installs its bundle, restarts into it by the firmware's flag, and keeps it", async () => {
    const bundle = box.bundle();
    const system = box.system();
    expect(await system.bundleInfo(bundle)).toMatchObject({ version: "2.0.0", compatible: "nvrd-rpi-arm64" });
    await system.install(bundle, () => undefined);
    expect(await system.bootState()).toMatchObject({ slot: "a", onTrial: false, awaitsTry: true });
    await system.restart();
    expect(box.systemctl).toEqual([["--no-block", "--reboot-argument=0 tryboot", "reboot"]]);
    const tried = pi.restart("0 tryboot");
    expect(tried).toEqual({
      configuration: "tryboot.txt",
      slot: "b",
      loaded: {
        kernel: "vmlinuz of 2.0.0\n",
        initramfs: "initrd.img of 2.0.0\n",
        deviceTree: `${DEVICE_TREE} of 2.0.0\n`,
      },
    });
    expect(await system.bootState()).toMatchObject({ slot: "b", onTrial: true, awaitsTry: false });
    await system.markGood();
    expect(pi.cutPower()).toEqual({ ...tried, configuration: "config.txt" });
    expect(await system.bootState()).toMatchObject({ slot: "b", onTrial: false });
  });

  it("gives up a version that is marked bad by a plain restart", async () => {
    const system = box.system();
    await system.install(box.bundle(), () => undefined);
    await system.restart();
    pi.restart("0 tryboot");
    await system.markBad();
    await system.restart();
    expect(box.systemctl.at(-1)).toEqual(["--no-block", "reboot"]);
    expect(pi.restart()).toMatchObject({ configuration: "config.txt", slot: "a" });
  });

  it("installs nothing if the kernel cannot request a try, and reports it", async () => {
    pi.withDebianKernel([]);
    const before = readFileSync(box.slotFile("b"));
    await expect(box.system().install(box.bundle(), () => undefined)).rejects.toThrow(
      "this kernel cannot ask the firmware to try a slot",
    );
    expect(readFileSync(box.slotFile("b")).equals(before)).toBe(true);
  });

  it("accepts no bundle for a generic box", async () => {
    const bundle = box.bundle({ compatible: "nvrd-generic-arm64" });
    await expect(box.system().install(bundle, () => undefined)).rejects.toThrow(/compatible/i);
  });
});

function cut(bundle: string): string {
  truncateSync(bundle, statSync(bundle).size - 600);
  return bundle;
}

function changed(bundle: string): string {
  const bytes = readFileSync(bundle);
  bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
  writeFileSync(bundle, bytes);
  return bundle;
}

function noBundle(directory: string): string {
  const file = join(directory, "none.raucb");
  writeFileSync(file, "no bundle\n".repeat(1000));
  return file;
}

/** The squashfs alone, as the signature's length at the end of the file tells where it ends. */
function unsigned(bundle: string): string {
  const bytes = readFileSync(bundle);
  const signatureBytes = Number(bytes.readBigUInt64BE(bytes.length - 8));
  writeFileSync(bundle, bytes.subarray(0, bytes.length - 8 - signatureBytes));
  execFileSync("unsquashfs", ["-s", bundle], { stdio: "ignore" });
  return bundle;
}
