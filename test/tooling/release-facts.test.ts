import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepReleaseFacts, keptReleaseFacts, releaseFacts } from "../../scripts/release-facts.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const COMMITTED = "2026-11-28T17:30:05Z";

let root: TemporaryDirectory;

beforeEach(() => {
  root = new TemporaryDirectory("release-facts");
  root.write({ "package.json": '{"version":"1.2.0"}', ".gitignore": "/build/\n" });
});
afterEach(() => root.remove());

function git(...args: string[]): string {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  const env = { ...process.env, GIT_AUTHOR_DATE: COMMITTED, GIT_COMMITTER_DATE: COMMITTED };
  return execFileSync("git", [...author, ...args], { cwd: root.path, env, encoding: "utf8" }).trim();
}

function commit(): string {
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  return git("rev-parse", "HEAD");
}

describe("what a build is of", () => {
  it("is the next release so far, with the time of the commit and its name", () => {
    const name = commit();
    const version = `1.2.0~git202611281730.${name.slice(0, 8)}`;
    expect(releaseFacts(root.path)).toEqual({ version, commit: name, date: "2026-11-28T17:30:05.000Z" });
  });

  it("is the release itself where the commit has its tag", () => {
    commit();
    git("tag", "v1.1.0");
    expect(releaseFacts(root.path).version).toContain("~git");
    git("tag", "v1.2.0");
    expect(releaseFacts(root.path).version).toBe("1.2.0");
  });

  it("says that files differ from the commit", () => {
    commit();
    git("tag", "v1.2.0");
    root.write({ ".gitignore": "/build/\n/more/\n" });
    expect(releaseFacts(root.path).version).toBe("1.2.0+changed");
  });

  it("is a local one without git, or within another checkout", () => {
    expect(releaseFacts(root.path)).toEqual({ version: "1.2.0~local", commit: "", date: "" });
    root.write({ "inner/package.json": '{"version":"1.3.0"}' });
    commit();
    expect(releaseFacts(root.join("inner")).version).toBe("1.3.0~local");
  });

  it("is kept for the program, and written anew where it has changed", () => {
    commit();
    keepReleaseFacts(root.path);
    expect(keptReleaseFacts(root.path)).toEqual(releaseFacts(root.path));
    git("tag", "v1.2.0");
    keepReleaseFacts(root.path);
    expect(JSON.parse(readFileSync(root.join("build/release.json"), "utf8")).version).toBe("1.2.0");
  });

  it("sorts for Debian: before its release, after the one before, and by time", () => {
    const order = ["1.1.0", "1.2.0~git202611281730.ffffffff", "1.2.0~git202611290000.00000000", "1.2.0"];
    for (const [index, older] of order.slice(0, -1).entries())
      execFileSync("dpkg", ["--compare-versions", older, "lt", order[index + 1] ?? ""]);
  });
});
