import { loadNativeAddon } from "./native-addon.js";

type ReturnPages = (bytes: Uint8Array) => unknown;

const { returnPages: native } = loadNativeAddon().functions;

/**
 * Gives the whole pages of this memory back to the kernel at once, where a garbage collection would come later: of this thread, and
 * for shared memory of each that was handed it. The memory stays valid and reads as zeros. Returns the bytes that were given back.
 * Undefined without the addon.
 */
export const returnPages: ((bytes: Uint8Array) => number) | undefined =
  typeof native === "function" ? (bytes) => Number((native as ReturnPages)(bytes)) : undefined;
