import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkNode, missingPackages, staleNpmPackage } from "../../scripts/setup.mjs";
import { summarize } from "../../scripts/test-summary.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

describe("set-up", () => {
  it.each(["20.19.0", "20.20.2", "22.12.0", "22.23.1"])("accepts Node %s", (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  it.each(["18.20.4", "20.18.3", "22.11.0", "24.1.0", ""])(
    "refuses Node %s and says which to install",
    (version) => {
      expect(() => checkNode(version)).toThrow(/install Node 22/);
    },
  );

  it("names the Debian packages that are missing, and only these", () => {
    expect(missingPackages(["dpkg", "no-such-package-nvrd"])).toEqual(["no-such-package-nvrd"]);
  });
});

describe("set-up of npm packages", () => {
  let root: TemporaryDirectory;
  beforeEach(() => {
    root = new TemporaryDirectory("setup");
  });
  afterEach(() => root.remove());

  const write = (locked: object, installed: object) =>
    root.write({
      "package-lock.json": JSON.stringify({ packages: { "": {}, ...locked } }),
      "node_modules/.package-lock.json": JSON.stringify({ packages: installed }),
    });

  it("finds nothing to do when all are there", () => {
    write({ "node_modules/a": { version: "1.0.0" } }, { "node_modules/a": { version: "1.0.0" } });
    expect(staleNpmPackage(root.path)).toBeUndefined();
  });

  it("finds a package of another version", () => {
    write({ "node_modules/a": { version: "1.0.1" } }, { "node_modules/a": { version: "1.0.0" } });
    expect(staleNpmPackage(root.path)).toBe("node_modules/a");
  });

  it("does not mind an optional package of another platform", () => {
    write({ "node_modules/a-arm64": { version: "1.0.0", optional: true } }, {});
    expect(staleNpmPackage(root.path)).toBeUndefined();
  });

  it("finds that nothing is installed", () => {
    root.write({ "package-lock.json": '{"packages":{}}' });
    expect(staleNpmPackage(root.path)).toBe("node_modules");
  });
});

describe("summary of a CI run", () => {
  const report = (passed: number, failed: number, testResults: object[] = []) =>
    JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults });

  it("counts tests", () => {
    expect(summarize(report(12, 0), 0, 0)).toEqual({ passed: 12, failed: 0 });
  });

  it("counts a file that could not be loaded as one failure", () => {
    const broken = { status: "failed", assertionResults: [] };
    expect(summarize(report(12, 0, [broken]), 1, 0)).toEqual({ passed: 12, failed: 1 });
  });

  it("counts a run without a report as one failure", () => {
    expect(summarize(undefined, 1, 0)).toEqual({ passed: 0, failed: 1 });
  });

  it("counts a failed lint as one failure", () => {
    expect(summarize(report(12, 1), 1, 1)).toEqual({ passed: 12, failed: 2 });
  });

  it("counts an unhandled error after passed tests as one failure", () => {
    expect(summarize(report(12, 0), 1, 0)).toEqual({ passed: 12, failed: 1 });
  });
});
