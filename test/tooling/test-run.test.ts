import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { builtModule } from "../../scripts/test/built-modules.mjs";
import { reasonOf, skippedLines, slowestLines } from "../../scripts/test/closing-reporter.mjs";
import { filesByProcess } from "../../scripts/test/files-by-process.mjs";
import { guessedMs, inOrder, LONG_SECONDS, mostlyWaits } from "../../scripts/test/longest-first.mjs";
import { costliestLines, groupsOf } from "../../scripts/test/processor-time.mjs";
import { endLine } from "../../scripts/test/reporting-pool.mjs";
import {
  closingLines,
  filesToRunAgain,
  outsideLines,
  withSecondRun,
} from "../../scripts/test/test-report.mjs";
import { vitestArguments } from "../../scripts/test.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

/** From a test's condition to the end of its name. */
const NAME_CHARACTERS_MAX = 300;

describe("npm test with a name", () => {
  const toVitest = (...args: string[]) => vitestArguments(REPOSITORY_ROOT, args);

  it("runs the room of that name alone", () => {
    expect(toVitest("archive", "rtsp")).toEqual(["test/archive/", "test/rtsp/"]);
  });

  it("passes on what is no room", () => {
    const args = [
      "crash",
      "test/archive/write/crash-points.test.ts",
      "-t",
      "survives",
      "--bail=1",
      "../test",
      ".",
    ];
    expect(toVitest(...args)).toEqual(args);
  });
});

describe("a module of src/ that a test file imports", () => {
  const checkout = new TemporaryDirectory("checkout");
  const folder = checkout.join("built");
  const importing = (source: string, importer: string): string | undefined =>
    builtModule({ root: checkout.path, folder }, source, checkout.join(importer));

  checkout.write({
    "src/archive/index.ts": "",
    "src/archive/new.ts": "",
    "src/page/zone.ts": "",
    "built/archive/index.js": "",
    "test/archive/plain.test.ts": 'import "../../src/archive/index.js";',
    "test/support/archive/volume.js": "",
  });
  afterAll(() => checkout.remove());

  it("is the built one", () => {
    expect(importing("../../src/archive/index.js", "test/archive/plain.test.ts")).toBe(
      checkout.join("built/archive/index.js"),
    );
  });

  it.each([
    ["that is not built yet", "../../src/archive/new.js", "test/archive/plain.test.ts"],
    ["of the page, which is built for a browser", "../../src/page/zone.js", "test/archive/plain.test.ts"],
    ["that another module imports", "./index.js", "src/archive/new.ts"],
  ])("is the source where it is one %s", (_, source, importer) => {
    expect(importing(source, importer)).toBeUndefined();
  });

  it("is left alone where it is a file of the tests or of a package", () => {
    expect(importing("../support/archive/volume.js", "test/archive/plain.test.ts")).toBeUndefined();
    expect(importing("vitest", "test/archive/plain.test.ts")).toBeUndefined();
  });
});

describe("the processes of the files", () => {
  const files = filesByProcess(REPOSITORY_ROOT);

  it("are their own where a file says so", () => {
    expect(files.own).toContain("test/archive/read/archive-reader.test.ts");
    expect(files.own).toContain("test/service/event-log.test.ts");
    expect(files.own).toContain("test/picture/codec/codec-life.test.ts");
  });

  it("are their own, with the modules of the sources, where a file replaces some of them", () => {
    expect(files.replacing).toEqual([
      "test/archive/index/index-durable.test.ts",
      "test/archive/volume/no-thread.test.ts",
      "test/contract/camera-limit.test.ts",
      "test/host/control/data-lock.test.ts",
    ]);
  });

  it("are their own, in a network of their own, where a file makes interfaces or looks for cameras", () => {
    const makesInterfaces = /from ".*\/(?:camera-lan|network-lan|service\/fleet|service\/thin-link)\.js"/;
    const made = Object.values(files)
      .flat()
      .filter((file) => makesInterfaces.test(readFileSync(join(REPOSITORY_ROOT, file), "utf8")));
    expect(made.length).toBeGreaterThan(2);
    const demos = ["test/page/demo.test.ts", "test/page/fleet-demo.test.ts"];
    expect(files.network).toEqual([...made, ...demos].sort());
  });

  it("are shared by the others", () => {
    expect(files.shared).toContain("test/service/programs/config.test.ts");
    expect(files.shared).toContain("test/tooling/test-run.test.ts");
  });
});

describe("the order of the files", () => {
  it("knows the longest ones before their first run, each of which is there", () => {
    const all = Object.values(filesByProcess(REPOSITORY_ROOT)).flat();
    expect(Object.keys(LONG_SECONDS).filter((file) => !all.includes(file))).toEqual([]);
    expect(guessedMs("test/service/disks/retention.test.ts", 5000)).toBe(75_000);
    expect(guessedMs("test/base/errors.test.ts", 5000)).toBe(2005);
  });

  it("has those of shared processes last, the longest of each kind first", () => {
    const files = [
      { name: "shared, long", isOwn: false, waits: false, durationMs: 9000 },
      { name: "own, short", isOwn: true, waits: true, durationMs: 100 },
      { name: "shared, short", isOwn: false, waits: false, durationMs: 10 },
      { name: "own, long", isOwn: true, waits: false, durationMs: 5000 },
    ];
    expect(inOrder(files).map(({ name }) => name)).toEqual([
      "own, long",
      "own, short",
      "shared, long",
      "shared, short",
    ]);
  });

  it("lie so that those that wait are among those that compute, and end before them", () => {
    const several = (kind: string, count: number, durationMs: number) =>
      Array.from({ length: count }, (_, at) => ({
        name: `${kind}${at}`,
        ...{ isOwn: false, waits: kind === "w", durationMs: durationMs - at },
      }));
    const order = inOrder([...several("c", 20, 3000), ...several("w", 5, 30_000)]).map(({ name }) => name);
    expect(order).toHaveLength(25);
    expect(order.filter((name) => name.startsWith("w"))).toEqual(["w0", "w1", "w2", "w3", "w4"]);
    expect(order.filter((name) => name.startsWith("c"))).toEqual(several("c", 20, 0).map(({ name }) => name));
    const between = order
      .join(" ")
      .split(/w\d/)
      .map((part) => part.split("c").length - 1);
    expect(between[0]).toBeLessThanOrEqual(3);
    expect(Math.max(...between.slice(0, -1))).toBeLessThanOrEqual(5);
    expect(between.at(-1)).toBeGreaterThanOrEqual(1);
  });

  it("waits in the rooms that start services, networks and systems", () => {
    expect(
      ["service/card", "network/network-page", "page/wall"].map((name) =>
        mostlyWaits(`test/${name}.test.ts`),
      ),
    ).toEqual([true, true, false]);
  });
});

describe("the end of a run", () => {
  it("names the slowest ten files, the slowest first", () => {
    const files = Array.from({ length: 12 }, (_, at) => ({ file: `${at}.test.ts`, durationMs: at * 1000 }));
    const lines = slowestLines(files);
    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 4)).toEqual([
      "Slowest files:",
      "  11.0 s  11.test.ts",
      "  10.0 s  10.test.ts",
      "   9.0 s  9.test.ts",
    ]);
  });

  it("says that no processor time was measured where no control groups can be made", () => {
    expect(groupsOf(["/nowhere/cgroup/cpuacct", "/nowhere/cgroup"])).toBeUndefined();
    expect(groupsOf(["/nowhere/cgroup/cpuacct", tmpdir()])).toBe(tmpdir());
    expect(costliestLines([], 2)).toEqual([
      "Processor time: not measured, as there are no control groups that it may use.",
    ]);
  });

  it("names the files that used most processor time, where that is asked for, and what all used", () => {
    const times = ["a", "b", "c"].map((file, at) => ({ file: `${file}.test.ts`, ms: at * 6000 }));
    expect(costliestLines(times, 2)).toEqual([
      "Processor time: 18.0 s, of it:",
      "  12.0 s  c.test.ts",
      "   6.0 s  b.test.ts",
    ]);
  });

  it("names the tests that were skipped, below their file and its reason", () => {
    const skipped = [
      { file: "disk.test.ts", name: "a disk > is read", reason: "mounting wants root" },
      { file: "view.test.ts", name: "a picture is shown", reason: "no browser" },
      { file: "disk.test.ts", name: "a disk > is written", reason: "mounting wants root" },
    ];
    expect(skippedLines(skipped)).toEqual([
      "Skipped: 3",
      "  disk.test.ts: mounting wants root",
      "    a disk > is read",
      "    a disk > is written",
      "  view.test.ts: no browser",
      "    a picture is shown",
    ]);
  });

  it("says nothing of skipped tests where there are none", () => {
    expect(skippedLines([])).toEqual([]);
  });

  it("takes the reason from the test's note, its name or that of a group around it", () => {
    expect(reasonOf(["a disk", "is read"], "it is asleep")).toBe("it is asleep");
    expect(reasonOf(["a disk (not here: mounting wants root)", "is read"], undefined)).toBe(
      "mounting wants root",
    );
    expect(reasonOf(["a disk", "is read (not here: fuse (3) is missing)"], undefined)).toBe(
      "fuse (3) is missing",
    );
    expect(reasonOf(["a disk", "is read"], undefined)).toBe("no reason given");
  });
});

describe("a test that may be skipped", () => {
  it("says why", () => {
    const isTest = (name: string) => name.endsWith(".test.ts") && name !== "tooling/test-run.test.ts";
    const silent = readdirSync(join(REPOSITORY_ROOT, "test"), { recursive: true, encoding: "utf8" })
      .filter(isTest)
      .flatMap((name) => {
        const conditions = readFileSync(join(REPOSITORY_ROOT, "test", name), "utf8").split(
          /\.(?:skipIf|runIf)\(/,
        );
        const unsaid = conditions
          .slice(1)
          .filter((text) => !text.slice(0, NAME_CHARACTERS_MAX).includes("notHere("));
        return unsaid.map((text) => `${name}: ${text.slice(0, 80)}`);
      });
    expect(silent).toEqual([]);
  });
});

describe("a process of tests that ends too early", () => {
  it("is reported with its files and its signal or status", () => {
    expect(endLine(["a.test.ts"], null, "SIGSEGV")).toBe(
      "the process of a.test.ts ended too early: signal SIGSEGV",
    );
    expect(endLine(["a.test.ts"], 3, null)).toBe("the process of a.test.ts ended too early: status 3");
  });
});

describe("files that failed in a run of all", () => {
  const file = (name: string, status: string, message = "") => ({
    name: `/checkout/test/${name}.test.ts`,
    status,
    message: "",
    assertionResults: [
      { title: "holds", ancestorTitles: [name], status, failureMessages: message === "" ? [] : [message] },
    ],
  });
  const report = (...testResults: ReturnType<typeof file>[]) => ({ testResults });
  const first = report(
    file("steady", "passed"),
    file("unsteady", "failed", "\u001b[31mtoo late\u001b[39m"),
    file("wrong", "failed", "1 is not 2"),
  );
  const again = report(file("unsteady", "passed"), file("wrong", "failed", "1 is still not 2"));

  it("are run again", () => {
    expect(filesToRunAgain(first)).toEqual([
      "/checkout/test/unsteady.test.ts",
      "/checkout/test/wrong.test.ts",
    ]);
  });

  it("are not run again where they are many", () => {
    const many = report(...[..."abcdefghijklm"].map((name) => file(name, "failed")));
    expect(filesToRunAgain(many)).toEqual([]);
  });

  const outside = {
    file: "/checkout/test/steady.test.ts",
    message: "Error: nobody waits for it\n    at line 1",
  };

  it("are run again with those that an error outside all tests happened in", () => {
    expect(filesToRunAgain(report(file("unsteady", "failed")), [outside])).toEqual([
      "/checkout/test/unsteady.test.ts",
      "/checkout/test/steady.test.ts",
    ]);
  });

  it("are not run again where an error outside all tests has no file", () => {
    expect(filesToRunAgain(first, [{ message: "Error: from nowhere" }])).toEqual([]);
  });

  it("are named beside the errors outside all tests", () => {
    expect(outsideLines([outside, { message: "Error: from nowhere" }], "/checkout")).toEqual([
      "Errors outside all tests:",
      ...["  test/steady.test.ts", "    Error: nobody waits for it", "        at line 1"],
      ...["  no file", "    Error: from nowhere"],
    ]);
  });

  it("count by their second run where they passed in it", () => {
    expect(withSecondRun(first, again)).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
  });

  it("are named at the end, those apart that passed in the second run", () => {
    expect(closingLines(first, again, "/checkout")).toEqual([
      "Unsteady (failed among the others, passed alone):",
      "  test/unsteady.test.ts > unsteady > holds",
      "    too late",
      "Failed:",
      "  test/wrong.test.ts > wrong > holds",
      "    1 is not 2",
    ]);
  });

  it("are named where nothing was run again", () => {
    expect(closingLines(first, report(), "/checkout")).toEqual([
      "Failed:",
      ...["  test/unsteady.test.ts > unsteady > holds", "    too late"],
      ...["  test/wrong.test.ts > wrong > holds", "    1 is not 2"],
    ]);
  });
});
