import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { collect, releasedFiles, releaseFaults, releaseSteps, sectionOf } from "../../scripts/release.mjs";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const root = forEachTest(() => new TemporaryDirectory("release"));

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-02-01

### Added

- A second thing.

## [1.0.0] - 2026-01-01

- A first thing.
`;
const KEYS = { NVRD_UPDATE_KEY: "key", NVRD_UPDATE_CERT: "cert", NVRD_UPDATE_KEYRING: "keyring" };
const RELEASE = { version: "1.1.0", changelog: CHANGELOG, env: KEYS, withImage: true };

describe("the section of a version", () => {
  it.each([
    ["1.1.0", "### Added\n\n- A second thing."],
    ["1.0.0", "- A first thing."],
    ["1.0", undefined],
    ["Unreleased", undefined],
  ])("%s", (version, expected) => {
    expect(sectionOf(CHANGELOG, version)).toBe(expected);
  });
});

describe("a release", () => {
  it("is made of a tagged commit with its section and kept keys", () => {
    expect(releaseFaults(RELEASE)).toEqual([]);
  });

  it.each([
    [
      "a commit without a tag",
      { version: "1.1.0~git202602011200.abcdef12" },
      ["tag the commit", "has no section"],
    ],
    ["changed files", { version: "1.1.0+changed" }, ["files differ", "tag the commit", "has no section"]],
    ["a version without a section", { version: "1.2.0" }, ['no section "## [1.2.0]"']],
    [
      "keys that are missing",
      { env: { NVRD_UPDATE_KEY: "key" } },
      ["NVRD_UPDATE_CERT, NVRD_UPDATE_KEYRING not set"],
    ],
  ])("is not made of %s", (_name, change, expected) => {
    const faults = releaseFaults({ ...RELEASE, ...change });
    expect(faults).toEqual(expected.map((words) => expect.stringContaining(words)));
  });

  it("needs no keys without images", () => {
    expect(releaseFaults({ ...RELEASE, env: {}, withImage: false })).toEqual([]);
  });

  it("makes the packages, then each board's image and the bundle of its root", () => {
    const steps = releaseSteps({ version: "1.1.0", withImage: true, images: "/images" });
    expect(steps.map(([script, ...args]) => `${script} ${args.join(" ")}`)).toEqual([
      "scripts/package.mjs --all",
      "scripts/image.mjs --board generic --out /images --compress",
      "scripts/make-bundle.mjs --root /images/nvrd-1.1.0-generic-arm64.squashfs --out /images/nvrd-1.1.0-generic-arm64.raucb",
      "scripts/image.mjs --board rpi --out /images --compress",
      "scripts/make-bundle.mjs --root /images/nvrd-1.1.0-rpi-arm64.squashfs --out /images/nvrd-1.1.0-rpi-arm64.raucb",
    ]);
  });

  it("gives away what was made of this version, with sums that check", () => {
    root.write({
      "made/nvrd_1.1.0_amd64_trixie.deb": "package",
      "made/nvrd_1.1.0_amd64_trixie.cdx.json": "{}",
      "made/nvrd_1.0.0_amd64_trixie.deb": "of the version before",
      "made/nvrd-1.1.0-rpi-arm64.img": "not compressed",
      "made/nvrd-1.1.0-rpi-arm64.img.zst": "image",
      "made/nvrd-1.1.0-rpi-arm64.raucb": "bundle",
      "given/1.1.0/left-over": "of a former try",
    });
    const target = join(root.path, "given/1.1.0");
    const files = releasedFiles(join(root.path, "made"), "1.1.0");
    collect({ target, files, notes: sectionOf(CHANGELOG, "1.1.0") ?? "" });
    expect(readdirSync(target).sort()).toEqual([
      "CHANGES.md",
      "SHA256SUMS",
      "nvrd-1.1.0-rpi-arm64.img.zst",
      "nvrd-1.1.0-rpi-arm64.raucb",
      "nvrd_1.1.0_amd64_trixie.cdx.json",
      "nvrd_1.1.0_amd64_trixie.deb",
    ]);
    const checked = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
      cwd: target,
      encoding: "utf8",
    });
    expect(checked.stdout.match(/: OK$/gm)).toHaveLength(5);
    expect(readFileSync(join(target, "CHANGES.md"), "utf8")).toBe("### Added\n\n- A second thing.\n");
  });
});
