/**
 * The child process for queries that may block: `node disk-names-child.js DIRECTORY…` prints, as one line of JSON, where
 * each directory really lies and what systeminformation knows of the block devices.
 */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { errorText } from "../../base/index.js";
import type { DiskNamesPrinted } from "./disk-names.js";

/** Without udev's data lsblk would read from the disks themselves, and wake those that sleep. */
const UDEV_DATA = "/run/udev/data";

async function devices(): Promise<DiskNamesPrinted["devices"]> {
  if (!existsSync(UDEV_DATA)) return [];
  const { blockDevices } = await import("systeminformation");
  const found = await blockDevices();
  return found
    .filter(({ type }) => type === "disk")
    .map(({ name, model, serial }) => ({ name, model, serial }));
}

async function print(): Promise<void> {
  const directories: DiskNamesPrinted["directories"] = {};
  for (const directory of process.argv.slice(2)) {
    // A volume whose disk is absent keeps its path as it is until the disk is back.
    directories[directory] = await realpath(directory).catch(() => directory);
  }
  try {
    const printed: DiskNamesPrinted = { directories, devices: await devices() };
    process.stdout.write(`${JSON.stringify(printed)}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ directories, devices: [], problem: errorText(error) })}\n`);
  }
}

void print();
