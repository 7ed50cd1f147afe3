import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ROUTES } from "../../src/service/api/routes.js";

const test = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../docs/ref/compatibility.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => /^\| .* \|.* \|$/.test(line) && !line.startsWith("| Rule"));

it("docs/ref/compatibility.md names tests and golden files that there are, in every line", () => {
  const golden = readdirSync(new URL("support/golden/", test));
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    const held = row.split("|").at(-2) ?? "";
    const tests = [...held.matchAll(/\b[a-z][a-z0-9]*(?:\/[a-z0-9-]+)+/g)].map(([name]) => name);
    for (const name of tests) expect(existsSync(new URL(`${name}.test.ts`, test)), name).toBe(true);
    const files = held.includes("golden")
      ? [...held.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")
      : [];
    for (const file of files) {
      const [start = ""] = file.split("*");
      const found = file.includes("*")
        ? golden.some((name) => name.startsWith(start))
        : golden.includes(file);
      expect(found, file).toBe(true);
    }
    expect(tests.length + files.length > 0 || held.includes("npm run bench"), row).toBe(true);
  }
});

it("docs/ref/compatibility.md says of no route that it is not served", () => {
  const [, rest = ""] = page.split("## Not served yet");
  for (const { path } of ROUTES) expect(rest).not.toContain(`\`${path}\``);
});
