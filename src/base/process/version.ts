import { readFileSync } from "node:fs";

/** The version in package.json, which is above `dist` and `src`. */
export function readVersion(): string {
  const data: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return typeof data === "object" && data !== null && "version" in data ? String(data.version) : "unknown";
}
