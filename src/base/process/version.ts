import { existsSync, readFileSync } from "node:fs";

/** What this program is a build of. */
export interface Release {
  /** `1.0.0`; of a build between two releases `1.0.0~git202611281730.abc12345`, on its way to the first. */
  readonly version: string;
  /** Git's whole name of the commit; empty: not known. */
  readonly commit: string;
  /** When the commit was made, ISO 8601; empty: not known. */
  readonly date: string;
}

/** The folder that `dist` and `src` are in, and `build` with what the build says of itself. */
const ROOT = new URL("../../../", import.meta.url);

/** What the build wrote (scripts/release-facts.mjs); the version of package.json alone where modules run without it. */
export function readRelease(): Release {
  const kept = new URL("build/release.json", ROOT);
  const data = JSON.parse(readFileSync(existsSync(kept) ? kept : new URL("package.json", ROOT), "utf8"));
  return { version: textOf(data.version) || "unknown", commit: textOf(data.commit), date: textOf(data.date) };
}

export function readVersion(): string {
  return readRelease().version;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
