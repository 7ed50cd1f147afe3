import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DiskReport } from "../../../src/health/index.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { VirtualDisks } from "../../support/health/virtual-disks.js";

/** Machines in all; `npm run torture -- disks` asks for some. */
const MACHINES = Number(process.env.NVRD_TEST_DISK_MACHINES ?? 0);
/** An emulated machine takes half a minute to start Node when others work beside it. */
const MACHINE_TIMEOUT_MS = 5 * PATIENCE_MS;

const missing = MACHINES === 0 ? "it takes a minute: npm run torture -- disks" : VirtualDisks.missing();

const NVRD = "node /nvrd/bin/nvrd disk-report";

describe
  .skipIf(missing !== undefined)
  .each(Array.from({ length: Math.max(1, MACHINES) }, (_, index) => index + 1))(
  `machine %i${notHere(missing)}`,
  { timeout: MACHINE_TIMEOUT_MS },
  () => {
    let directory: TemporaryDirectory;
    let machine: VirtualDisks;

    beforeAll(async () => {
      directory = new TemporaryDirectory("disk-machine");
      machine = await VirtualDisks.start(directory.path);
    }, MACHINE_TIMEOUT_MS);

    afterAll(async () => {
      await machine?.stop();
      directory.remove();
    });

    async function report(): Promise<DiskReport> {
      const { output, status } = await machine.run(`${NVRD} --json`);
      expect(status).toBe(0);
      return JSON.parse(output) as DiskReport;
    }

    test("a SATA disk and an NVMe drive tell how they are", async () => {
      expect((await report()).disks).toMatchObject([
        {
          disk: { device: "/dev/nvme0n1", kind: "nvme", serial: "NVME-SERIAL-1" },
          identity: { model: "QEMU NVMe Ctrl" },
          smart: { passed: true, temperatureCelsius: 50, percentageUsed: 0, criticalWarnings: [] },
        },
        {
          disk: { device: "/dev/sda", kind: "ata", serial: "ATA-SERIAL-1", isRotational: true },
          identity: { model: "QEMU HARDDISK" },
          smart: { passed: true, temperatureCelsius: 31, reallocatedSectors: 0, failedAttributes: [] },
        },
        { disk: { device: "/dev/vda", kind: "other" }, smart: null },
      ]);
    });

    test("a drive that begins to fail is reported in plain words", async () => {
      await machine.setNvme("smart_critical_warning", 4);
      const { output } = await machine.run(NVRD);
      expect(output).toContain(
        "Disk nvme0n1 (QEMU NVMe Ctrl, serial NVME-SERIAL-1): it has become unreliable; replace it soon",
      );
      expect(output).toContain("Disk sda (QEMU HARDDISK, serial ATA-SERIAL-1): good");
      await machine.setNvme("smart_critical_warning", 0);
    });

    test("a mounted partition lies on its disk", async () => {
      await machine.run("mount -t ext4 /dev/sda1 /mnt");
      const script =
        'import("/nvrd/dist/health/disk/volume-disks.js").then(async (places) => {' +
        'const { SystemFiles } = await import("/nvrd/dist/health/disk/system-files.js");' +
        'console.log(JSON.stringify(await places.disksUnder(new SystemFiles(), "/mnt/video")));' +
        "});";
      expect((await machine.run(`node -e '${script}'`)).output.trim()).toBe('["sda"]');
    });
  },
);
