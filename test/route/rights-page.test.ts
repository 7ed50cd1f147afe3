import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/service/api/routes.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

/** What the page's table of access names: `/api/disks` stands for what is below it, too. */
function namedPaths(): readonly string[] {
  const page = readFileSync(join(REPOSITORY_ROOT, "docs/ref/rights.md"), "utf8");
  const access = page.slice(page.indexOf("## Access"), page.indexOf("## Channels"));
  return [...access.matchAll(/`(\/[^`]+)`/g)].map(([, path = ""]) => path.replace(/\/…$/, ""));
}

describe("the page of rights", () => {
  it("names what administrators alone may use", () => {
    const named = namedPaths();
    const missing = ROUTES.filter(({ login }) => login === "administrator" || login === "administration")
      .map(({ path }) => path)
      .filter((path) => !named.some((name) => path === name || path.startsWith(`${name}/`)));
    expect([...new Set(missing)]).toEqual([]);
  });
});
