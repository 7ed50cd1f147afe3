// Figures of making answers: /configex of 64 cameras, new and remembered, and a long list of fragments.
//   npm run build && node test/bench/scripts/answers.mjs [--json]
import { existsSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

const dist = new URL("../../../dist/", import.meta.url);
if (!existsSync(dist)) throw new Error("dist is missing: npm run build first");
const load = (path) => import(new URL(path, dist).href);
const { ConfigurationAnswers } = await load("compat/configuration/configuration-answers.js");
const { describedLater, element, list, object } = await load("route/answer/description.js");
const { documentTexts } = await load("route/answer/document-text.js");
const { inSlices } = await load("route/answer/slices.js");
const { createFirstSite, DEFAULT_STORED_SETTINGS } = await load("site/index.js");
const { formatIsoTime, newGuid, SystemClock } = await load("base/index.js");
const { RTSP_MODEL } = await load("camera/index.js");

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const CHANNELS = 64;
const ROUNDS = 200;
/** A month of recording on motion, 500 times a day. */
const FRAGMENTS = 15_000;
const START_US = Date.UTC(2026, 0, 1) * 1000;

const stream = { enabled: true, format: "H264", additionalParams: "", rotationMode: "None", roles: [] };
const cameras = Array.from({ length: CHANNELS }, (_, index) => ({
  id: newGuid(),
  name: `Camera ${index}`,
  description: "at the gate",
  disabled: false,
  ownerServerId: newGuid(),
  connection: {
    modelId: RTSP_MODEL.id,
    hostname: "rtsp://192.0.2.1/main",
    login: "",
    password: "",
    soundReceivingEnabled: true,
    ptzEnabled: false,
    streams: { Main: stream, Alternative: stream, SecondAlternative: stream, ThirdAlternative: stream },
  },
  archive: {
    archivingDisabled: false,
    archivingMode: "AlwaysOn",
    archivingSoundDisabled: false,
    minDays: 0,
    maxDays: 30,
  },
  latitude: 55.75,
  longitude: 37.61,
  kept: DEFAULT_STORED_SETTINGS,
}));
const first = createFirstSite({ serverName: "bench", nowUs: START_US });
const site = {
  ...first,
  cameras,
  rootSecurityObject: { ...first.rootSecurityObject, channelIds: cameras.map((camera) => camera.id) },
};
const [group] = site.groups;
const yes = () => true;
const view = {
  site,
  principal: { user: site.users[0], group, maySee: yes, mayWatchRealtime: yes, mayWatchArchive: yes },
  version: "0.0.0",
  productType: "Ultra",
  reach: { address: "192.0.2.10", httpPort: 8080, httpsPort: 18080, rtspPort: 554 },
  servedPaths: new Set(["/configex"]),
  timeZoneOffsetHours: 3,
};

function round(value) {
  return Number(value.toPrecision(3));
}

/** Median of `ROUNDS` runs, the first ones left out: milliseconds. */
async function medianMs(act) {
  const times = [];
  for (let at = 0; at < ROUNDS; at++) {
    const started = performance.now();
    await act(at);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return times[ROUNDS / 2];
}

const clock = new SystemClock();
const answers = new ConfigurationAnswers(clock);
const made = (format) =>
  medianMs((revision) => answers.body({ ...view, site: { ...site, revision } }, format));
const newXmlMs = await made("xml");
const newJsonMs = await made("json");
const { bytes: xmlBytes } = await answers.body(view, "xml");
const rememberedMs = await medianMs(() => answers.body(view, "xml"));

const fragments = Array.from({ length: FRAGMENTS }, (_, at) => ({
  id: newGuid(),
  fromUs: START_US + at * 170e6,
  toUs: START_US + at * 170e6 + 30e6,
}));
const describe = ({ id, fromUs, toUs }) =>
  object(
    element("Id", id),
    element("FromTime", formatIsoTime(fromUs)),
    element("ToTime", formatIsoTime(toUs)),
  );
const document = {
  root: "ArchiveFragmentsList",
  content: object(element("Fragments", list("ArchiveFragment", describedLater(fragments, describe)))),
};
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const started = performance.now();
for await (const _ of inSlices(documentTexts(document, "xml"), clock));
const fragmentsMs = performance.now() - started;
delay.disable();

const report = {
  channels: CHANNELS,
  xmlBytes,
  newXmlMs: round(newXmlMs),
  newJsonMs: round(newJsonMs),
  rememberedUs: round(rememberedMs * 1000),
  fragments: FRAGMENTS,
  fragmentsMs: round(fragmentsMs),
  /** The longest that nothing else got its turn while the list was made. */
  fragmentsHeldUpMs: round(delay.max / 1e6),
};
if (options.json) console.log(JSON.stringify(report));
else console.table(report);
