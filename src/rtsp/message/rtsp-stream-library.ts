import { createRequire } from "node:module";

type RtspStreamLibrary = typeof import("rtsp-stream");

let library: RtspStreamLibrary | undefined;

/** rtsp-stream, loaded by the first message: with what it needs it is some thirty modules, and the start has others to load. */
export function rtspStreamLibrary(): RtspStreamLibrary {
  library ??= createRequire(import.meta.url)("rtsp-stream") as RtspStreamLibrary;
  return library;
}
