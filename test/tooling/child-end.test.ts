import { expect, it } from "vitest";
import { BackgroundProcess, runToEnd } from "../support/service/background-process.js";

it("a child that dies while it is waited for is reported with its signal and what it said", async () => {
  const child = new BackgroundProcess("sh", ["-c", "echo in the midst of it; kill -SEGV $$"]);
  await expect(child.waitFor(/never/)).rejects.toThrow(/signal SIGSEGV; its output:\nin the midst of it/);
});

it("a child that ends by itself is reported with its status", async () => {
  const child = new BackgroundProcess("sh", ["-c", "echo no room >&2; exit 7"]);
  await expect(child.waitFor(/never/)).rejects.toThrow(/status 7; its output:\nno room/);
});

it("a command that fails is reported with its signal or status and what it said", async () => {
  await expect(runToEnd("sh", ["-c", "echo said; kill -ABRT $$"])).rejects.toThrow(/signal SIGABRT.*said/s);
  await expect(runToEnd("sh", ["-c", "exit 3"])).rejects.toThrow(/status 3/);
});
