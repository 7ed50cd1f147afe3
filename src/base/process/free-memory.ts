import { loadNativeAddon } from "./native-addon.js";

const { freeMemory: native } = loadNativeAddon().functions;

/**
 * Frees the memory of `bytes` at once, where V8 would free it with one of its rare full collections; `bytes` is empty then, as is every
 * other view of the same buffer. Only for who knows that nobody else needs it, and only for all of an ArrayBuffer: false, and nothing
 * happens, for a part of one or for shared memory. Undefined without the addon.
 */
export const freeMemory: ((bytes: Uint8Array) => boolean) | undefined =
  typeof native === "function" ? (bytes) => native(bytes) === true : undefined;
