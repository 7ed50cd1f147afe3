import { loadNativeAddon } from "./native-addon.js";

/**
 * Whether the system gives this process so many threads more (pids.max, RLIMIT_NPROC). Libraries that start threads of their own
 * end the process where they get none, so it is asked before. Without the addon it is not known, and taken for granted.
 */
export function hasSpareThreads(count: number): boolean {
  const { hasThreads } = loadNativeAddon().functions;
  return typeof hasThreads === "function" ? hasThreads(count) === true : true;
}
