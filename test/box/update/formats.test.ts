import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { INDEX_FORMAT } from "../../../src/archive/index/index-environment.js";
import { EVENT_LOG_FORMAT } from "../../../src/event/event-environment.js";
import { CONFIGURATION_FORMAT } from "../../../src/site/store/revision-document.js";

const page = await readFile(new URL("../../../docs/design/update.md", import.meta.url), "utf8");

/** The second cell of the row that begins with `name`. */
const formatOf = (name: string): string | undefined =>
  new RegExp(`^\\| ${name} \\| ([^|]+) \\|`, "m").exec(page)?.[1]?.trim();

it("the page on older versions names the formats that this version writes", () => {
  expect(formatOf("configuration, LMDB and JSON")).toBe(`\`CONFIGURATION_FORMAT\` ${CONFIGURATION_FORMAT}`);
  expect(formatOf("index")).toBe(`${INDEX_FORMAT}`);
  expect(formatOf("event log")).toBe(`${EVENT_LOG_FORMAT}`);
});
