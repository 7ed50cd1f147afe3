/**
 * Vitest's processes for test files, which report one that ends before its file does: the file, and the
 * signal or status. Vitest itself says no more than "Worker exited unexpectedly".
 */
import { relative } from "node:path";
import process from "node:process";
import { ForksPoolWorker } from "vitest/node";
import { meterOf } from "./processor-time.mjs";

/** One line for a process that ended while it ran `files`. */
export function endLine(files, code, signal) {
  const how = signal === null ? `status ${code}` : `signal ${signal}`;
  return `the process of ${files.join(", ")} ended too early: ${how}`;
}

class TellingWorker extends ForksPoolWorker {
  name = "telling-forks";
  #files = [];
  #stops = false;
  #meter;

  send(message) {
    if (message.type === "run") {
      this.#files = message.context.files.map(({ filepath }) => relative(process.cwd(), filepath));
      this.#meter?.runs(this.#files);
    }
    super.send(message);
  }

  async start() {
    await super.start();
    this.#stops = false;
    this.#meter = meterOf(this.fork.pid);
    this.fork.once("exit", (code, signal) => {
      this.#meter?.end();
      if (!this.#stops) process.stderr.write(`\n${endLine(this.#files, code, signal)}\n`);
    });
  }

  async stop() {
    this.#stops = true;
    await super.stop();
  }
}

/** For `pool` of vitest.config.ts. */
export const tellingPool = {
  name: "telling-forks",
  createPoolWorker: (options) => new TellingWorker(options),
};
