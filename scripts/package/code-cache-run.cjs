/** `node code-cache-run.cjs BUNDLE DIRECTORY`: runs the service of a bundle until it has answered, and saves its code. */
"use strict";
const { get } = require("node:http");
const { createServer } = require("node:net");
const { join } = require("node:path");

const ASK_EVERY_MS = 50;
const ADDRESS = "127.0.0.1";
const [, , bundle, directory] = process.argv;
const loader = require(join(bundle, "loader.js"));

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, ADDRESS, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const asked = get({ host: ADDRESS, port, path: "/api/health", agent: false }, (response) => {
      response.resume();
      response.once("close", () => resolve(true));
    });
    asked.once("error", () => resolve(false));
  });
}

async function run() {
  const port = await freePort();
  const flags = ["--data", directory, "--listen", ADDRESS, "--https-port", "0", "--rtsp-port", "0"];
  loader.keepScripts();
  const { runCommandLine, endProcess } = loader.load("cli.js");
  const ended = runCommandLine(["run", ...flags, "--http-port", `${port}`]);
  const saved = (async () => {
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    loader.saveCache();
    process.kill(process.pid, "SIGTERM");
  })();
  const status = await Promise.race([ended, saved.then(() => ended)]);
  endProcess(status);
}

void run();
