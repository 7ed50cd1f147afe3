import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { script } from "../support/image/image-parts.js";

const directory = new TemporaryDirectory("update-tree");
afterAll(() => directory.remove());

const { addUpdateParts } = await script<{
  addUpdateParts(tree: string, parts: { readonly compatible: string; readonly keyring: string }): void;
}>("update-tree.mjs");

it.each([
  ["a box with UEFI", { "loader/entries/nvrd-a.conf": "version 1\n" }],
  ["a Raspberry Pi", { "config.txt": "os_prefix=EFI/nvrd/a/\n" }],
])("the root's boot back end is whole on %s", (what, files) => {
  const folder = what.replaceAll(" ", "-");
  const tree = directory.join(folder, "tree");
  const esp = directory.join(folder, "esp");
  directory.write({ "keyring.pem": "key\n" });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(esp, name, ".."), { recursive: true });
    writeFileSync(join(esp, name), text);
  }
  addUpdateParts(tree, { compatible: "nvrd-test", keyring: directory.join("keyring.pem") });
  const { stdout, stderr } = spawnSync(join(tree, "usr/lib/nvrd-update/boot-slots"), ["get-primary"], {
    env: { ...process.env, NVRD_ESP: esp },
    encoding: "utf8",
  });
  expect([stdout, stderr]).toEqual(["a\n", ""]);
});
