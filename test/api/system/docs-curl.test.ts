import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RouteTable } from "../../../src/api/route/index.js";
import { type ApiNeeds, ROUTES } from "../../../src/api/routes.js";
import type { AwayLock, AwayTargetState } from "../../../src/away/index.js";
import { SystemClock } from "../../../src/base/index.js";
import type { Site } from "../../../src/site/index.js";
import { alarmTarget } from "../../support/alarm/alarm-samples.js";
import { visionAnalyser } from "../../support/analysis/analyser-samples.js";
import { GATE_ID, importableSite, MemorySiteStore, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { type CurlCommand, curlCommands } from "../../support/api/curl-lines.js";
import { pageFolder } from "../../support/api/page-folder.js";
import { awayTarget } from "../../support/away/away-samples.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory, temporaryDirectory } from "../../support/base/temporary-directory.js";
import { pictures, recordedPictures } from "../../support/hls/hls-frames.js";

const run = promisify(execFile);
const TABLE = new RouteTable<ApiNeeds>(ROUTES);
const text = await readFile(new URL("../../../docs/ref/api.md", import.meta.url), "utf8");
const commands = curlCommands(text);

/** Says the status and the URL instead of the answer, and leaves an endless one after two seconds. */
const CURL = `curl() { command curl -sS -o answer -w '%{http_code} %{method} %{url}\\n' --max-time "$SECONDS_MAX" "$@"; }`;

/** Pictures a second of the page's camera. */
const SECOND = 25;

const ANNOUNCEMENT_ID = "22222222-0000-4000-8000-0000000000a1";
/** A tenth of a second of 8 kHz, 8 bits. */
const WAV = Buffer.concat([
  Buffer.from(
    "RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0",
    "latin1",
  ),
  Buffer.alloc(800, 128),
]);

/** The announcement that the page's examples are about. */
async function keepAnnouncement(dataDir: string): Promise<void> {
  const announcements = [{ id: ANNOUNCEMENT_ID, name: "Closing time", seconds: 4.5 }];
  await mkdir(join(dataDir, "announcements"));
  await writeFile(join(dataDir, "announcements/list.json"), JSON.stringify({ format: 1, announcements }));
}

interface Outcome {
  readonly status: number;
  readonly method: string;
  readonly url: URL;
}

/** The configuration that the page's examples are about. */
function pageSite(): Site {
  const channelIds = [GATE_ID];
  return {
    ...importableSite(),
    revision: 12,
    views: [
      {
        id: "88888888-0000-4000-8000-000000000001",
        name: "Hall",
        channelIds,
        gridType: "GridType1",
        groupIds: "all",
      },
    ],
    alarmTargets: [alarmTarget({ id: "88888888-0000-4000-8000-000000000003", name: "Chat" })],
    analysers: [visionAnalyser({}, { id: "88888888-0000-4000-8000-000000000009" })],
    awayTargets: [awayTarget({ id: "88888888-0000-4000-8000-000000000007", name: "Attic" })],
    userScenarios: [
      { id: "88888888-0000-4000-8000-000000000002", name: "Light", needConfirmation: true, channelIds },
    ],
  };
}

/** The target whose bucket the examples lock. */
function targetOfExample(): AwayTargetState {
  return {
    ...{ id: "88888888-0000-4000-8000-000000000007", name: "Attic", isEnabled: true, activity: "idle" },
    waiting: { segments: 0, bytes: 0, oldestDay: undefined, isCounting: false },
    ...{ sentSegments: 0, sentBytes: 0, monthBytes: 0, sentDays: [] },
    ...{ lastSentUs: undefined, problem: undefined, failingUs: undefined },
  };
}

/** The lock that the examples change. */
function lockOfExample(): AwayLock {
  return {
    ...{ id: "0d9c1f7e-55a4-4f0a-9d3b-7f1d0c0b8a11", channelId: GATE_ID, fromUs: NINE_US, toUs: NINE_US + 1 },
    ...{
      targetId: "88888888-0000-4000-8000-000000000007",
      targetName: "Attic",
      comment: "",
      userName: "root",
    },
    ...{ mode: "governance", untilUs: 2 * NINE_US, isHeld: true, isLifted: false, createdUs: NINE_US },
    ...{ segments: 1, done: 1, isCounting: false, problem: undefined },
  };
}

/** What every service of this file serves as its page. */
let page: string;
const files = new TemporaryDirectory("docs-curl");

beforeAll(async () => {
  page = await pageFolder(undefined, files.path);
});

afterAll(() => files.remove());

/** Runs one command against a service with the sample configuration that nothing has changed yet. */
async function runCommand({ setup, command }: CurlCommand): Promise<Outcome> {
  // What is spoken takes its time, and openssl's certificate is valid from now on.
  const isSpoken = command.includes("/talk") && command.includes("--data-binary");
  const isOfNow = isSpoken || setup.includes("openssl req");
  const clock = isOfNow ? new SystemClock() : new SimulatedClock(NINE_US + 3_600_000_000);
  const api = await startApi({
    clock,
    site: new MemorySiteStore(pageSite()),
    directory: { authenticate: async () => undefined },
    settings: {
      page: { folder: page },
      // A certificate is made at the start, which takes a while.
      ...(/\/api\/system\/certificate|TryAcme/.test(command) ? { httpsPort: "any" } : {}),
    },
  });
  try {
    api.away.running = [targetOfExample()];
    api.away.locked = [lockOfExample()];
    const span = { fromUs: NINE_US, toUs: NINE_US + 3_600_000_000 };
    const onCard = { token: "card", source: [], ...span, hasVideo: true, hasSound: false, sections: [span] };
    api.cards.contentsNow = { offsetUs: 0, recordings: [onCard] };
    api.cards.frames.push(pictures(SECOND));
    const key = { channelId: GATE_ID, streamType: "Main" } as const;
    api.archive.record(key, recordedPictures(SECOND * 6));
    const streams = (["Main", "Alternative"] as const).map((type) => api.streams.live(GATE_ID, type));
    let sent = 0;
    // A second of pictures at a time: HLS answers with whole segments.
    const send = (): void => {
      for (const stream of streams) {
        for (const frame of pictures(SECOND, { from: sent })) stream.publish(frame);
      }
      sent += SECOND;
    };
    send();
    const camera = setInterval(send, 50);
    try {
      const cwd = await temporaryDirectory();
      // The judge of passwords begins by loading its dictionaries.
      const SECONDS_MAX = command.includes("/api/setup/") ? "30" : "2";
      // The file that the page has its reader send.
      await writeFile(join(cwd, "nvrd.raucb"), "bundle");
      await writeFile(join(cwd, "speech.ul"), Buffer.alloc(800, 0x55));
      await writeFile(join(cwd, "announcement.wav"), WAV);
      if (command.includes(`announcements/${ANNOUNCEMENT_ID}`)) await keepAnnouncement(api.dataDir);
      const env = { ...process.env, NVR: api.url(""), AUTH: `root:${ROOT_MD5}`, TRACE: "", SECONDS_MAX };
      // An endless answer ends by curl's time-out, status 28; an error by -f with 22, and its status is judged below.
      const script = `${setup}${CURL}\n${command}\ncode=$?; [ $code = 0 ] || [ $code = 22 ] || [ $code = 28 ]`;
      // Without --norc Bash reads the settings of whoever runs the tests, because it takes the pipe for a network connection.
      const { stdout } = await run("bash", ["--norc", "-c", script], { env, cwd });
      const [, status, method = "", url = ""] = /^(\d{3}) (\S+) (\S+)$/m.exec(stdout) ?? [];
      return { status: Number(status), method, url: new URL(url) };
    } finally {
      clearInterval(camera);
    }
  } finally {
    await api.stop();
  }
}

const tried = new Set<string>();

it.each(commands.map((command) => [command.command, command] as const))("%s", async (_title, command) => {
  const { status, method, url } = await runCommand(command);
  const match = TABLE.match(method, url.pathname);
  if (match?.route !== undefined) tried.add(`${match.route.method} ${match.route.path}`);
  // The group of the example has a user, as the page says.
  const inUse = method === "DELETE" && url.pathname.startsWith("/configure/groups/");
  const begins =
    /^\/api\/(?:disks\/(?:format|replace)|motionsearch|tasks|system\/restart)$/.test(url.pathname) &&
    method === "POST";
  const tries = url.pathname === "/api/network" && method === "PUT";
  const isSocket = url.pathname === "/api/live" || (url.pathname.endsWith("/talk") && method === "GET");
  // The camera of the example is not there, so it has no picture, nothing was found, this service is no ONVIF device, and no
  // authority looks at a name.
  const isAbsent = /\/pictures?(?:\/|$)|^\/(?:onvif|\.well-known)\//.test(url.pathname);
  expect(status).toBe(inUse ? 409 : begins || tries ? 202 : isSocket ? 101 : isAbsent ? 404 : 200);
});

it("every route of the service has a command that was tried", () => {
  const missing = ROUTES.map(({ method, path }) => `${method} ${path}`).filter((title) => !tried.has(title));
  expect(missing).toEqual([]);
});
