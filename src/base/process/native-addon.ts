import { createRequire } from "node:module";
import { errorText } from "../value/errors.js";

export interface NativeAddon {
  /** The functions of `native/`; empty without the addon. Check a function's type before calling it. */
  readonly functions: Readonly<Record<string, unknown>>;
  /** Why the addon could not be loaded. */
  readonly missing: string | undefined;
}

/** The addon of this build (`build/nvrd.node`), the same from `src` and `dist`; each thread loads its own. */
export function loadNativeAddon(): NativeAddon {
  try {
    const addon: unknown = createRequire(import.meta.url)("../../../build/nvrd.node");
    if (typeof addon !== "object" || addon === null) return { functions: {}, missing: "not an addon" };
    return { functions: addon as Record<string, unknown>, missing: undefined };
  } catch (error) {
    return { functions: {}, missing: errorText(error).split("\n")[0] ?? "" };
  }
}
