/**
 * Vitest's processes for test files, which report one that ends before its file does: the file, and the
 * signal or status. Vitest itself says no more than "Worker exited unexpectedly".
 */
import { fork, spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import process from "node:process";
import { ForksPoolWorker } from "vitest/node";
import { meterOf } from "./processor-time.mjs";

/** Starts Node in a network of its own. */
const OWN_NETWORK = join(import.meta.dirname, "own-network.sh");

/** One line for a process that ended while it ran `files`. */
export function endLine(files, code, signal) {
  const how = signal === null ? `status ${code}` : `signal ${signal}`;
  return `the process of ${files.join(", ")} ended too early: ${how}`;
}

class ReportingWorker extends ForksPoolWorker {
  name = "reporting-forks";
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

/** In a network of its own. Without the rights for one it is in the machine's: tests that need them are left out there. */
class OwnNetworkWorker extends ReportingWorker {
  name = "own-network-forks";

  async start() {
    if (mayHaveOwnNetwork())
      this._fork ??= fork(this.entrypoint, [], {
        env: { ...this.env, NVRD_TEST_NODE: process.execPath },
        execPath: OWN_NETWORK,
        execArgv: this.execArgv,
        stdio: "pipe",
        serialization: "advanced",
      });
    await super.start();
  }
}

function mayHaveOwnNetwork() {
  return spawnSync("unshare", ["--net", "--", "ip", "link", "set", "lo", "up"]).status === 0;
}

/** For `pool` of vitest.config.ts. */
export const reportingPool = {
  name: "reporting-forks",
  createPoolWorker: (options) => new ReportingWorker(options),
};

/** The same for files with a network of their own. */
export const ownNetworkPool = {
  name: "own-network-forks",
  createPoolWorker: (options) => new OwnNetworkWorker(options),
};
