// Child process for start-program.test.ts: starts programs while no file descriptor is left, as the service does at all its places,
// and prints as JSON what each said. What nobody catches ends it, as it would end the service.
// argv: dist directory.
import { openSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [dist] = process.argv.slice(2);
const file = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { startProgram, startScript, SystemClock } = await file("base/index.js");
const { walkInChild } = await file("kept/lmdb/walk-child.js");
const { readJournal } = await file("host/systemd/journal-reader.js");
const { runCommand } = await file("box/update/command-runner.js");
const { childDiskNames } = await file("health/disk/disk-names.js");
const { Smartctl } = await file("health/disk/smartctl.js");
const { childProbe } = await file("picture/codec/hardware-probe.js");
const { askByNodeOnvif } = await file("camera/onvif/node-onvif-process.js");

const STDIO = ["ignore", "pipe", "pipe"];
const clock = new SystemClock();
const candidate = { kind: "decoder", name: "h264_v4l2m2m", codec: 27, device: "video" };
const login = { address: "127.0.0.1:9", login: "", password: "" };

/** Each is a place of the service that starts a program. */
const places = {
  startProgram: async () => startProgram("true", [], { stdio: STDIO }),
  startScript: async () => startScript("nothing.js", { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  walkInChild: () => walkInChild({ walkScript: "walk.js", directory: "/tmp", timeoutMs: 1000, clock }),
  readJournal: () => readJournal({ priorityMax: 6 }).next(),
  runCommand: () => runCommand({ program: "true", args: [], timeoutMs: 1000 }),
  childDiskNames: () => childDiskNames(clock, "names.js")(["/"]),
  smartctl: () =>
    new Smartctl({ clock, isAsked: async () => false }).ask({ device: "/dev/sda", isRotational: false }),
  hardwareProbe: () => childProbe(clock, "probe.js")(candidate),
  askByNodeOnvif: () => askByNodeOnvif({ ...login, clock, signal: undefined }),
};

try {
  for (;;) openSync("/dev/null", "r");
} catch {
  // None is left.
}
const said = {};
for (const [name, start] of Object.entries(places))
  said[name] = await start().then(
    (value) => ({ value: value ?? null }),
    (error) => ({ error: error.message }),
  );
// What a program that was not started reports comes in the next turn.
await new Promise((resolve) => setImmediate(resolve));
writeSync(1, `${JSON.stringify(said)}\n`);
process.exit(0);
