import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { Machine } from "../../../src/health/index.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const directory = forEachTest(() => new TemporaryDirectory("machine"));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = directory.join(name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const machine = () => new Machine({ root: directory.path, dataDir: directory.path });

it("memory, load, time since the boot and temperatures are as the kernel writes them", async () => {
  const zone = "sys/class/thermal/thermal_zone0";
  write({
    "proc/meminfo": "MemTotal:        8127476 kB\nMemFree:  1 kB\nMemAvailable:    6000000 kB\n",
    "proc/loadavg": "0.52 1.25 2.00 3/456 7890\n",
    "proc/uptime": "12345.67 23456.78\n",
    [`${zone}/type`]: "cpu-thermal\n",
    [`${zone}/temp`]: "48512\n",
    [`${zone}/trip_point_0_type`]: "passive\n",
    [`${zone}/trip_point_0_temp`]: "80000\n",
    [`${zone}/trip_point_1_type`]: "critical\n",
    [`${zone}/trip_point_1_temp`]: "110000\n",
    "sys/class/thermal/cooling_device0/type": "fan\n",
  });
  expect(await machine().read()).toMatchObject({
    memoryTotalBytes: 8_127_476 * 1024,
    memoryAvailableBytes: 6_000_000 * 1024,
    load: [0.52, 1.25, 2],
    uptimeSeconds: 12_345.67,
    temperatures: [{ zone: "cpu-thermal", celsius: 48.512, criticalCelsius: 110 }],
  });
});

it("a machine that tells nothing, or nonsense, has null", async () => {
  const zone = "sys/class/thermal/thermal_zone7";
  write({
    "proc/meminfo": "MemTotal: many kB\n",
    "proc/loadavg": "high\n",
    [`${zone}/type`]: "broken\n",
    [`${zone}/temp`]: "-274000\n",
  });
  expect(await machine().read()).toMatchObject({
    memoryTotalBytes: null,
    memoryAvailableBytes: null,
    load: null,
    uptimeSeconds: null,
    temperatures: [],
    openFiles: null,
  });
});

it("the real kernel is understood", async () => {
  const figures = await new Machine({ dataDir: directory.path }).read();
  expect(figures.memoryTotalBytes).toBeGreaterThan(figures.memoryAvailableBytes ?? Number.NaN);
  expect(figures.load).toHaveLength(3);
  expect(figures.uptimeSeconds).toBeGreaterThan(0);
  expect(figures.openFiles).toBeGreaterThan(3);
  expect(figures.systemDisk?.totalBytes).toBeGreaterThan(figures.systemDisk?.freeBytes ?? Number.NaN);
});

it("a data directory that is gone is reported by null", async () => {
  const figures = await new Machine({ dataDir: join(directory.path, "none") }).read();
  expect(figures.systemDisk).toBeNull();
});

it("what a control group still allows counts the page cache as free, in version 2 and 1", async () => {
  const v2 = "sys/fs/cgroup/nvrd.service";
  write({
    "proc/self/cgroup": "0::/nvrd.service\n",
    [`${v2}/memory.max`]: "500000000\n",
    [`${v2}/memory.high`]: "400000000\n",
    [`${v2}/memory.current`]: "350000000\n",
    [`${v2}/memory.stat`]: "anon 200000000\ninactive_file 100000000\nactive_file 20000000\n",
  });
  expect((await machine().read()).groupAvailableBytes).toBe(170_000_000);
  const v1 = "sys/fs/cgroup/memory/nvrd";
  write({
    "proc/self/cgroup": "4:memory:/nvrd\n",
    [`${v1}/memory.limit_in_bytes`]: "300000000\n",
    [`${v1}/memory.usage_in_bytes`]: "290000000\n",
    [`${v1}/memory.stat`]:
      "inactive_file 1\nactive_file 1\ntotal_inactive_file 5000000\ntotal_active_file 2000000\n",
  });
  expect((await machine().read()).groupAvailableBytes).toBe(17_000_000);
});

it("a control group without a limit allows what the machine has", async () => {
  write({
    "proc/self/cgroup": "4:memory:/nvrd\n",
    "sys/fs/cgroup/memory/nvrd/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/nvrd/memory.usage_in_bytes": "290000000\n",
  });
  expect((await machine().read()).groupAvailableBytes).toBeNull();
});
