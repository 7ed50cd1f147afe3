import { expect, it } from "vitest";
import { DEBIAN_PACKAGES } from "../../scripts/debian-packages.mjs";
import { programsIn, programsWithoutPackage } from "../../scripts/test/programs.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

it("npm test installs the package of each program that a test starts", () => {
  expect(programsWithoutPackage(REPOSITORY_ROOT, DEBIAN_PACKAGES.test)).toEqual([]);
});

it.each([
  ['spawn("sox", [])', ["sox"]],
  ['execFileSync(\n    "sox",', ["sox"]],
  ['const TOOL = "/usr/sbin/sox";', ["sox"]],
  ['const shell = wanted ? ["busybox", "sh"] : ["sh"];', ["busybox"]],
  ['run("mkfs.ext4", ["-q", image])', ["mkfs.ext4"]],
  ['spawnSync("rm", [])', []],
  ['label("sox")', []],
])("of %s, the programs are %j", (text, programs) => {
  expect(programsIn(text)).toEqual(programs);
});

it("reports a program whose package is not known, or is not installed", () => {
  const root = new TemporaryDirectory("programs");
  try {
    root.write({ "test/a.test.ts": 'spawn("sox"); spawn("busybox");' });
    expect(programsWithoutPackage(root.path, [])).toEqual([
      "test/a.test.ts: sox: name its package in scripts/test/programs.mjs",
      "test/a.test.ts: busybox: npm test does not install busybox-static",
    ]);
  } finally {
    root.remove();
  }
});
