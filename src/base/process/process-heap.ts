import { loadNativeAddon } from "./native-addon.js";

/** The process's memory that malloc hands out: of native libraries, and of JavaScript's buffers. */
export interface ProcessHeap {
  /** What malloc holds and nobody has. */
  freeBytes(): number;
  /** Gives its pages back to the kernel; takes some milliseconds of this thread for 100 MB. */
  trim(): void;
}

/** Undefined without the addon. */
export function processHeap(): ProcessHeap | undefined {
  const { freeHeapBytes, trimHeap } = loadNativeAddon().functions;
  if (typeof freeHeapBytes !== "function" || typeof trimHeap !== "function") return undefined;
  return { freeBytes: () => Number(freeHeapBytes()), trim: () => void trimHeap() };
}
