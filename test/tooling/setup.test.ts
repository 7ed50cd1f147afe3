import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEBIAN_PACKAGES, purposesOf } from "../../scripts/debian-packages.mjs";
import {
  checkNode,
  missingOf,
  missingPackages,
  staleNpmPackage,
  withoutStarts,
} from "../../scripts/setup.mjs";
import { runStep, StepError } from "../../scripts/step.mjs";
import { summarize } from "../../scripts/test-summary.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

describe("set-up", () => {
  it.each(["20.19.0", "20.20.2", "22.12.0", "22.23.1", "24.11.0", "24.21.0"])(
    "accepts Node %s",
    (version) => {
      expect(() => checkNode(version)).not.toThrow();
    },
  );

  it.each(["18.20.4", "20.18.3", "22.11.0", "24.1.0", "25.1.0", ""])(
    "refuses Node %s and says which to install",
    (version) => {
      expect(() => checkNode(version)).toThrow(/install Node 22/);
    },
  );

  it("names the Debian packages that are missing, and only these", () => {
    expect(missingPackages(["dpkg", "no-such-package-nvrd"])).toEqual(["no-such-package-nvrd"]);
  });
});

describe("Debian packages of the set-up", () => {
  it("are missing where only another processor's are installed", () => {
    const listing =
      "libavcodec-dev:arm64 installed\nlibavutil-dev:amd64 installed\ncurl installed\ng++ config-files\n";
    const wanted = ["libavcodec-dev", "libavutil-dev", "curl", "g++"];
    expect(missingOf(wanted, listing, "amd64")).toEqual(["libavcodec-dev", "g++"]);
  });

  it.each(Object.entries(DEBIAN_PACKAGES))(
    "of %s have each a purpose that the user is told",
    (_use, names) => {
      const listed = purposesOf(names).flatMap((line) => line.slice(line.indexOf(": ") + 2).split(" "));
      expect(listed.toSorted()).toEqual([...new Set(names)].toSorted());
    },
  );
});

describe("services of packages that the set-up installs", () => {
  let root: TemporaryDirectory;
  beforeEach(() => {
    root = new TemporaryDirectory("policy");
  });
  afterEach(() => root.remove());
  const policy = (): string => root.join("policy-rc.d");
  const statusNow = async (): Promise<number | null> => spawnSync(policy(), ["slapd", "start"]).status;

  it("do not start meanwhile, and may again when it has ended or failed", async () => {
    expect(await withoutStarts(statusNow, policy())).toBe(101);
    expect(existsSync(policy())).toBe(false);
    const failed = withoutStarts(() => Promise.reject(new Error("no network")), policy());
    await expect(failed).rejects.toThrow("no network");
    expect(existsSync(policy())).toBe(false);
  });

  it("may start again after a set-up that was killed before", async () => {
    await withoutStarts(async () => cpSync(policy(), root.join("left")), policy());
    renameSync(root.join("left"), policy());
    expect(await withoutStarts(statusNow, policy())).toBe(101);
    expect(existsSync(policy())).toBe(false);
  });

  it("are left to a policy of the machine's own", async () => {
    writeFileSync(policy(), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(await withoutStarts(statusNow, policy())).toBe(0);
    expect(readFileSync(policy(), "utf8")).toContain("exit 0");
  });

  it("may start again after Ctrl+C", async () => {
    const setUp = new URL("../../scripts/setup.mjs", import.meta.url).href;
    const wait =
      "setInterval(() => undefined, 1000); console.log('begun'); return new Promise(() => undefined);";
    const code = `import(${JSON.stringify(setUp)}).then((m) => m.withoutStarts(async () => { ${wait} }, ${JSON.stringify(policy())}))`;
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    expect(existsSync(policy())).toBe(true);
    child.kill("SIGINT");
    expect((await once(child, "exit"))[0]).toBe(130);
    expect(existsSync(policy())).toBe(false);
  });
});

describe("a step of the set-up", () => {
  const run = async (code: string, title: string | null = "Something; takes a minute") => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const options = { title: title ?? undefined, cwd: ".", reportMs: 100, say };
    const end = await runStep(process.execPath, ["-e", code], options).catch((error: unknown) => error);
    return { lines, end };
  };

  it("says what it is, that it is still running, and how long it took", async () => {
    const { lines } = await run("setTimeout(() => undefined, 400)");
    expect(lines[0]).toBe("setup: Something; takes a minute");
    expect(lines[1]).toMatch(/^setup: Something: still running after \d+ s$/);
    expect(lines.at(-1)).toMatch(/^setup: Something: done in \d+ s$/);
  });

  it("is named by its program where it has no title", async () => {
    const { lines } = await run("setTimeout(() => undefined, 400)", null);
    expect(lines[0]).toMatch(/^setup: \/.*node: still running/);
  });

  it("fails with the status of its program", async () => {
    const { end } = await run("process.exit(3)");
    expect(end).toBeInstanceOf(StepError);
    expect(end).toMatchObject({ message: "status 3" });
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
  const report = (
    passed: number,
    failed: number,
    testResults: { status: string; assertionResults: [] }[] = [],
  ) => ({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults,
  });

  it("counts tests", () => {
    expect(summarize(report(12, 0), 0, 0)).toEqual({ passed: 12, failed: 0 });
  });

  it("counts a file that could not be loaded as one failure", () => {
    const broken = { status: "failed", assertionResults: [] as [] };
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
