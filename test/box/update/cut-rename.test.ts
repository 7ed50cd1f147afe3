import { closeSync, openSync, readFileSync, readSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { missingForImage, runTool } from "../../support/image/image-parts.js";

const missing = missingForImage();
const ESP_BYTES = 64 * 1024 * 1024;
const ENTRY_BYTES = 32;
/** Of a directory entry (Microsoft FAT specification, section 6): the first cluster's halves with what lies between, the size. */
const CLUSTER_AND_SIZE = [
  [20, 22],
  [26, 32],
] as const;
/** The short names as they lie in a directory. */
const CONFIG = "CONFIG  TXT";
const TRYBOOT = "TRYBOOT TXT";

/** Has config.txt name the clusters of tryboot.txt, as a power cut between the two entries of a rename leaves them. */
function cutRename(image: string): void {
  const boot = Buffer.alloc(512);
  const file = openSync(image, "r+");
  readSync(file, boot, 0, boot.length, 0);
  const sectorBytes = boot.readUInt16LE(11);
  const root = (boot.readUInt16LE(14) + boot.readUInt8(16) * boot.readUInt32LE(36)) * sectorBytes;
  const directory = Buffer.alloc(sectorBytes);
  readSync(file, directory, 0, directory.length, root);
  const place = (name: string): number => {
    for (let at = 0; at < directory.length; at += ENTRY_BYTES)
      if (directory.toString("latin1", at, at + name.length) === name) return at;
    throw new Error(`no entry ${name}`);
  };
  for (const [from, to] of CLUSTER_AND_SIZE)
    directory.copy(directory, place(CONFIG) + from, place(TRYBOOT) + from, place(TRYBOOT) + to);
  writeSync(file, directory, 0, directory.length, root);
  closeSync(file);
}

it.skipIf(missing !== undefined)(
  `a rename over config.txt that was cut in its middle is whole, and stays so when the ESP is checked${notHere(missing)}`,
  async () => {
    const folder = await temporaryDirectory();
    const image = join(folder, "esp");
    writeFileSync(image, "");
    truncateSync(image, ESP_BYTES);
    runTool("mkfs.vfat", ["-F", "32", image]);
    const config = readFileSync(join(REPOSITORY_ROOT, "image/boot/config.txt"), "utf8");
    for (const [name, slot] of [
      ["config.txt", "a"],
      ["tryboot.txt", "b"],
    ] as const) {
      writeFileSync(join(folder, name), config.replaceAll("@SLOT@", slot));
      runTool("mcopy", ["-i", image, join(folder, name), `::${name}`]);
    }
    cutRename(image);
    const wanted = config.replaceAll("@SLOT@", "b");
    expect(runTool("mtype", ["-i", image, "::config.txt"])).toBe(wanted);
    // What is mended makes it end with status 1: systemd-fsck takes that for well.
    runTool("sh", ["-c", `fsck.vfat -a '${image}' || [ $? -eq 1 ]`]);
    expect(runTool("mtype", ["-i", image, "::config.txt"])).toBe(wanted);
    expect(runTool("fsck.vfat", ["-n", image])).not.toContain("share clusters");
  },
);
