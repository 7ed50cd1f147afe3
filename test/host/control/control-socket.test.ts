import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NvrdError, SystemClock } from "../../../src/base/index.js";
import { ControlServer, callControl, REQUEST_BYTES_MAX } from "../../../src/host/control/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

async function startServer(dataDir: string): Promise<ControlServer> {
  const server = new ControlServer({ dataDir, clock: new SystemClock(), log: silentLog });
  server.register("echo", async (call) => call.arguments);
  server.register("count", async (call) => {
    for (let i = 1; i <= 3; i += 1) call.progress(`step ${i}`);
    return "counted";
  });
  server.register("refuse", async () => {
    throw new NvrdError("CONFLICT", "not now");
  });
  server.register("fail", async () => {
    throw new Error("unforeseen");
  });
  server.register("nothing", async () => undefined);
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

/** Sends raw bytes and answers what comes back until the server closes. */
async function sendRaw(dataDir: string, bytes: string | Buffer): Promise<string> {
  const socket = connect(path.join(dataDir, "control.sock"));
  socket.on("error", () => undefined);
  socket.write(bytes);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

describe("the control socket", () => {
  it("is accessible only to the service's user, and leaves no other files", async () => {
    const dataDir = await temporaryDirectory();
    const server = await startServer(dataDir);
    expect((await stat(path.join(dataDir, "control.sock"))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(["control.sock"]);
    await server.stop();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("is created as soon as its disk allows: the service does not wait for it", async () => {
    const dataDir = path.join(await temporaryDirectory(), "not-there-yet");
    const clock = new ManualClock();
    const server = new ControlServer({ dataDir, clock, log: silentLog });
    server.register("echo", async (call) => call.arguments);
    await server.start();
    onTestFinished(() => server.stop());
    await mkdir(dataDir);
    clock.advance(10_000);
    const answer = () => callControl({ dataDir, command: "echo", arguments: "there" });
    await expect.poll(() => answer().catch(() => undefined)).toBe("there");
  });

  it("is created by a later attempt if it could not be moved into place, and nothing is left of failed attempts", async () => {
    const dataDir = await temporaryDirectory();
    const obstacle = path.join(dataDir, "control.sock");
    // A socket cannot be moved onto a directory.
    await mkdir(obstacle);
    const clock = new ManualClock();
    const server = new ControlServer({ dataDir, clock, log: silentLog });
    server.register("echo", async (call) => call.arguments);
    await server.start();
    onTestFinished(() => server.stop());
    expect(await readdir(dataDir)).toEqual(["control.sock"]);
    await rm(obstacle, { recursive: true });
    const answer = () => {
      clock.advance(10_000);
      return callControl({ dataDir, command: "echo", arguments: "there" });
    };
    await expect.poll(() => answer().catch(() => undefined)).toBe("there");
    expect(await readdir(dataDir)).toEqual(["control.sock"]);
  });

  it("stops although its file cannot be removed", async () => {
    const dataDir = await temporaryDirectory();
    const server = await startServer(dataDir);
    const file = path.join(dataDir, "control.sock");
    await rm(file);
    await mkdir(file);
    await server.stop();
    await rm(file, { recursive: true });
    await startServer(dataDir);
    expect(await callControl({ dataDir, command: "echo", arguments: 1 })).toBe(1);
  });

  it("carries arguments, results and progress", async () => {
    const dataDir = await temporaryDirectory();
    await startServer(dataDir);
    const args = { rebuild: true, text: "снимок\n", list: [1, null] };
    expect(await callControl({ dataDir, command: "echo", arguments: args })).toEqual(args);
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    expect(await callControl({ dataDir, command: "count", onProgress })).toBe("counted");
    expect(lines).toEqual(["step 1", "step 2", "step 3"]);
    expect(await callControl({ dataDir, command: "nothing" })).toBeNull();
  });

  it("carries errors with their codes", async () => {
    const dataDir = await temporaryDirectory();
    await startServer(dataDir);
    const call = (command: string) => callControl({ dataDir, command });
    await expect(call("refuse")).rejects.toMatchObject({ code: "CONFLICT", message: "not now" });
    await expect(call("fail")).rejects.toMatchObject({ code: "INTERNAL", message: "unforeseen" });
    await expect(call("unknown")).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });

  it("works in a directory whose path is longer than a socket's may be", async () => {
    const dataDir = path.join(await temporaryDirectory(), "d".repeat(100), "e".repeat(100));
    await mkdir(dataDir, { recursive: true });
    const server = await startServer(dataDir);
    expect(await callControl({ dataDir, command: "echo", arguments: 1 })).toBe(1);
    await server.stop();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("replaces a socket left by a killed service", async () => {
    const dataDir = await temporaryDirectory();
    await writeFile(path.join(dataDir, "control.sock"), "");
    await startServer(dataDir);
    expect(await callControl({ dataDir, command: "echo", arguments: 1 })).toBe(1);
  });

  it("says so when no service answers", async () => {
    const dataDir = await temporaryDirectory();
    const call = callControl({ dataDir, command: "echo" });
    await expect(call).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
      message: expect.stringContaining(dataDir),
    });
    await expect(callControl({ dataDir: "/nowhere", command: "echo" })).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
    });
  });

  it("answers a client that is stopped with the service", async () => {
    const dataDir = await temporaryDirectory();
    const server = await startServer(dataDir);
    server.register("wait", () => new Promise(() => undefined));
    const call = callControl({ dataDir, command: "wait" });
    setTimeout(() => void server.stop(), 50);
    await expect(call).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("tells a command that its client has disconnected", async () => {
    const dataDir = await temporaryDirectory();
    const server = await startServer(dataDir);
    const gone = new Promise((resolve) => {
      server.register("wait", (call) => {
        call.signal.addEventListener("abort", resolve);
        return new Promise(() => undefined);
      });
    });
    const socket = connect(path.join(dataDir, "control.sock"));
    socket.write('{"version":1,"command":"wait"}\n');
    setTimeout(() => socket.destroy(), 50);
    await gone;
  });

  it.each([
    ["no JSON", "hello\n"],
    ["no object", "1\n"],
    ["no command", '{"version":1}\n'],
    ["another version", '{"version":2,"command":"echo"}\n'],
    ["a line without end", "x".repeat(REQUEST_BYTES_MAX + 1)],
    ["binary", Buffer.from([0, 0xff, 0xfe, 0x0a])],
  ])("refuses %s and goes on", async (_name, bytes) => {
    const dataDir = await temporaryDirectory();
    await startServer(dataDir);
    expect(JSON.parse(await sendRaw(dataDir, bytes))).toMatchObject({
      error: { code: expect.stringMatching(/^[A-Z_]+$/) },
    });
    expect(await callControl({ dataDir, command: "echo", arguments: 1 })).toBe(1);
  });

  it("serves a bounded number of clients at a time", async () => {
    const dataDir = await temporaryDirectory();
    await startServer(dataDir);
    const idle = Array.from({ length: 8 }, () => connect(path.join(dataDir, "control.sock")));
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    await expect(callControl({ dataDir, command: "echo" })).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    for (const socket of idle) socket.destroy();
  });

  it("disconnects a client that sends nothing", async () => {
    const dataDir = await temporaryDirectory();
    const timeouts: (() => void)[] = [];
    const clock = Object.assign(new SystemClock(), {
      setTimeout: (run: () => void) => {
        timeouts.push(run);
        return { clear: () => undefined };
      },
    });
    const server = new ControlServer({ dataDir, clock, log: silentLog });
    await server.start();
    onTestFinished(() => server.stop());
    const socket = connect(path.join(dataDir, "control.sock"));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    while (timeouts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const run of timeouts) run();
    socket.resume();
    await closed;
  });
});
