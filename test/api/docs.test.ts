import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ROUTES } from "../../src/api/route-table.js";

it("docs/ref/api.md has a heading and a curl line for every route", async () => {
  const text = await readFile(new URL("../../docs/ref/api.md", import.meta.url), "utf8");
  const headings = text.split("\n").filter((line) => line.startsWith("#"));
  const curlLines = text.split("\n").filter((line) => line.startsWith("curl "));
  for (const { method, path } of ROUTES) {
    const named = headings.some((heading) => heading.includes(method) && heading.includes(path));
    expect(named, `heading of ${method} ${path}`).toBe(true);
    const [start = path] = path.split("{");
    expect(
      curlLines.some((line) => line.includes(`$NVR${start}`)),
      `curl line of ${path}`,
    ).toBe(true);
  }
});
