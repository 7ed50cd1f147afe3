import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEBIAN_PACKAGES } from "../../scripts/debian-packages.mjs";
import { programsIn, programsWithoutPackage } from "../../scripts/test/programs.mjs";
import { needsOfTests } from "../../scripts/test.mjs";
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

const BUILDING = new Set(DEBIAN_PACKAGES.build);
const packagesFor = (...args: string[]): readonly string[] =>
  needsOfTests(REPOSITORY_ROOT, args).packages.filter((name: string) => !BUILDING.has(name));

it("a room's tests need what its files start, and no more", () => {
  expect(packagesFor("base")).toEqual([]);
  expect(packagesFor("access")).toEqual(["ldap-utils", "slapd"]);
  expect(packagesFor("mqtt", "kept").toSorted()).toEqual(["age", "mosquitto"]);
  expect(packagesFor("test/alarm/syslog-sender.test.ts", "-t", "over TLS")).toEqual(["rsyslog"]);
});

it("tests that are chosen in another way need all", () => {
  expect(needsOfTests(REPOSITORY_ROOT, ["crash"]).packages).toEqual(DEBIAN_PACKAGES.test);
  expect(needsOfTests(REPOSITORY_ROOT, []).packages).toEqual(DEBIAN_PACKAGES.test);
});

it("all rooms together need all that npm test installs", () => {
  const rooms = readdirSync(join(REPOSITORY_ROOT, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !["support", "bench"].includes(entry.name))
    .map(({ name }) => name);
  const needed = new Set([...DEBIAN_PACKAGES.build, ...rooms.flatMap((room) => packagesFor(room))]);
  expect(DEBIAN_PACKAGES.test.filter((name) => !needed.has(name))).toEqual([]);
});
