import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { errorText, NvrdError } from "../base/index.js";

type Library = typeof import("uWebSockets.js");

/** Maximum size of request line and headers in bytes; the library answers 431 beyond it. */
export const HEADER_BYTES_MAX = 16_384;

/** The package's binary for this Node, the same from `src`, `dist` and a bundle. What the package puts around it loads no earlier. */
const ADDON = fileURLToPath(
  new URL(
    `../../node_modules/uWebSockets.js/dist/bin/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`,
    import.meta.url,
  ),
);

let library: Library | undefined;

/** The HTTP library, loaded by the first server. Throws NvrdError NOT_AVAILABLE where this Node has no binary of it. */
export function httpLibrary(): Library {
  if (library !== undefined) return library;
  // The library reads this limit once while it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEADER_BYTES_MAX);
  try {
    library = createRequire(import.meta.url)(ADDON) as Library;
  } catch (cause) {
    const remedy = "run npm ci, with Node 20 or 22 on glibc";
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
