// Figures of the answers of a hub that grow with its recorders' channels: how much of a core's time each takes at once at most.
//   npm run build && node test/bench/scripts/hub-answers.mjs [--json] [--boxes N]
import { existsSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const load = (path) => import(new URL(path, dist).href);
const { SystemClock, newGuid } = await load("base/index.js");
const { ConfigurationAnswers } = await load("compat/configuration/configuration-answers.js");
const { CONFIGEX_ROUTE } = await load("compat/configuration/get-configex.js");
const { CHANNEL_LIST_ROUTES } = await load("compat/channel/get-channels.js");
const { BoxCatalogue } = await load("fleet/hub/box-catalogue.js");
const { BOXES_ROUTES } = await load("owner/fleet/boxes.js");
const { MERGES } = await load("owner/fleet/merges.js");
const { Query } = await load("http/query.js");
const { FleetServers } = await load("owner/fleet/other-servers.js");
const { createFirstSite } = await load("site/index.js");

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, boxes: { type: "string", default: "1000" } },
});
const BOXES = Number(options.boxes);
const CHANNELS_EACH = 16;
const ROUNDS = 3;

const clock = new SystemClock();
const channelOf = (name) => ({
  ...{
    Id: newGuid(),
    Name: name,
    Description: "at the gate",
    DeviceInfo: "RTSP",
    AttachedToServer: newGuid(),
  },
  ...{ IsDisabled: false, IsSoundOn: true, IsArchivingEnabled: true, IsSoundArchivingEnabled: true },
  ...{ AllowedRealtime: true, AllowedArchive: true, IsPtzOn: false, IsTransmitSoundOn: false },
  ...{ ArchiveMode: "AlwaysOn", ArchiveStreamType: "Main", ArchiveVideoFormat: "H264" },
  ...{
    ArchiveRotationMode: "None",
    IsFaceRecOn: false,
    IsPeopleCountingOn: false,
    IsObjectCountingOn: false,
  },
  TimeZoneOffset: 3,
  Streams: ["Main", "Alternative"].map((StreamType) => ({
    StreamType,
    StreamFormat: "H264",
    RotationMode: "None",
  })),
  UserScenarios: [],
  GeoPosition: { Latitude: 55.75, Longitude: 37.61, Azimuth: 90 },
});
const recorders = Array.from({ length: BOXES }, (_, at) => {
  const channels = Array.from({ length: CHANNELS_EACH }, (__, of) => channelOf(`Camera ${at}/${of}`));
  const states = channels.map(({ Id }) => ({
    ...{ Id, IsRecordingOn: true },
    StreamsStates: ["Main", "Alternative"].map((type) => ({ Type: `${type}Video`, State: "Active" })),
  }));
  const root = {
    Id: newGuid(),
    Name: null,
    ChildSecObjects: [],
    ChildChannels: channels.map(({ Id }) => Id),
  };
  return {
    configuration: JSON.stringify({ RevNum: 1, Channels: channels, RootSecObject: root }),
    states: JSON.stringify(states),
    state: {
      id: newGuid(),
      name: `Recorder ${at}`,
      version: "1.0.0",
      health: "recording",
      addedUs: 1,
      seenUs: 1,
    },
  };
});
const byId = new Map(recorders.map((recorder) => [recorder.state.id, recorder]));

/** A recorder's answer over its connection. */
function answerStream(text) {
  const stream = Readable.from([Buffer.from(text)]);
  setImmediate(() => stream.emit("response", { ":status": 200 }));
  return stream;
}

const catalogue = new BoxCatalogue({
  ask: async (id) => byId.get(id).configuration,
  isTaken: () => false,
  ...{ clock, log: { debug: () => undefined } },
});
for (const { state } of recorders) catalogue.said(state.id, 1);
while (catalogue.boxes.length < BOXES) await new Promise((resolve) => setTimeout(resolve, 10));

const boxes = {
  catalogue,
  boxes: () => recorders.map(({ state }) => state),
  open: async (id) => answerStream(byId.get(id).states),
};
const site = createFirstSite({ serverName: "hub", nowUs: 1e15 });
const [group] = site.groups;
const yes = () => true;
const servers = new FleetServers(() => boxes);
const needs = {
  ...{ clock, site: { current: site }, version: "0.0.0", productType: "Ultra" },
  reach: { address: "192.0.2.10", httpPort: 8080, httpsPort: 18080, rtspPort: 554 },
  ...{ partners: { servers: [] }, servedPaths: new Set(["/configex"]), boxes: () => boxes },
  formats: { formatsRevision: 1 },
  otherServers: (principal) => servers.of(principal),
  openStreams: { add: () => () => undefined },
};
const principal = { user: site.users[0], group, maySee: yes, mayWatchRealtime: yes, mayWatchArchive: yes };

/** The length of what an endpoint answers. */
async function lengthOf(endpoint, query) {
  let bytes = 0;
  const write = async (piece) => {
    bytes += piece.length;
    return true;
  };
  const send = ([piece]) => {
    bytes += piece.length;
    return true;
  };
  const sized = { write, flush: async () => true };
  const stream = { send, end: () => undefined, onClose: () => undefined };
  const request = {
    ...{ method: "GET", body: new Uint8Array(0), address: "192.0.2.1", header: () => undefined },
    query: new Query(query),
    content: { target: `/?${query}` },
  };
  const response = { startSized: () => sized, startStream: () => stream, close: () => undefined };
  const log = { debug: () => undefined, info: () => undefined };
  const context = { needs, request, response, principal, credentials: {}, pathValues: new Map(), log };
  const answer = await endpoint(context);
  return typeof answer === "symbol" ? bytes : answer.body.length;
}

const routeOf = (routes, path) =>
  routes.find((route) => route.method === "GET" && route.path === path).endpoint;
const channels = routeOf(CHANNEL_LIST_ROUTES, "/api/channels");
const configex = async (context) => {
  needs.configurationAnswers = new ConfigurationAnswers(clock);
  return await CONFIGEX_ROUTE.endpoint(context);
};
const merged = (name) => (context) =>
  MERGES[name].answer(context, { boxes, named: { channels: [] }, here: channels });
const ASKED = {
  "/configex in JSON": [configex, "responsetype=json"],
  "/configex in XML": [configex, "responsetype=xml"],
  "/api/channels": [merged("GET /api/channels"), ""],
  "getchannelsstates in JSON": [merged("GET /command getchannelsstates"), "responsetype=json"],
  "getchannelsstates in XML": [merged("GET /command getchannelsstates"), "responsetype=xml"],
  "/api/boxes": [routeOf(BOXES_ROUTES, "/api/boxes"), ""],
  "/api/boxes/map": [routeOf(BOXES_ROUTES, "/api/boxes/map"), ""],
};

/** What the main thread has had of a core, in ms: what else runs on the machine does not count. */
function threadMs() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** The most of a core between two turns of the event loop while `act` runs, and how much it is in all, in ms. */
async function held(act) {
  let longest = 0;
  let last = threadMs();
  let isOver = false;
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  await new Promise((resolve) => setTimeout(resolve, 20));
  look();
  longest = 0;
  const begun = threadMs();
  const bytes = await act();
  const tookMs = threadMs() - begun;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  isOver = true;
  return { heldMs: longest, tookMs, bytes };
}

const answers = [];
for (const [name, [endpoint, query]] of Object.entries(ASKED)) {
  const rounds = [];
  for (let at = 0; at < ROUNDS; at++) rounds.push(await held(() => lengthOf(endpoint, query)));
  // What else the machine does holds once; what an answer does comes again.
  rounds.sort((a, b) => a.heldMs - b.heldMs);
  const [best] = rounds;
  answers.push({ name, heldMs: Math.round(best.heldMs), tookMs: Math.round(best.tookMs), bytes: best.bytes });
}
const report = { channels: BOXES * CHANNELS_EACH, answers };
if (options.json) console.log(JSON.stringify(report));
else console.table(answers);
