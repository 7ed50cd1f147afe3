import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkoutLines, copyMachineDocuments, machineText } from "../../../scripts/package/documents.mjs";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

let tree: TemporaryDirectory;
let pages: string[];

beforeAll(() => {
  tree = new TemporaryDirectory("package-documents");
  copyMachineDocuments(REPOSITORY_ROOT, tree.path);
  pages = readdirSync(tree.path, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
});
afterAll(() => tree?.remove());

const read = (page: string) => readFileSync(tree.join(page), "utf8");
const everywhere = (path: string) => path !== "design/time.md";

describe("documents of the package", () => {
  it("hold no line of a checkout", () => {
    expect(pages).toContain("README.md");
    expect(pages.map(read).flatMap(checkoutLines)).toEqual([]);
  });

  it("link only to what the package has", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
        .map(([, target = ""]) => join(dirname(page), target))
        .filter((target) => !existsSync(tree.join(target))),
    );
    expect(broken).toEqual([]);
  });

  it("have the page of the API, which the build makes, and its beginning only there", () => {
    expect(read("ref/api.md")).toMatch(/^# The HTTP API\n/);
    expect(read("ref/api.md")).toContain("\n### GET /openapi.json\n");
    expect(read("guide/monitoring.md")).toContain("(../ref/api.md#get-apihealth)");
    expect(pages).not.toContain("ref/api-head.md");
  });

  it("are not copied before the page of the API is built", () => {
    const checkout = new TemporaryDirectory("package-documents-unbuilt");
    try {
      expect(() => copyMachineDocuments(checkout.path, checkout.join("to"))).toThrow(
        "docs/ref/api.md is missing; build it first: npm run build",
      );
    } finally {
      checkout.remove();
    }
  });

  it("come with what they speak of", () => {
    expect(existsSync(tree.join("examples/grafana/nvrd.json"))).toBe(true);
    expect(existsSync(tree.join("examples/zabbix/nvrd.yaml"))).toBe(true);
    expect(read("guide/monitoring.md")).toContain("/usr/share/doc/nvrd/examples/grafana/nvrd.json");
    expect(read("guide/watch.md")).toContain("| nvrd-video-parts | ffplay");
    expect(read("guide/disks.md")).toContain("sudo nvrd disk-report");
  });

  it("leave out a part for checkouts, and name programs as the machine does", () => {
    const text =
      "a\n\n<!-- checkout -->\nnpm run demo\n<!-- /checkout -->\n\n[why](../design/time.md): `bin/nvrd check --data ./data`\n";
    expect(machineText(text, "guide/x.md", everywhere)).toBe("a\n\nwhy: `nvrd check --data /var/lib/nvrd`\n");
  });

  it.each([
    "npm run package",
    "node scripts/x.mjs",
    "git clone a",
    "see `docs/design/time.md`",
    "sudo bin/nvrd x",
  ])("%j is a line of a checkout", (line) => {
    expect(checkoutLines(line)).toEqual([line]);
  });

  it.each(["nvrd check", "/usr/bin/nvrd", "https://h/docs/x"])("%j is none", (line) => {
    expect(checkoutLines(line)).toEqual([]);
  });
});
