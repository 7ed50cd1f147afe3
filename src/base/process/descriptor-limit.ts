import { readFileSync } from "node:fs";

/** Assumed where the kernel does not say: what most systems give a process. */
export const DESCRIPTORS_UNKNOWN = 1024;

/**
 * How many files and sockets this process may have open at once (RLIMIT_NOFILE). Node raises the soft limit to the hard one
 * when it starts. `file`: the kernel's table of limits.
 */
export function readDescriptorLimit(file = "/proc/self/limits"): number {
  try {
    const [, soft] = /^Max open files +(\d+|unlimited) /m.exec(readFileSync(file, "utf8")) ?? [];
    if (soft === "unlimited") return Number.MAX_SAFE_INTEGER;
    return soft === undefined ? DESCRIPTORS_UNKNOWN : Number(soft);
  } catch {
    // Without the table of limits the usual one is assumed.
    return DESCRIPTORS_UNKNOWN;
  }
}
