import { spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "../../src/base/index.js";
import { NodeWarnings } from "../../src/base/log/node-warnings.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

function bench() {
  const source = new EventEmitter();
  const lines: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void lines.push(line) } });
  return { source, lines, warnings: new NodeWarnings(source, log) };
}

test("a warning is one line of the log, with where it came from", () => {
  const { source, lines, warnings } = bench();
  warnings.start();
  source.emit("warning", Object.assign(new Error("Possible memory leak"), { name: "LeakWarning" }));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: 40,
    warning: "LeakWarning",
    msg: "Possible memory leak",
    stack: expect.stringContaining("node-warnings.test"),
  });
});

test("a warning that quotes a URL shows no login", () => {
  const { source, lines, warnings } = bench();
  warnings.start();
  source.emit("warning", new Error("the URL rtsp://admin:secret@10.0.0.2:x/ is invalid"));
  expect(lines[0]).toContain("rtsp://10.0.0.2:x/");
  expect(lines[0]).not.toContain("secret");
});

test("earlier listeners are restored afterwards, and not called meanwhile", () => {
  const { source, lines, warnings } = bench();
  const heard: string[] = [];
  source.on("warning", ({ message }: Error) => heard.push(message));
  warnings.start();
  source.emit("warning", new Error("meanwhile"));
  warnings.stop();
  source.emit("warning", new Error("afterwards"));
  expect(heard).toEqual(["afterwards"]);
  expect(lines).toHaveLength(1);
});

test("Node writes nothing to standard error of its own while they go to the log", () => {
  const module = join(REPOSITORY_ROOT, "dist", "base", "log", "node-warnings.js");
  const base = join(REPOSITORY_ROOT, "dist", "base", "index.js");
  const script = `
    const { NodeWarnings } = await import(${JSON.stringify(module)});
    const { createLog } = await import(${JSON.stringify(base)});
    new NodeWarnings(process, createLog({ level: "info" })).start();
    process.emitWarning("told", "TestWarning");
  `;
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ warning: "TestWarning", msg: "told" }]);
});
