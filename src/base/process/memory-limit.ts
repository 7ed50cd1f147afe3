import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";

/** What bounds the memory of this process. */
export type MemoryBound = "machine" | "control group" | "setting";

export interface MemoryLimit {
  readonly bytes: number;
  readonly bound: MemoryBound;
}

/** Assumed where neither the machine nor a control group says how much memory there is: a small machine. */
export const MEMORY_BYTES_UNKNOWN = 1024 ** 3;
/** Most nested control groups that are read. */
const GROUPS_MAX = 32;
/** The kernel's files are short; no more than this is read. */
const FILE_BYTES_MAX = 16 * 1024;
const BYTES_PER_KIBIBYTE = 1024;
/** `memory.high` counts too: above it the kernel throttles the process instead of killing it, too much for recording. */
const LIMIT_FILES = ["memory.max", "memory.high", "memory.limit_in_bytes"] as const;
/** Where distributions mount the hierarchies that bound memory: version 2, version 2 beside version 1, version 1. */
const MOUNTS_V2 = ["sys/fs/cgroup", "sys/fs/cgroup/unified"] as const;
const MOUNT_V1 = "sys/fs/cgroup/memory";

/**
 * How much memory this process may use: the machine's, or less if limited by its control group or one above (memory.max
 * and memory.high of version 2, memory.limit_in_bytes of version 1). `root`: where /proc and /sys lie.
 */
export function readMemoryLimit(root = "/"): MemoryLimit {
  const machine = machineBytes(root);
  let limit: MemoryLimit = { bytes: machine ?? MEMORY_BYTES_UNKNOWN, bound: "machine" };
  for (const directory of memoryGroups(root)) {
    for (const file of LIMIT_FILES) {
      const bytes = groupLimit(readSmall(path.join(directory, file)));
      if (bytes !== undefined && bytes < limit.bytes) limit = { bytes, bound: "control group" };
    }
  }
  return limit;
}

/** The directories of the control groups that bound this process' memory, its own ones first. */
export function memoryGroups(root = "/"): readonly string[] {
  const lines = (readSmall(path.join(root, "proc/self/cgroup")) ?? "").split("\n");
  const found = new Set<string>();
  for (const line of lines) {
    // hierarchy number, its controllers, the group's path (cgroups(7)).
    const [, controllers = "", group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (group === undefined) continue;
    const isV1 = controllers.split(",").includes("memory");
    const mounts = isV1 ? [MOUNT_V1] : controllers === "" ? MOUNTS_V2 : [];
    // In a container the path may be the host's, while only the container's root is mounted: a missing group limits
    // nothing.
    for (const mount of mounts)
      for (const above of withParents(group)) found.add(path.join(root, mount, above));
  }
  return [...found].slice(0, GROUPS_MAX);
}

/** `/a/b`, `/a`, `/`; `..` is dropped. */
function withParents(group: string): readonly string[] {
  const parts = group.split("/").filter((part) => part !== "" && part !== "..");
  return Array.from(
    { length: parts.length + 1 },
    (_, up) => `/${parts.slice(0, parts.length - up).join("/")}`,
  );
}

function machineBytes(root: string): number | undefined {
  const match = /^MemTotal:\s+(\d+) kB$/m.exec(readSmall(path.join(root, "proc/meminfo")) ?? "");
  return match === null ? undefined : Number(match[1]) * BYTES_PER_KIBIBYTE;
}

/** `max` is no limit; nor is 0, in which nothing could run. Version 1 says a number beyond any machine's memory instead. */
function groupLimit(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+\s*$/.test(text)) return undefined;
  const bytes = Number(text);
  return bytes > 0 ? bytes : undefined;
}

/** Undefined where there is no such file. */
function readSmall(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(FILE_BYTES_MAX);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes));
  } catch {
    return undefined; // a hierarchy that is not mounted, or a group without this controller
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
