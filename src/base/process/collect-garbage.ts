import { loadNativeAddon } from "./native-addon.js";

const { collectGarbage: native } = loadNativeAddon().functions;

/**
 * Has V8 collect all garbage of this thread and give its memory back, in steps of some milliseconds between what else the thread does. Ends
 * a moment later; the result is whether it was asked to, which it is not where this Node lacks the function. A collection that V8 had begun
 * before goes on in its place, and leaves what died since. Undefined without the addon.
 */
export const collectGarbage: (() => boolean) | undefined =
  typeof native === "function" ? () => native() === true : undefined;
