import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";

const SUPPORT = path.resolve(import.meta.dirname, "..");
const DIST = path.resolve(SUPPORT, "../../dist");

/** How often a test kills its writer; `npm run torture -- writer-kills` asks for more. */
export const WRITER_KILLS = Number(process.env.NVRD_TEST_WRITER_KILLS ?? 2);

/** A process of a test that writes until it is killed. */
export interface KilledWriter {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
}

/** Starts `script`, a file below test/support, with the built modules and these arguments. */
export function startWriter(script: string, args: readonly string[]): KilledWriter {
  const command = [path.join(SUPPORT, script), DIST, ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) =>
    child.on("close", (code, signal) => {
      if (signal !== null && !child.killed) errors += `the writer ended: signal ${signal}\n`;
      resolve(code);
    }),
  );
  return { child, output: () => output, errors: () => errors, ended };
}
