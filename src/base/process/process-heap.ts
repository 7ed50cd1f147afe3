import { loadNativeAddon } from "./native-addon.js";

/** The process's memory that malloc hands out: of native libraries, and of JavaScript's buffers. */
export interface ProcessHeap {
  /** What malloc holds and nobody has. */
  freeBytes(): number;
  /** What somebody has. */
  usedBytes(): number;
  /** Gives its pages back to the kernel; takes some milliseconds of this thread for 100 MB. */
  trim(): void;
}

/** Undefined without the addon. */
export function processHeap(): ProcessHeap | undefined {
  const { freeHeapBytes, usedHeapBytes, trimHeap } = loadNativeAddon().functions;
  if (typeof freeHeapBytes !== "function") return undefined;
  if (typeof usedHeapBytes !== "function" || typeof trimHeap !== "function") return undefined;
  const usedBytes = () => Number(usedHeapBytes());
  return { freeBytes: () => Number(freeHeapBytes()), usedBytes, trim: () => void trimHeap() };
}
