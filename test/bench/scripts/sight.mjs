// The detector of objects and its tracks on the bundled street clip, where persons are marked, as it is and in bad weather: recall, precision,
// time and memory. Runs on dist: npm run build, then node test/bench/scripts/sight.mjs [--json]
import { readFileSync } from "node:fs";
import process from "node:process";
import { SystemClock } from "../../../dist/base/index.js";
import { parseClip } from "../../../dist/demo/index.js";
import { Codec } from "../../../dist/live/index.js";
import { NativeCodec } from "../../../dist/picture/index.js";
import { WHOLE_PICTURE as WHOLE_ZONE } from "../../../dist/recording/index.js";
import { Detector } from "../../../dist/sight/detector/detector.js";
import { detectorModelFile, detectorProcess } from "../../../dist/sight/index.js";
import { lookRegions, regionInTurn } from "../../../dist/sight/look/look-regions.js";
import { overlapShare, WHOLE_PICTURE } from "../../../dist/sight/thing/box.js";
import { Tracker } from "../../../dist/sight/track/tracker.js";
import { encoded, SIZE, WEATHERS } from "./sight-weather.mjs";

const SIDE = 300;
const PICTURES_PER_SECOND = 10;
const STEP_US = 1e6 / PICTURES_PER_SECOND;
/** A box is a person's when it shares so much with the mark. */
const SAME = 0.3;
const SCORES = [0.4, 0.5];
const SCORE = 0.5;
/** Looks a second of the tracks: what a machine does for one camera of several. Each is tried with looks that begin at other pictures. */
const RATES = [
  { looksPerSecond: 3, phases: [0, 1, 2] },
  { looksPerSecond: 5, phases: [0, 1] },
];
/** The marks stay where they are. */
const SHAKING = "a camera that shakes";
const WEATHER_RATE = { looksPerSecond: 3, phases: [0] };

const ROOT = new URL("../../../", import.meta.url);
const { pictures: MARKED } = JSON.parse(
  readFileSync(new URL("../data/street-persons.json", import.meta.url), "utf8"),
);

const boxOf = ([left, top, width, height]) => ({ left, top, width, height });

async function startDetector() {
  const model = detectorModelFile();
  if (model === undefined) throw new Error("the weights are missing: npm run build");
  const log = { warn: console.error, debug: () => undefined };
  const start = detectorProcess(model);
  let pid = 0;
  const startProcess = (ears) => {
    const child = start(ears);
    ({ pid } = child);
    return child;
  };
  const detector = new Detector({
    startProcess,
    bytesMax: Number.POSITIVE_INFINITY,
    clock: new SystemClock(),
    log,
  });
  detector.start();
  while (!detector.state.isReady) await new Promise((resolve) => setTimeout(resolve, 20));
  return { detector, pid: () => pid };
}

/** Processor time of a process, ms. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function street() {
  const bytes = readFileSync(new URL("src/demo/clips/street.h264", ROOT));
  return parseClip(
    { name: "street.h264", codec: Codec.H264, framesPerSecond: PICTURES_PER_SECOND, ...SIZE },
    bytes,
  );
}

/** Each picture of a clip as asked for: `targetsOf(index)`. */
async function decoded({ codec, width, height, initialization, units }, targetsOf, onPictures) {
  const native = new NativeCodec();
  const decoder = native.openVideoDecoder({ codec, width, height, initialization });
  for (const [index, { bytes: unit, key }] of units.entries()) {
    const coded = { bytes: [unit], key, decodeTimeUs: index * STEP_US, presentationOffsetUs: 0 };
    for (const made of await decoder.decode(coded, targetsOf(index, native))) await onPictures(made, index);
  }
  decoder.close();
}

/** The clip as it is in that weather. */
async function inWeather(clip, weather) {
  const shown = [];
  const target = { form: "rgb", ...SIZE, fit: "exact" };
  await decoded(
    clip,
    () => [target],
    ([picture], index) => shown.push(weather(Buffer.from(picture.data), index)),
  );
  return encoded(shown, PICTURES_PER_SECOND);
}

const targetOf = (part) => ({ form: "rgb", width: SIDE, height: SIDE, fit: "exact", part });
const inPicture = (region, { label, score, ...box }) => ({
  ...{ label, score, width: box.width * region.width, height: box.height * region.height },
  left: region.left + box.left * region.width,
  top: region.top + box.top * region.height,
});

/** How many marks are found, and how many boxes are of nobody. */
function compare(marks, boxes) {
  const left = new Set(marks.persons.map(boxOf));
  let found = 0;
  let wrong = 0;
  for (const box of boxes) {
    const near = [...left].map((mark) => [overlapShare(mark, box), mark]).sort((a, b) => b[0] - a[0])[0];
    if (near !== undefined && near[0] >= SAME) {
      left.delete(near[1]);
      found += 1;
    } else if (
      ![...marks.unclear, ...marks.persons].some((mark) => overlapShare(boxOf(mark), box) > SAME / 2)
    )
      wrong += 1;
  }
  return { found, wrong, marked: marks.persons.length };
}

function sum(results) {
  const total = { found: 0, wrong: 0, marked: 0 };
  for (const result of results) for (const name of Object.keys(total)) total[name] += result[name];
  const { found, wrong, marked } = total;
  return { recall: found / marked, precision: found / Math.max(1, found + wrong), marked };
}

/** One look at the whole of each marked picture. */
async function wholeLooks(detector, clip) {
  const marks = new Map(MARKED.map((marked) => [marked.picture, marked]));
  const answers = [];
  await decoded(
    clip,
    (index) => (marks.has(index) ? [targetOf(WHOLE_PICTURE)] : []),
    async ([picture], index) => {
      if (picture !== undefined && marks.has(index))
        answers.push({ marks: marks.get(index), boxes: (await detector.look(picture)).boxes });
    },
  );
  return SCORES.map((score) => {
    const persons = (boxes) => boxes.filter((box) => box.label === "person" && box.score >= score);
    return { score, ...sum(answers.map(({ marks: of, boxes }) => compare(of, persons(boxes)))) };
  });
}

/** Where things were at each look, by track: what a finding says of its way. */
class Ways {
  #ways = new Map();

  note({ begun, seen }, timeUs) {
    for (const track of begun) this.#ways.set(track, [{ timeUs: track.firstUs, box: track.firstBox }]);
    for (const track of seen) this.#ways.get(track)?.push({ timeUs, box: track.box });
  }

  /** Persons who were there at a time by their whole ways, between two looks on the straight line. */
  personsAt(timeUs) {
    return [...this.#ways].flatMap(([{ kind }, way]) => {
      const after = way.findIndex((moment) => moment.timeUs >= timeUs);
      if (kind !== "person" || after === -1 || way[0].timeUs > timeUs) return [];
      const [from, to] = [way[Math.max(0, after - 1)], way[after]];
      const share = to.timeUs === from.timeUs ? 1 : (timeUs - from.timeUs) / (to.timeUs - from.timeUs);
      const between = (member) => from.box[member] + share * (to.box[member] - from.box[member]);
      return [boxOf(["left", "top", "width", "height"].map(between))];
    });
  }
}

/** Tracks as the recorder has them, at a number of looks a second, each of another part in turn. */
async function tracked(detector, clip, { looksPerSecond, phase }) {
  const marks = new Map(MARKED.map((marked) => [marked.picture, marked]));
  const tracker = new Tracker({ scoreMin: () => SCORE, restUsMin: () => 0 });
  const each = PICTURES_PER_SECOND / looksPerSecond;
  const results = [];
  const ways = new Ways();
  let [watch, moving, turn, region, begun] = [undefined, [], 0, WHOLE_PICTURE, 0];
  const isLook = (index) => Math.floor((index + phase) / each) !== Math.floor((index + phase - 1) / each);
  await decoded(
    clip,
    (index, native) => {
      watch ??= native.openMotionWatch([WHOLE_ZONE]);
      const gray = { form: "gray", width: 160, height: 120, fit: "exact" };
      if (!isLook(index)) return [gray];
      const places = [...moving, ...tracker.sure.map((track) => track.at(index * STEP_US))];
      region = regionInTurn(lookRegions(places, SIZE), turn);
      turn += 1;
      return [gray, targetOf(region)];
    },
    async ([gray, picture], index) => {
      if (index % 2 === 0) moving = watch.analyze(gray, index * STEP_US);
      if (picture !== undefined) {
        const { boxes } = await detector.look(picture);
        const found = boxes.map((box) => inPicture(region, box));
        const changes = tracker.take({ timeUs: index * STEP_US, region, found, moving });
        ways.note(changes, index * STEP_US);
        begun += changes.begun.length;
      }
      const of = marks.get(index);
      if (of === undefined) return;
      const isFresh = ({ kind, seenUs }) => kind === "person" && index * STEP_US - seenUs <= 1e6;
      const persons = tracker.sure.filter(isFresh);
      results.push(
        compare(
          of,
          persons.map((track) => track.at(index * STEP_US)),
        ),
      );
    },
  );
  const whole = MARKED.map((of) => compare(of, ways.personsAt(of.picture * STEP_US)));
  return { begun, results, whole };
}

/** The same at all phases together; `begun`: of one of them, on average. */
async function trackedAtRate(detector, clip, { looksPerSecond, phases }) {
  const runs = [];
  for (const phase of phases) runs.push(await tracked(detector, clip, { looksPerSecond, phase }));
  const begun = Math.round(runs.reduce((count, run) => count + run.begun, 0) / runs.length);
  const whole = sum(runs.flatMap((run) => run.whole));
  return { looksPerSecond, begun, ...sum(runs.flatMap((run) => run.results)), whole };
}

const { detector, pid } = await startDetector();
const clip = street();
const whole = await wholeLooks(detector, clip);
const beforeMs = cpuMs(pid());
const { looks: looksBefore } = detector.state;
const tracks = [];
for (const rate of RATES) tracks.push(await trackedAtRate(detector, clip, rate));
const looks = detector.state.looks - looksBefore;
const lookCpuMs = (cpuMs(pid()) - beforeMs) / looks;
const weathers = [];
for (const [name, weatherOf] of Object.entries(WEATHERS)) {
  if (name === SHAKING) continue;
  const worse = await inWeather(clip, weatherOf(3));
  weathers.push({ name, ...(await trackedAtRate(detector, worse, WEATHER_RATE)) });
}
const report = {
  ...{ whole, tracks, weathers, lookCpuMs },
  residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, "latin1"))[1]) / 1024,
};
detector.stop();
if (process.argv.includes("--json")) console.log(JSON.stringify(report));
else console.dir(report, { depth: 4 });
process.exit(0);
