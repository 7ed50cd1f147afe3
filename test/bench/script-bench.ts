import { join } from "node:path";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { runToEnd } from "../support/service/background-process.js";
import type { Bench, Figure } from "./figure.js";

const SCRIPT_TIMEOUT_MS = 20 * 60_000;
const QUICK_DAYS = 1;
const QUICK_TURNS = 4;
/** Retention keeps up when it removes so many times faster than is recorded. */
const RETIRED_TIMES_RECORDED = 100;
const QUICK_REBUILD = 6_400;
const QUICK_EVENTS = 300_000;
const QUICK_FINDINGS = 100_000;
const SEARCH_MS_MAX = 1000;
const TIMELINE_MS_MAX = 50;

/** What `demux.mjs --json` prints. */
interface DemuxReport {
  readonly rows: readonly {
    readonly codec: string;
    readonly gigabytesPerSecond: number;
    readonly nanosecondsPerPacket: number;
  }[];
}

/** What `secure.mjs --json` prints. */
interface SecureReport {
  readonly streams: number;
  readonly rows: readonly { readonly way: string; readonly cpuSecondsPerGigabyte: number }[];
}

/** What `index.mjs --json` prints, as far as it is told here. */
interface IndexReport {
  readonly streams: number;
  readonly days: number;
  readonly segments: number;
  readonly indexBytesPerFrame: number;
  readonly fragmentsOverAllDays: { readonly p50Ms: number; readonly p99Ms: number };
  readonly nearestKeyFrame: { readonly p50Ms: number; readonly p99Ms: number };
  readonly walkedAndOpenS: number;
  readonly indexBytesWrittenPerDay: number;
  readonly rebuiltPerS: number;
  readonly retiredPerS: number;
  readonly recordedPerS: number;
  readonly longestStallWhileRetiringMs: number;
  readonly rollingGrowth: number;
  readonly rollingTurns: number;
}

interface SearchTimes {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p99CpuMs: number;
}

/** What `events.mjs --json` prints, as far as it is told here. */
interface EventsReport {
  readonly events: number;
  readonly addedPerS: number;
  readonly bytesAnEvent: number;
  readonly fileBytes: number;
  readonly walkedAndOpenS: number;
  readonly lastOfTypeAndChannel: SearchTimes;
  readonly lastOfChannel: SearchTimes;
  readonly lastOfCategory: SearchTimes;
  readonly ratePerS: number;
  readonly lostAtRate: number;
  readonly raiseUs: number;
  readonly busyPerS: number;
  readonly bytesWrittenPerDay: number;
}

interface FindingTimes {
  readonly p50Ms: number;
  readonly maxMs: number;
  /** Of a processor. */
  readonly maxCpuMs: number;
  readonly found: number;
}

/** What `findings.mjs --json` prints. */
interface FindingsReport {
  readonly findings: number;
  readonly newest: FindingTimes;
  readonly words: FindingTimes;
  readonly rare: FindingTimes;
  readonly large: FindingTimes;
  readonly gate: FindingTimes;
  readonly none: FindingTimes;
  readonly rebuildMs: number;
  readonly indexBytes: number;
  readonly volumeBytes: number;
}

/** What `timeline.mjs --json` prints, as far as it is told here. */
interface TimelineReport {
  readonly channels: number;
  readonly days: number;
  readonly steps: number;
  readonly segments: number;
  readonly events: number;
  readonly answerBytes: number;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50CpuMs: number;
}

/** What `answers.mjs --json` prints. */
interface AnswersReport {
  readonly channels: number;
  readonly xmlBytes: number;
  readonly newXmlMs: number;
  readonly newJsonMs: number;
  readonly rememberedUs: number;
  readonly fragments: number;
  readonly fragmentsMs: number;
  readonly fragmentsHeldUpMs: number;
}

/** A month on the timeline: `test/bench/scripts/timeline.mjs`. */
export const timelineBench: Bench = {
  name: "timeline",
  about: "/api/timeline of 16 channels over 30 days at 2000 steps",
  async *run({ quick }) {
    const report = await runScript<TimelineReport>("timeline", quick ? ["--requests", "60"] : []);
    const peer = `${report.segments} segments, ${report.events} events, ${report.answerBytes} bytes of answer`;
    yield { name: "timeline: answer, p50", value: report.p50Ms, unit: "ms", peer };
    const wanted = { atMost: TIMELINE_MS_MAX };
    yield { name: "timeline: answer, p99", value: report.p99Ms, unit: "ms", wanted, peer };
    yield { name: "timeline: answer, CPU p50", value: report.p50CpuMs, unit: "ms", peer };
    yield { name: "timeline: first answer after the start", value: report.firstMs, unit: "ms", peer };
  },
};

/** Receiving over TLS, HTTP and SRTP: `test/bench/scripts/secure.mjs`. */
export const secureBench: Bench = {
  name: "secure",
  about: "receiving over RTSPS, through HTTP and HTTPS, and with SRTP, beside plain RTSP: CPU a GB",
  async *run({ quick }) {
    const { rows, streams } = await runScript<SecureReport>("secure", quick ? ["--quick"] : []);
    const peer = `${streams} streams of 4 Mbit/s, received and thrown away`;
    for (const { way, cpuSecondsPerGigabyte: value } of rows)
      yield { name: `receiving over ${way}: CPU`, value, unit: "CPU s/GB", peer };
  },
};

/** Demuxing from memory: `test/bench/scripts/demux.mjs`. */
export const demuxBench: Bench = {
  name: "demux",
  about: "demuxing alone: GB/s per codec from sessions in memory",
  async *run() {
    const { rows } = await runScript<DemuxReport>("demux", []);
    for (const { codec, gigabytesPerSecond, nanosecondsPerPacket } of rows) {
      yield {
        name: `demuxing ${codec}`,
        value: gigabytesPerSecond,
        unit: "GB/s",
        peer: `${nanosecondsPerPacket} ns a packet, one core`,
      };
    }
  },
};

/** The archive's index: `test/bench/scripts/index.mjs`. */
export const indexBench: Bench = {
  name: "index",
  about: "the index: bytes a frame, queries, bytes written a day",
  async *run({ quick }) {
    const report = await runScript<IndexReport>(
      "index",
      quick ? ["--days", `${QUICK_DAYS}`, "--turns", `${QUICK_TURNS}`] : [],
    );
    yield* indexFigures(report);
  },
};

function indexFigures(report: IndexReport): Figure[] {
  const peer = `${report.streams} cameras, ${report.days} days, ${report.segments} segments`;
  const { fragmentsOverAllDays, nearestKeyFrame } = report;
  return [
    {
      name: "index: bytes a frame",
      value: report.indexBytesPerFrame,
      unit: "B",
      wanted: { atMost: 4 },
      peer,
    },
    {
      name: "index: fragments over all days, p99",
      value: fragmentsOverAllDays.p99Ms,
      unit: "ms",
      wanted: { atMost: 10 },
      peer,
    },
    {
      name: "index: nearest key frame, p99",
      value: nearestKeyFrame.p99Ms,
      unit: "ms",
      wanted: { atMost: 1 },
      peer,
    },
    {
      name: "index: written a day",
      value: report.indexBytesWrittenPerDay / 1e9,
      unit: "GB",
      wanted: { atMost: 2 },
      peer,
    },
    { name: "index: walked and opened", value: report.walkedAndOpenS, unit: "s", peer },
    {
      name: "index: segments retired",
      value: report.retiredPerS,
      unit: "segments/s",
      wanted: { atLeast: report.recordedPerS * RETIRED_TIMES_RECORDED },
      peer: `${report.recordedPerS} a second are recorded; longest stall ${report.longestStallWhileRetiringMs} ms`,
    },
    {
      name: `index: growth from turn 2 to ${report.rollingTurns}`,
      value: report.rollingGrowth,
      unit: "times",
      wanted: { atMost: 1.5 },
      peer: `${report.streams} cameras, a capacity of six hours rolled over`,
    },
    { name: "index: rebuilt", value: report.rebuiltPerS, unit: "segments/s", peer },
  ];
}

/** What `rebuild.mjs --json` prints, as far as it is told here. */
interface RebuildReport {
  readonly segments: number;
  readonly segmentBytes: number;
  readonly cold: RebuildPass;
  readonly warm: RebuildPass;
  readonly cat: { readonly megabytesPerS: number; readonly segmentsPerS: number };
}

interface RebuildPass {
  readonly segmentsPerS: number;
  readonly cpuUsPerSegment: number;
  readonly readsPerSegment: number;
  readonly bytesReadPerSegment: number;
}

/** The index made again from files: `test/bench/scripts/rebuild.mjs`. */
export const rebuildBench: Bench = {
  name: "rebuild",
  about: "the index made again from the segments of a cold disk, beside cat of the same files (root only)",
  async *run({ quick }) {
    const report = await runScript<RebuildReport>("rebuild", quick ? ["--segments", `${QUICK_REBUILD}`] : []);
    const { cold, warm, cat } = report;
    const peer = `cat of the same files: ${cat.segmentsPerS} segments/s, ${cat.megabytesPerS} MB/s`;
    yield { name: "rebuild: cold disk", value: cold.segmentsPerS, unit: "segments/s", peer };
    yield { name: "rebuild: warm", value: warm.segmentsPerS, unit: "segments/s" };
    yield {
      name: "rebuild: reads of the disk a segment",
      value: cold.readsPerSegment,
      unit: "reads",
      wanted: { atMost: 2.5 },
      peer: `${cold.bytesReadPerSegment} bytes; a header and a footer`,
    };
    yield { name: "rebuild: CPU a segment", value: warm.cpuUsPerSegment, unit: "µs" };
  },
};

/** The event log: `test/bench/scripts/events.mjs`. */
export const eventsBench: Bench = {
  name: "events",
  about: "the event log: searches in ten million events, events lost at 5,000 a second, bytes",
  async *run({ quick }) {
    const report = await runScript<EventsReport>("events", quick ? ["--events", `${QUICK_EVENTS}`] : []);
    yield* eventFigures(report);
  },
};

function eventFigures(report: EventsReport): Figure[] {
  const peer = `${report.events} events, 64 cameras, a year`;
  const search = (what: string, times: SearchTimes, wanted?: Figure["wanted"]): Figure => ({
    name: `events: last 1,000 ${what}, p50`,
    value: times.p50Ms,
    unit: "ms",
    ...(wanted === undefined ? {} : { wanted }),
    peer: `${peer}; p99 ${times.p99Ms} ms, of CPU ${times.p99CpuMs} ms`,
  });
  const atRate = `${report.ratePerS} a second`;
  return [
    search("of a type and camera", report.lastOfTypeAndChannel, { atMost: 20 }),
    search("of a camera", report.lastOfChannel),
    search("of a category", report.lastOfCategory),
    {
      name: "events: lost",
      value: report.lostAtRate,
      unit: "events",
      wanted: { atMost: 0 },
      peer: atRate,
    },
    { name: "events: raised", value: report.raiseUs, unit: "µs", peer: atRate },
    { name: "events: written as fast as it goes", value: report.addedPerS, unit: "events/s", peer },
    { name: "events: an event's bytes", value: report.bytesAnEvent, unit: "B", peer },
    { name: "events: on disk", value: report.fileBytes / 1e9, unit: "GB", peer },
    { name: "events: walked and opened", value: report.walkedAndOpenS, unit: "s", peer },
    {
      name: "events: written a day",
      value: report.bytesWrittenPerDay / 1e9,
      unit: "GB",
      wanted: { atMost: 2 },
      peer: `${report.busyPerS} events a second`,
    },
  ];
}

/** Findings: `test/bench/scripts/findings.mjs`. */
export const findingsBench: Bench = {
  name: "findings",
  about: "searches in a million findings of 16 cameras and 90 days; the index made anew",
  async *run({ quick }) {
    const report = await runScript<FindingsReport>(
      "findings",
      quick ? ["--findings", `${QUICK_FINDINGS}`] : [],
    );
    const peer = `${report.findings} findings`;
    const search = (what: string, { p50Ms, maxMs, maxCpuMs, found }: FindingTimes): Figure => ({
      name: `findings: ${what}, p50`,
      value: p50Ms,
      unit: "ms",
      wanted: { atMost: SEARCH_MS_MAX },
      peer: `${peer}; ${found} found, at most ${maxMs} ms, of a processor ${maxCpuMs} ms`,
    });
    yield search("the newest page", report.newest);
    yield search("person gate", report.words);
    yield search("one in all", report.rare);
    yield search("large vehicles in a zone", report.large);
    yield search("persons at a gate of one camera in four hours", report.gate);
    yield search("what there is not in all days", report.none);
    yield { name: "findings: the index made anew", value: report.rebuildMs / 1000, unit: "s", peer };
    yield { name: "findings: bytes of the index", value: report.indexBytes / 1e6, unit: "MB", peer };
    yield { name: "findings: bytes on the volumes", value: report.volumeBytes / 1e6, unit: "MB", peer };
  },
};

/** Making answers of the API: `test/bench/scripts/answers.mjs`. */
export const answersBench: Bench = {
  name: "answers",
  about:
    "/configex of 64 cameras, new and remembered; a month of fragments; what grows with the cameras of a hub",
  async *run() {
    const report = await runScript<AnswersReport>("answers", []);
    const peer = `${report.channels} cameras, ${report.xmlBytes} bytes of XML`;
    const fragments = `${report.fragments} fragments in XML`;
    yield { name: "/configex of a new revision", value: report.newXmlMs, unit: "ms", peer };
    yield { name: "/configex in JSON", value: report.newJsonMs, unit: "ms", peer };
    yield {
      name: "/configex remembered",
      value: report.rememberedUs,
      unit: "µs",
      wanted: { atMost: 100 },
      peer,
    };
    yield { name: "/archivefragments", value: report.fragmentsMs, unit: "ms", peer: fragments };
    yield {
      name: "/archivefragments: others wait",
      value: report.fragmentsHeldUpMs,
      unit: "ms",
      wanted: { atMost: 50 },
      peer: fragments,
    };
    yield* hubFigures();
  },
};

/** The longest that an answer of a hub may hold the main thread at once. */
const HUB_SLICE_MS_MAX = 10;

/** What `hub-answers.mjs --json` prints. */
interface HubAnswersReport {
  readonly channels: number;
  readonly answers: readonly {
    readonly name: string;
    readonly heldMs: number;
    readonly tookMs: number;
    readonly bytes: number;
  }[];
}

async function* hubFigures(): AsyncGenerator<Figure> {
  const { channels, answers } = await runScript<HubAnswersReport>("hub-answers", []);
  const wanted = { atMost: HUB_SLICE_MS_MAX };
  for (const { name, heldMs: value, tookMs, bytes } of answers) {
    const peer = `${bytes} bytes, ${tookMs} ms of a core in all`;
    yield { name: `a hub of ${channels} cameras, ${name}: at once`, value, unit: "ms", wanted, peer };
  }
}

/** Runs test/bench/NAME.mjs with `--json` and reads what it printed. */
export async function runScript<T>(name: string, flags: readonly string[]): Promise<T> {
  const script = join(REPOSITORY_ROOT, "test/bench/scripts", `${name}.mjs`);
  const output = await runToEnd(process.execPath, [script, "--json", ...flags], SCRIPT_TIMEOUT_MS);
  return JSON.parse(output) as T;
}
