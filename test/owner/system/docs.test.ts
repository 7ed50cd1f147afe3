import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ROUTES } from "../../../src/service/api/routes.js";
import { GROUP_RIGHTS } from "../../../src/site/index.js";

it("docs/ref/api.md has a heading and a curl line for every route", async () => {
  const text = await readFile(new URL("../../../docs/ref/api.md", import.meta.url), "utf8");
  const headings = text.split("\n").filter((line) => line.startsWith("#"));
  const curlLines = text.split("\n").filter((line) => line.startsWith("curl "));
  for (const { method, path } of ROUTES) {
    const named = headings.some((heading) => heading.includes(method) && heading.includes(path));
    expect(named, `heading of ${method} ${path}`).toBe(true);
    const [start = path] = path.split("{");
    expect(
      curlLines.some((line) => line.includes(`$NVRD${start}`)),
      `curl line of ${path}`,
    ).toBe(true);
  }
});

it("docs/ref/rights.md names every right, and in its tables those that a route needs", async () => {
  const text = await readFile(new URL("../../../docs/ref/rights.md", import.meta.url), "utf8");
  for (const right of GROUP_RIGHTS) expect(text).toContain(`\`${right}\``);
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  for (const { path, rights = [] } of ROUTES)
    for (const { right } of rights) {
      const row = rows.find((line) => line.startsWith(`| \`${right}\` |`));
      const [start = path] = path.split("{");
      expect(row ?? "", `row of ${right}`).toContain(
        right === "CanAccessToAllUsersInUnifiedLog" ? "events" : start,
      );
    }
});
