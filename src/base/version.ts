import { readFileSync } from "node:fs";

/** The version of package.json, which lies above `dist` and above `src`. */
export function readVersion(): string {
  const data: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof data === "object" && data !== null && "version" in data ? String(data.version) : "unknown";
}
