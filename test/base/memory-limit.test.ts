import { expect, it } from "vitest";
import { MEMORY_BYTES_UNKNOWN, memoryGroups, readMemoryLimit } from "../../src/base/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const MACHINE = { "proc/meminfo": "MemTotal:        1000000 kB\nMemFree:  1 kB\n" };
const MACHINE_BYTES = 1_024_000_000;
const MEGABYTE = 1_000_000;

const directory = forEachTest(() => new TemporaryDirectory("memory-limit"));

function limit(files: Readonly<Record<string, string>>) {
  directory.write({ ...MACHINE, ...files });
  return readMemoryLimit(directory.path);
}

it("without a control group it is the machine's memory", () => {
  expect(limit({})).toEqual({ bytes: MACHINE_BYTES, bound: "machine" });
});

it("a machine of unknown memory counts as a small one", () => {
  expect(readMemoryLimit(directory.path)).toEqual({ bytes: MEMORY_BYTES_UNKNOWN, bound: "machine" });
});

it("a control group of version 2 bounds it by memory.max", () => {
  const files = {
    "proc/self/cgroup": "0::/system.slice/nvrd.service\n",
    "sys/fs/cgroup/system.slice/nvrd.service/memory.max": `${512 * MEGABYTE}\n`,
    "sys/fs/cgroup/system.slice/nvrd.service/memory.high": "max\n",
  };
  expect(limit(files)).toEqual({ bytes: 512 * MEGABYTE, bound: "control group" });
});

it("memory.high bounds it where it is lower", () => {
  const files = {
    "proc/self/cgroup": "0::/nvrd.service\n",
    "sys/fs/cgroup/nvrd.service/memory.max": `${800 * MEGABYTE}\n`,
    "sys/fs/cgroup/nvrd.service/memory.high": `${700 * MEGABYTE}\n`,
  };
  expect(limit(files).bytes).toBe(700 * MEGABYTE);
});

it("a group above bounds those in it", () => {
  const files = {
    "proc/self/cgroup": "0::/recorders.slice/nvrd.service\n",
    "sys/fs/cgroup/recorders.slice/nvrd.service/memory.max": "max\n",
    "sys/fs/cgroup/recorders.slice/memory.max": `${300 * MEGABYTE}\n`,
  };
  expect(limit(files).bytes).toBe(300 * MEGABYTE);
});

it("a control group of version 1 bounds it by memory.limit_in_bytes", () => {
  const files = {
    "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n",
    "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": `${256 * MEGABYTE}\n`,
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
  };
  expect(limit(files)).toEqual({ bytes: 256 * MEGABYTE, bound: "control group" });
});

it("in a container, where its group's path is the host's, the root of what is mounted counts", () => {
  const files = {
    "proc/self/cgroup": "4:memory:/docker/abc\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": `${256 * MEGABYTE}\n`,
  };
  expect(limit(files).bytes).toBe(256 * MEGABYTE);
});

it("missing, zero or invalid limits, and those beyond the machine's memory, are ignored", () => {
  for (const text of ["max\n", "0\n", "-1\n", "many\n", "", "9223372036854771712\n", "1e3\n"]) {
    const files = { "proc/self/cgroup": "0::/x\n", "sys/fs/cgroup/x/memory.max": text };
    expect(limit(files), text).toEqual({ bytes: MACHINE_BYTES, bound: "machine" });
  }
});

it("a path that leads upwards stays below the hierarchy", () => {
  directory.write({ "proc/self/cgroup": "0::/../../../etc\n" });
  for (const group of memoryGroups(directory.path)) expect(group).toContain("sys/fs/cgroup");
});
