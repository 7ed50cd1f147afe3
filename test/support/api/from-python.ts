import { spawn } from "node:child_process";
import { text as textOf } from "node:stream/consumers";
import { type Exit, exitText } from "../service/background-process.js";

/** Debian's own, which has Debian's modules. */
const PYTHON = "/usr/bin/python3";

/**
 * What a program in Python makes of a text: it finds it in `text` and leaves plain data in `answer`. Rejects with what
 * Python says when it fails.
 */
export async function fromPython(program: readonly string[], text: string): Promise<unknown> {
  const whole = ["import json, sys", "text = sys.stdin.read()", ...program, "json.dump(answer, sys.stdout)"];
  const child = spawn(PYTHON, ["-c", whole.join("\n")], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  child.stdin.end(text);
  const [stdout, stderr, exit] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
  if (exit.code !== 0) throw new Error(`python3: ${exitText(exit)}: ${stderr}`);
  return JSON.parse(stdout);
}
