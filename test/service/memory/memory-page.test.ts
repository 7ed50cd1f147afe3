import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  MEMORY_BYTES_MIN,
  MEMORY_SHARE_NAMES,
  MEMORY_SHARES,
  shareOut,
} from "../../../src/service/part/memory-shares.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";

const MIB = 1024 * 1024;
const page = readFileSync(join(REPOSITORY_ROOT, "docs/design/memory.md"), "utf8");
const inMib = (bytes: number) => `${Math.round(bytes / MIB)}`;
const totals = [512, 2048, 8192].map((mebibytes) => shareOut(mebibytes * MIB));

it.each(MEMORY_SHARE_NAMES)("docs/design/memory.md has the row of %s", (name) => {
  const { floor, weight, cap, use, whenUsedUp } = MEMORY_SHARES[name];
  const shares = totals.map((shared) => inMib(shared[name]));
  const cells = [`\`${name}\``, inMib(floor), weight, inMib(cap), ...shares, use, whenUsedUp];
  expect(page).toContain(`| ${cells.join(" | ")} |\n`);
});

it("docs/design/memory.md names what all floors come to", () => {
  expect(page).toContain(`they come to ${inMib(MEMORY_BYTES_MIN)} MiB`);
});
