import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { script } from "../support/image/image-parts.js";

const IMAGE = join(REPOSITORY_ROOT, "image");
const directory = new TemporaryDirectory("image-lists");
afterAll(() => directory.remove());

const { readList } = await script<{ readList(file: string): string[] }>("image/lists.mjs");
const { modulesWith } = await script<{ modulesWith(text: string, prefixes: string[]): string[] }>(
  "image/first-root.mjs",
);
const { sourceLines } = await script<{
  sourceLines(suite: string, components: string[], etcApt: string, osRelease: string): string[];
}>("image/sources.mjs");
const { debianPackages, bomOf } = await script<{
  debianPackages(status: string): { name: string; version: string }[];
  bomOf(contents: object): { components: { purl: string }[]; serialNumber: string };
}>("image/sbom.mjs");

describe("a list of the image", () => {
  it.each(readdirSync(IMAGE).filter((name) => name.endsWith(".txt")))(
    "%s has a reason for each name",
    (name) => {
      expect(readList(join(IMAGE, name)).length).toBeGreaterThan(10);
    },
  );

  it.each([
    ["without a reason", "one  why\ntwo\n", /:2: expected a name and its reason/],
    ["with a name twice", "one  why\none  because\n", /:2: one is listed twice/],
  ])("%s is refused", (_, text, message) => {
    const file = directory.join("list.txt");
    writeFileSync(file, text);
    expect(() => readList(file)).toThrow(message);
  });
});

describe("the modules of the first root", () => {
  const dependencies = [
    "kernel/drivers/nvme/host/nvme.ko.xz: kernel/drivers/nvme/host/nvme-core.ko.xz",
    "kernel/drivers/nvme/host/nvme-core.ko.xz:",
    "kernel/drivers/nvme2/x.ko.xz:",
    "kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz kernel/lib/crc16.ko.xz",
    "kernel/fs/jbd2/jbd2.ko.xz:",
    "kernel/lib/crc16.ko.xz:",
    "",
  ].join("\n");

  it("come with what they need", () => {
    expect(modulesWith(dependencies, ["fs/ext4"])).toEqual([
      "kernel/fs/ext4/ext4.ko.xz",
      "kernel/fs/jbd2/jbd2.ko.xz",
      "kernel/lib/crc16.ko.xz",
    ]);
  });

  it("are those of a folder, not of one whose name begins the same", () => {
    expect(modulesWith(dependencies, ["drivers/nvme"])).toEqual([
      "kernel/drivers/nvme/host/nvme-core.ko.xz",
      "kernel/drivers/nvme/host/nvme.ko.xz",
    ]);
  });

  it("are one where a file is named", () => {
    expect(modulesWith(dependencies, ["lib/crc16.ko"])).toEqual(["kernel/lib/crc16.ko.xz"]);
  });
});

describe("the sources of the image", () => {
  const release = directory.join("os-release");
  writeFileSync(release, "VERSION_CODENAME=bookworm\n");
  const key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";

  function etcWith(files: Readonly<Record<string, string>>): string {
    const etc = directory.join(`apt-${Object.keys(files).join("-").replaceAll("/", "-")}`);
    mkdirSync(join(etc, "sources.list.d"), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(etc, name), text);
    return etc;
  }

  it("are the machine's own of Debian, for the image's suite", () => {
    const etc = etcWith({
      "sources.list.d/debian.sources":
        "Types: deb\n# a note\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n\n" +
        "Types: deb\nURIs: http://mirror.example/security\nSuites: bookworm-security\nComponents: main\n",
    });
    expect(sourceLines("trixie", ["main", "extra"], etc, release)).toEqual([
      `deb ${key} http://mirror.example/debian trixie main extra`,
      `deb ${key} http://mirror.example/debian trixie-updates main extra`,
      `deb ${key} http://mirror.example/security trixie-security main extra`,
    ]);
  });

  it("are not others' that have the suite in their names", () => {
    const etc = etcWith({
      "sources.list":
        "deb [arch=amd64] http://mirror.example/debian bookworm main contrib\n# deb http://no.example bookworm main\n",
      "sources.list.d/tool.list":
        "deb http://tool.example/apt tool-bookworm main\ndeb-src http://mirror.example/debian bookworm main\n",
    });
    expect(sourceLines("trixie", ["main"], etc, release)).toEqual([
      `deb ${key} http://mirror.example/debian trixie main`,
    ]);
  });

  it("are asked for where there are none", () => {
    expect(() => sourceLines("trixie", ["main"], etcWith({ "sources.list": "" }), release)).toThrow(
      /no Debian sources of bookworm/,
    );
  });
});

describe("the list of contents", () => {
  const status =
    "Package: libx\nStatus: install ok installed\nArchitecture: arm64\nSource: x (1.0)\nVersion: 1:2.0+b1\n\n" +
    "Package: gone\nStatus: deinstall ok config-files\nArchitecture: arm64\nVersion: 1\n";

  it("has the installed Debian packages", () => {
    expect(debianPackages(status).map(({ name, version }) => [name, version])).toEqual([
      ["libx", "1:2.0+b1"],
    ]);
  });

  it("is the same for the same packages, whatever their order", () => {
    const npm = [
      { name: "b", version: "1.0.0", license: "MIT" },
      { name: "@scope/a", version: "2.0.0", license: "MIT" },
    ];
    const base = {
      version: "1",
      compatible: "nvrd-generic-arm64",
      suite: "trixie",
      epoch: 0,
      debian: debianPackages(status),
    };
    const bom = bomOf({ ...base, npm });
    expect(bomOf({ ...base, npm: npm.toReversed() })).toEqual(bom);
    expect(bom.components.map(({ purl }) => purl)).toEqual([
      "pkg:deb/debian/libx@1%3A2.0%2Bb1?arch=arm64&distro=trixie",
      "pkg:npm/%40scope/a@2.0.0",
      "pkg:npm/b@1.0.0",
    ]);
  });
});

describe("the scripts of the box", () => {
  const scripts = readdirSync(join(IMAGE, "root/usr/lib/nvrd-image"))
    .map((name) => join(IMAGE, "root/usr/lib/nvrd-image", name))
    .filter((file) => /^#/.test(readFileSync(file, "utf8")));

  it.each([...scripts, join(IMAGE, "first-root/init")])("%s are what a plain shell reads", (file) => {
    expect(spawnSync("dash", ["-n", file], { encoding: "utf8" }).stderr).toBe("");
  });
});

const noVerifier =
  spawnSync("systemd-analyze", ["--version"]).status === 0 ? undefined : "systemd-analyze is not installed";

describe.skipIf(noVerifier !== undefined)(`the units of the box${notHere(noVerifier)}`, () => {
  const units = readdirSync(join(IMAGE, "root/usr/lib/systemd/system"))
    .filter((name) => name.endsWith(".service"))
    .map((name) => name.replace("@.", "@nvrd-1a2b3c4d."));

  it("are what systemd understands, and start programs that are there", () => {
    const options = [`--root=${join(IMAGE, "root")}`, "--man=no", "--recursive-errors=no"];
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...options, ...units], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
