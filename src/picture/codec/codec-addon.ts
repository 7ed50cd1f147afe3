import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { errorText, NvrdError } from "../../base/index.js";
import { CodecError, isCodecErrorKind } from "./codec-error.js";

/** What to install if there is no addon. */
const INSTALL =
  "install it: apt-get install g++ pkg-config libavcodec-dev libavutil-dev libswscale-dev libswresample-dev, " +
  "then node scripts/build-native.mjs";
/** A full queue usually has room again within this time. */
const BUSY_RETRY_MS = 1000;

export interface CodecAddon {
  /** The functions and classes of `native/codec`; check the type of each before its use. */
  readonly functions: Readonly<Record<string, unknown>>;
  /** Why it could not be loaded. */
  readonly missing: string | undefined;
}

/** The same from `src` and `dist`. */
const ADDON = "../../../build/codec.node";

/** Why the codec addon cannot be loaded, as far as can be said without loading it. */
export function codecAddonAbsent(): string | undefined {
  const { pathname } = new URL(ADDON, import.meta.url);
  return existsSync(pathname) ? undefined : `${pathname} is not there`;
}

/** The codec addon of this build (`build/codec.node`). */
export function loadCodecAddon(path = ADDON): CodecAddon {
  try {
    const addon: unknown = createRequire(import.meta.url)(path);
    if (typeof addon !== "object" || addon === null) return { functions: {}, missing: "not an addon" };
    return { functions: addon as Record<string, unknown>, missing: undefined };
  } catch (error) {
    return { functions: {}, missing: errorText(error).split("\n")[0] ?? "" };
  }
}

/** The error of every call if the addon is missing. */
export function codecMissing(reason: string): NvrdError {
  return new NvrdError("NOT_SUPPORTED", `the native codec is missing: ${reason}`, { hint: INSTALL });
}

/** Converts what the addon threw or rejected with to the errors described in codec-types.ts. */
export function fromAddon(error: unknown): Error {
  if (!(error instanceof Error)) return new CodecError("internal", String(error));
  const kind: unknown = "kind" in error ? error.kind : undefined;
  if (kind === "busy") return codecBusy(error.message);
  if (isCodecErrorKind(kind)) return new CodecError(kind, error.message);
  return new CodecError("internal", error.message, { cause: error });
}

/** The error when a limit on the codec's work is reached. */
export function codecBusy(message: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", message, { retryAfterMs: BUSY_RETRY_MS });
}
