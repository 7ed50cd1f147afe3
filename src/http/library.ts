import type { TemplatedApp } from "uWebSockets.js";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { errorText, loadNativeAddon, NvrdError } from "../base/index.js";

type Library = typeof import("uWebSockets.js");

/** Maximum size of request line and headers in bytes; the library answers 431 beyond it. */
export const HEADER_BYTES_MAX = 16_384;

const BINARY = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/**
 * The binary for this Node, the same from `src`, `dist` and a bundle: made by `scripts/http-library.mjs` of one of two packages
 * (docs/design/dependencies.md). What these put around it loads no earlier.
 */
const ADDON = fileURLToPath(new URL(`../../build/http/${BINARY}`, import.meta.url));
/** The first Node whose binary needs a newer C library. */
const FIRST_LATER_NODE = 24;

let library: Library | undefined;

/** Seconds after which a connection is closed that brings nothing, or that was answered and brings no other request. */
const IDLE_S = 10;

/** What the later build adds: its timeouts are 30 s by default. The earlier one has 10 s, fixed. */
interface TimedApp {
  setIdleTimeout?(seconds: number): unknown;
  setResponseTimeout?(seconds: number): unknown;
}

/** Makes both builds of the library close connections after the same time. */
export function setTimeouts(app: TemplatedApp): TemplatedApp {
  const timed = app as TimedApp;
  timed.setIdleTimeout?.(IDLE_S);
  timed.setResponseTimeout?.(IDLE_S);
  return app;
}

/**
 * Behind `cork`, the library recognizes a connection that became a WebSocket by its new address. `realloc` makes the object smaller where
 * it is, so it took the WebSocket for the answer, and closed it where a bit of other memory was set: each time for a client that
 * said `Connection: close`, by chance for others. Mended upstream later; until then what is resized is moved.
 */
function moveUpgraded(): void {
  const { moveReallocated } = loadNativeAddon().functions;
  if (typeof moveReallocated === "function" && moveReallocated(ADDON) === 0)
    throw new Error(`${BINARY} resizes its connections in another way than the builds that are known`);
}

/** The HTTP library, loaded by the first server. Throws NvrdError NOT_AVAILABLE where this Node has no binary of it. */
export function httpLibrary(): Library {
  if (library !== undefined) return library;
  // The library reads this limit once while it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEADER_BYTES_MAX);
  try {
    const loaded = createRequire(import.meta.url)(ADDON) as Library;
    moveUpgraded();
    library = loaded;
  } catch (cause) {
    const remedy =
      Number.parseInt(process.versions.node, 10) >= FIRST_LATER_NODE
        ? "run npm ci and npm run build; Node 24 needs glibc 2.38 (Debian 13), use Node 22 before it"
        : "run npm ci and npm run build, with Node 20 or 22 on glibc";
    throw new NvrdError(
      "NOT_AVAILABLE",
      `the HTTP library cannot be loaded (${errorText(cause)}): ${remedy}`,
      {
        cause,
      },
    );
  }
  return library;
}
