import type { Headers } from "../../http/index.js";

/** Headers of all multipart answers. */
export const MULTIPART_HEADERS: Headers = [
  ["Content-Type", "multipart/x-mixed-replace; boundary=myboundary"],
  ["Cache-Control", "no-cache, no-store"],
];
