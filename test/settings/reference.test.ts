import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("docs/ref/settings.md says what the definitions say", () => {
  const script = fileURLToPath(new URL("../../scripts/docs/make-settings-doc.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
