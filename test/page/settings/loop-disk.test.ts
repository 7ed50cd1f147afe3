import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopDisk, loopDiskMissing, run } from "../../support/disk/loop-disk.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";

const DISK_BYTES = 256 * 1024 * 1024;
const LABEL = "nvrd-0a1b2c3d";
const missing = noBrowser ?? loopDiskMissing();

describe.skipIf(missing !== undefined)(`a disk that is plugged in${notHere(missing)}`, () => {
  const browser = new PageBrowser();
  let directory: TemporaryDirectory;
  let disk: LoopDisk;
  let point: string;
  let recorder: PageService;

  beforeAll(async () => {
    directory = new TemporaryDirectory("page-disk");
    disk = LoopDisk.attach(DISK_BYTES);
    run("mkfs.ext4", ["-q", "-F", "-L", LABEL, disk.device]);
    point = directory.join("srv", LABEL);
    mkdirSync(point, { recursive: true });
    const settings = {
      segmentSeconds: 5,
      volumesDirectory: directory.join("srv"),
      diskKeeper: directory.join("no-keeper.sock"),
      diskReport: directory.join("no-report.json"),
    };
    recorder = await PageService.start({ cameras: ["Gate"], settings, recordedUs: 1_000_000 });
  });

  afterAll(async () => {
    await browser.close();
    await recorder?.stop();
    if (run("cat", ["/proc/self/mountinfo"]).includes(` ${point} `)) run("umount", ["-l", point]);
    disk?.remove();
    directory?.remove();
  });

  it("is on the page by itself, is recorded onto, taken out of use, and then out", () =>
    browser.visit(
      recorder.origin,
      { address: "#/settings?part=disks", patienceMs: 60_000 },
      async (visit) => {
        await visit.logIn();
        await visit.heading("Disks and recordings").waitFor();
        disk.mount(point);
        // On this machine the file behind it is on another disk: its place is a row within that one's.
        const place = visit.page.getByRole("listitem").filter({ hasText: point }).last();
        await place.getByText("recordings go here").waitFor();
        await visit.button(`Take out of use: ${point}`).click();
        await visit.button("Take out of use").click();
        await place.getByText(/not recorded onto any more/).waitFor();
        await place.getByText(/still on it|It is empty/).waitFor();
        await visit.button(`Take it out now: ${point}`).click();
        const dialog = visit.page.getByRole("dialog");
        await dialog.waitFor();
        const sure = dialog.getByRole("checkbox");
        if ((await sure.count()) > 0) await sure.check();
        await dialog.getByRole("button", { name: "Take it out now" }).click();
        await visit.page.getByText(/^You may pull the disk out now\./).waitFor();
        await expect.poll(() => visit.page.getByText(point).count()).toBe(0);
        run("umount", [point]);
      },
    ));
});
