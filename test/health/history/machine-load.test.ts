import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, MachineLoadReader } from "../../../src/health/index.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

let root: TemporaryDirectory;
let nowUs: number;

beforeEach(() => {
  root = new TemporaryDirectory("load");
  nowUs = 0;
});

afterEach(() => root.remove());

function write(file: string, text: string): void {
  mkdirSync(dirname(root.join(file)), { recursive: true });
  writeFileSync(root.join(file), text);
}

function reader(): MachineLoadReader {
  const machine = new Machine({ root: root.path, dataDir: root.path });
  return new MachineLoadReader({ root: root.path, machine, monotonicUs: () => nowUs });
}

/** A machine with a disk, its partition and RAID on it, and a port with a bridge on it. */
function machine(times: number): void {
  write(
    "proc/stat",
    `cpu  ${100 * times} 0 ${50 * times} ${800 * times} ${50 * times} 0 0 0 0 0\ncpu0 1 2 3 4\n`,
  );
  write("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  250 kB\n");
  const port = (name: string, bytes: number) =>
    `  ${name}: ${bytes} 1 0 0 0 0 0 0 ${bytes / 10} 1 0 0 0 0 0 0\n`;
  write(
    "proc/net/dev",
    `Inter-| Receive\n face |bytes\n${port("lo", 9e9 * times)}${port("eth0", 600_000 * times)}${port("br0", 600_000 * times)}`,
  );
  const disk = (name: string) => `   8  0 ${name} 10 0 80 5 20 0 ${1200 * times} 9 0 4 4\n`;
  write("proc/diskstats", `${disk("sda")}${disk("sda1")}${disk("md0")}`);
  mkdirSync(root.join("sys/class/net/eth0/device"), { recursive: true });
  mkdirSync(root.join("sys/class/net/br0"), { recursive: true });
  mkdirSync(root.join("sys/block/sda/device"), { recursive: true });
  mkdirSync(root.join("sys/block/md0"), { recursive: true });
  write("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
  write("sys/class/thermal/thermal_zone0/temp", "48500\n");
  write("sys/class/thermal/thermal_zone1/type", "board\n");
  write("sys/class/thermal/thermal_zone1/temp", "39000\n");
}

describe("what the machine does", () => {
  it("is what its counters grew by between two readings, each byte counted once", async () => {
    const load = reader();
    machine(1);
    expect(await load.read()).toEqual({
      ...{ cpuPercent: null, networkInBytesPerSecond: null, networkOutBytesPerSecond: null },
      ...{ diskWriteBytesPerSecond: null, memoryPercent: 75, celsius: 48.5 },
    });
    machine(2);
    nowUs += 60_000_000;
    expect(await load.read()).toEqual({
      ...{ cpuPercent: 15, memoryPercent: 75, celsius: 48.5 },
      ...{ networkInBytesPerSecond: 10_000, networkOutBytesPerSecond: 1000 },
      diskWriteBytesPerSecond: (1200 * 512) / 60,
    });
  });

  it("counts a disk that comes later", async () => {
    const load = reader();
    machine(1);
    await load.read();
    mkdirSync(root.join("sys/block/sdb/device"), { recursive: true });
    const diskstats = (sectors: number) =>
      ["sda", "sdb"].map((name) => `   8  0 ${name} 10 0 80 5 20 0 ${sectors} 9 0 4 4\n`).join("");
    write("proc/diskstats", diskstats(1000));
    nowUs += 60_000_000;
    await load.read();
    write("proc/diskstats", diskstats(1600));
    nowUs += 60_000_000;
    expect((await load.read()).diskWriteBytesPerSecond).toBe((2 * 600 * 512) / 60);
  });

  it("is not known where a counter began anew, or the kernel tells nothing", async () => {
    const load = reader();
    machine(2);
    await load.read();
    machine(1);
    nowUs += 60_000_000;
    expect(await load.read()).toMatchObject({ cpuPercent: null, diskWriteBytesPerSecond: null });
    const nothing = new MachineLoadReader({
      root: root.join("empty"),
      machine: new Machine({ root: root.join("empty"), dataDir: root.path }),
      monotonicUs: () => nowUs,
    });
    await nothing.read();
    nowUs += 60_000_000;
    const values = Object.values(await nothing.read());
    expect(values.every((value) => value === null)).toBe(true);
  });

  it("counts the ports of a container, which have no hardware of their own, but not the loopback", async () => {
    const load = reader();
    const ports = (bytes: number) =>
      write("proc/net/dev", `h\nh\n lo: 5 0 0 0 0 0 0 0 5 0\n eth0: ${bytes} 0 0 0 0 0 0 0 ${bytes} 0\n`);
    ports(1000);
    await load.read();
    ports(61_000);
    nowUs += 60_000_000;
    expect(await load.read()).toMatchObject({
      networkInBytesPerSecond: 1000,
      networkOutBytesPerSecond: 1000,
    });
  });
});
