import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import { parseCommandLine, UsageError } from "../../src/command/command-line.js";
import { ControlServer, DataLock } from "../../src/host/control/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const program = fileURLToPath(new URL("../../bin/nvrd", import.meta.url));

function nvrd(args: readonly string[], environment: Record<string, string> = {}) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NVRD_")));
  const env = { ...clean, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

/** The same without blocking this process, which is the one to be talked to. */
async function nvrdBeside(args: readonly string[]) {
  const { execFile } = await import("node:child_process");
  return await new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

describe("nvrd", () => {
  it("prints its help and its version", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(nvrd(["--version"])).toMatchObject({ status: 0, stderr: "" });
    // Of the release alone, or with what comes between two: the commit, and when it was made.
    expect(nvrd(["--version"]).stdout).toMatch(
      new RegExp(`^nvrd ${version}(?:[~+][\\w.~+]+)?(?: \\(commit \\w{8} of [\\d-]{10}\\))?\n$`),
    );
    const help = nvrd(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    for (const word of ["run", "demo", "check", "--http-port", "NVRD_ROOT_PASSWORD", "exit status"]) {
      expect(help.stdout).toContain(word);
    }
    expect(nvrd(["run", "--help"]).stdout).toBe(help.stdout);
  });

  it.each([
    ["no command", []],
    ["an unknown command", ["fly"]],
    ["an unknown flag", ["run", "--fast"]],
    ["a flag of another command", ["run", "--rebuild"]],
    ["a flag without its value", ["run", "--data"]],
    ["words too many", ["run", "now"]],
  ])("answers %s on standard error with status 2", (_name, args) => {
    const { status, stdout, stderr } = nvrd(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^nvrd: .+\n {6}nvrd --help/s);
  });

  it("answers a wrong setting with status 2, naming it", () => {
    const { status, stderr } = nvrd(["run", "--http-port", "http"], { NVRD_LOG_LEVEL: "loud" });
    expect(status).toBe(2);
    expect(stderr).toContain('httpPort: "http" (flag --http-port)');
    expect(stderr).toContain('logLevel: "loud" (environment NVRD_LOG_LEVEL)');
  });

  it.each(["run", "demo"])(
    "%s refuses a data directory that another nvrd uses, with its pid and status 4",
    async (command) => {
      const directory = await temporaryDirectory();
      const lock = DataLock.acquire(directory);
      const { status, stderr } = nvrd([
        command,
        "--data",
        directory,
        "--http-port",
        "0",
        "--https-port",
        "0",
      ]);
      lock.release();
      expect(status).toBe(4);
      expect(stderr).toContain(`pid ${process.pid}`);
      expect(stderr).toContain(directory);
    },
  );

  it("run names a port that is taken, and the remedy, with status 3", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const directory = await temporaryDirectory();
    const args = [
      "run",
      "--data",
      directory,
      "--listen",
      "127.0.0.1",
      "--http-port",
      port,
      "--https-port",
      "0",
    ];
    const { status, stderr } = nvrd(args);
    expect(status).toBe(3);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use`);
    expect(stderr).toContain("--http-port");
  });

  it("run says that the machine does not have the address", async () => {
    const directory = await temporaryDirectory();
    const { status, stderr } = nvrd(["run", "--data", directory, "--listen", "192.0.2.1"]);
    expect(status).toBe(3);
    expect(stderr).toContain("no address 192.0.2.1");
  });

  it("check says that there is no such data directory, and makes none", async () => {
    const { status, stderr } = nvrd(["check", "--data", "/nowhere/data"]);
    expect(status).toBe(2);
    expect(stderr).toContain("/nowhere/data");
  });

  it("check goes through the service that runs", async () => {
    const dataDir = await temporaryDirectory();
    const lock = DataLock.acquire(dataDir);
    const server = new ControlServer({ dataDir, clock: new SystemClock(), log: silentLog });
    const asked: unknown[] = [];
    server.register("check", async (call) => {
      asked.push(call.arguments);
      call.progress("half way");
      return { clean: asked.length === 1, text: "all 3 segments whole", report: { segments: 3 } };
    });
    await server.start();
    const clean = await nvrdBeside(["check", "--data", dataDir, "--deep"]);
    expect(clean).toEqual({ status: 0, stdout: "all 3 segments whole\n", stderr: "half way\n" });
    const problems = await nvrdBeside(["check", "--data", dataDir, "--json", "--rebuild"]);
    expect(problems).toEqual({ status: 1, stdout: '{"segments":3}\n', stderr: "half way\n" });
    expect(asked).toEqual([
      { rebuild: false, deep: true },
      { rebuild: true, deep: false },
    ]);
    await server.stop();
    const unanswered = await nvrdBeside(["check", "--data", dataDir]);
    expect(unanswered).toMatchObject({ status: 4, stderr: expect.stringContaining(`pid ${process.pid}`) });
    lock.release();
  });
});

describe("parseCommandLine", () => {
  it("reads the flags of each command", () => {
    expect(parseCommandLine(["run", "--data", "d", "--http-port=0"])).toEqual({
      command: "run",
      flags: { data: "d", "http-port": "0" },
    });
    expect(parseCommandLine(["check", "--json", "--data", "d"])).toEqual({
      command: "check",
      flags: { data: "d" },
      rebuild: false,
      deep: false,
      json: true,
    });
  });

  it("reads what to restore, and where", () => {
    const from = ["--from", "2026-01-31T18:00:00Z"];
    expect(parseCommandLine(["restore", "target.json", "/new", ...from])).toEqual({
      ...{ command: "restore", file: "target.json", directory: "/new", json: false },
      ...{ channelId: undefined, fromUs: Date.UTC(2026, 0, 31, 18) * 1000, toUs: undefined },
    });
    for (const args of [
      ["a"],
      ["a", "b", "c"],
      ["a", "b", "--from", "yesterday"],
      ["a", "b", "--channel", "1"],
    ])
      expect(() => parseCommandLine(["restore", ...args])).toThrow(UsageError);
  });

  it("throws UsageError for what it does not understand", () => {
    expect(() => parseCommandLine(["check", "--json=yes"])).toThrow(UsageError);
  });
});
