import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkSources } from "../../scripts/check-sources.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

let root: TemporaryDirectory;

beforeEach(() => {
  root = new TemporaryDirectory("sources");
  root.write({
    "package.json": '{"dependencies":{"a":"1.2.3","b":"npm:c@4.5.6"}}',
    "package-lock.json": '{"packages":{}}',
  });
});
afterEach(() => root.remove());

describe("check of sources", () => {
  it("accepts a source of 400 lines", () => {
    root.write({ "src/a.ts": "x\n".repeat(400) });
    expect(checkSources(root.path, ["src/a.ts"])).toEqual([]);
  });

  it("refuses a source of 401 lines", () => {
    root.write({ "src/a.ts": "x\n".repeat(401) });
    expect(checkSources(root.path, ["src/a.ts"])).toEqual([expect.stringContaining("src/a.ts: 401 lines")]);
  });

  it("refuses a file of more than 3 MB", () => {
    root.write({ "clip.h264": "x".repeat(3 * 1024 * 1024 + 1) });
    expect(checkSources(root.path, ["clip.h264"])).toEqual([
      expect.stringContaining("clip.h264: 3145729 bytes"),
    ]);
  });

  it("refuses a lock file with download addresses", () => {
    root.write({ "package-lock.json": '{"packages":{"a":{"resolved": "https://registry.example/a.tgz"}}}' });
    expect(checkSources(root.path, [])).toEqual([
      expect.stringContaining("package-lock.json: holds download addresses"),
    ]);
  });

  it("refuses a lock file that lacks a platform's optional package", () => {
    const packages = {
      "node_modules/a": { version: "1.0.0", optionalDependencies: { "@a/darwin-arm64": "1.0.0" } },
    };
    root.write({ "package-lock.json": JSON.stringify({ packages }) });
    expect(checkSources(root.path, [])).toEqual([
      "package-lock.json: lacks node_modules/@a/darwin-arm64; run npm run lock",
    ]);
  });

  it("refuses a version range", () => {
    root.write({ "package.json": '{"dependencies":{"a":"^1.2.3"}}' });
    expect(checkSources(root.path, [])).toEqual(["package.json: a ^1.2.3 is not an exact version"]);
  });
});
