import { rmSync, utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { build } from "../../scripts/build.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const API_DOC_SCRIPT = "scripts/docs/make-api-doc.mjs";
const PAGE = "docs/ref/api.md";
const HEAD = "docs/ref/api-head.md";

let root: TemporaryDirectory;
let fault: Error | undefined;

beforeEach(() => {
  fault = undefined;
  root = new TemporaryDirectory("build");
  root.write({
    ...{ "package.json": "{}", "tsconfig.json": "{}", "src/main.ts": "", [HEAD]: "# Head\n" },
    ...{ [API_DOC_SCRIPT]: "", "scripts/docs/markdown.mjs": "", "scripts/docs/api-doc-schemas.mjs": "" },
    ...{ "scripts/other.mjs": "", "dist/main.js": "", "build/nvrd.node": "" },
  });
});
afterEach(() => root.remove());

/** Runs a build whose makers only write; returns how often the page of the API was made. */
async function made(): Promise<number> {
  let times = 0;
  await build(root.path, async (script: string) => {
    if (script !== API_DOC_SCRIPT) return;
    times += 1;
    if (fault !== undefined) throw fault;
    root.write({ [PAGE]: "# Page\n" });
  });
  return times;
}

describe("page of the API in a build", () => {
  it("is made once", async () => {
    expect(await made()).toBe(1);
    expect(await made()).toBe(0);
  });

  it.each([
    HEAD,
    API_DOC_SCRIPT,
    "scripts/docs/markdown.mjs",
    "scripts/docs/api-doc-schemas.mjs",
    "src/main.ts",
  ])("is made again when %s changed", async (file) => {
    await made();
    root.write({ [file]: "// changed\n" });
    expect(await made()).toBe(1);
    expect(await made()).toBe(0);
  });

  it("is left alone when another script changed", async () => {
    await made();
    root.write({ "scripts/other.mjs": "// changed\n" });
    expect(await made()).toBe(0);
  });

  it("is made again when it is gone", async () => {
    await made();
    rmSync(root.join(PAGE));
    expect(await made()).toBe(1);
  });

  it("is made again when it was edited by hand, and left when it was only touched", async () => {
    await made();
    utimesSync(root.join(PAGE), 0, 0);
    expect(await made()).toBe(0);
    root.write({ [PAGE]: "# Page, edited\n" });
    expect(await made()).toBe(1);
  });

  it("fails the build when it cannot be made, and is tried again by the next", async () => {
    fault = new Error("no route");
    await expect(made()).rejects.toThrow("no route");
    fault = undefined;
    expect(await made()).toBe(1);
  });
});
