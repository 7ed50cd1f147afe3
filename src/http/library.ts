import type { TemplatedApp } from "uWebSockets.js";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { errorText, loadNativeAddon, NvrdError } from "../base/index.js";

type Library = typeof import("uWebSockets.js");

/** Maximum size of request line and headers in bytes; the library answers 431 beyond it. */
export const HEADER_BYTES_MAX = 16_384;

/** Node 24 was the first one that the repack (uws-pack) has no binary for: a later build of the library has (docs/design/dependencies.md). */
const FIRST_LATER_NODE = 24;
const BINARY = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const isLater = Number.parseInt(process.versions.node, 10) >= FIRST_LATER_NODE;
const PACKAGE_FILE = isLater ? `uwebsockets-node24/${BINARY}` : `uWebSockets.js/dist/bin/${BINARY}`;

/** The package's binary for this Node, the same from `src`, `dist` and a bundle. What the package puts around it loads no earlier. */
const ADDON = fileURLToPath(new URL(`../../node_modules/${PACKAGE_FILE}`, import.meta.url));

let library: Library | undefined;

/** Seconds after which a connection is closed that brings nothing, or that was answered and brings no other request. */
const IDLE_S = 10;

/** What the later build adds: its timeouts are 30 s unless it is told. The earlier one has 10 s, fixed. */
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
 * Behind `cork`, the library tells a connection that became a WebSocket by its new address. `realloc` makes the object smaller where
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
    library = createRequire(import.meta.url)(ADDON) as Library;
    moveUpgraded();
  } catch (cause) {
    const remedy = isLater
      ? "run npm ci; Node 24 needs glibc 2.38 (Debian 13), use Node 22 before it"
      : "run npm ci, with Node 20 or 22 on glibc";
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
