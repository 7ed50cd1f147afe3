import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * Compares `actual` byte for byte with the golden file; `NVRD_WRITE_GOLDEN=1` rewrites the file. Compare
 * the change with what the reference sends before committing it.
 */
export async function expectGolden(url: URL, actual: Uint8Array): Promise<void> {
  const file = fileURLToPath(url);
  if (process.env.NVRD_WRITE_GOLDEN === "1") await writeFile(file, actual);
  const golden = await readFile(file);
  expect(Buffer.from(actual).toString("utf8")).toBe(golden.toString("utf8"));
  expect(Buffer.from(actual).equals(golden)).toBe(true);
}
