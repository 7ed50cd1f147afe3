import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { SegmentSummary } from "../../../src/archive/index.js";
import { Replications, Returns, sendingHere } from "../../../src/away/index.js";
import { type Guid, type Interval, type StreamKey, SystemClock } from "../../../src/base/index.js";
import type { AwayTarget, Site } from "../../../src/site/index.js";
import {
  append,
  type FrameSpec,
  newStreamKey,
  patternBytes,
  type ReadFrame,
  readFrames,
  startArchive,
  type TestArchive,
  until,
} from "../archive/archive-fixture.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { silentLog } from "../site/site-samples.js";
import { awayTarget } from "./away-samples.js";

const SERVER = { id: "88888888-0000-4000-8000-0000000000ff", name: "box" };

const SECOND_ID: Guid = "88888888-0000-4000-8000-00000000000a";
const FRAME_US = 40_000;
const TARGET_ID: Guid = "88888888-0000-4000-8000-000000000008";
const QUICK = {
  ...{ idleMs: 10, retryMsMin: 5, retryMsMax: 40, retryLastingMsMin: 5 },
  ...{ reportAfterMs: 0, refreshMs: 60_000, nameMs: 20, replacedMs: 20 },
};
const CATALOGUE = { refreshMs: 60_000, retryMs: 20, soonMs: 10, openDayMs: 60_000 };

/** An archive on a disk, whose recordings go to a bucket and are read from there when they are not here any more. */
export class ReturningBox {
  readonly directory = new TemporaryDirectory("nvrd-returning-box");
  readonly findings = new Map<string, Buffer>();
  readonly key: StreamKey;
  /** The first frame: at noon of the day before. */
  readonly startUs: number;
  #target: AwayTarget;
  readonly #clock = new SystemClock();
  #test: TestArchive | undefined;
  #replications: Replications | undefined;
  #returns: Returns | undefined;
  #sent = 0;

  readonly #second: readonly AwayTarget[];

  /** @param second Another bucket, that gets the same. */
  constructor(target: Partial<AwayTarget>, second?: Partial<AwayTarget>, key = newStreamKey()) {
    this.key = key;
    this.#target = awayTarget({ id: TARGET_ID, ...target });
    this.#second = second === undefined ? [] : [awayTarget({ id: SECOND_ID, name: "Attic", ...second })];
    const nowUs = this.#clock.nowUs();
    const dayUs = 86_400_000_000;
    // Nothing of that day is written any more, and midnight is far.
    this.startUs = Math.floor(nowUs / dayUs) * dayUs - dayUs / 2;
  }

  async start({ readersMax = 8 } = {}): Promise<this> {
    this.#test = await startArchive(this.directory.join("archive"), { segmentSeconds: 1, readersMax });
    return this;
  }

  get archive(): TestArchive["archive"] {
    return this.#here.archive;
  }

  get segments(): readonly SegmentSummary[] {
    const found: SegmentSummary[] = [];
    let next = this.#here.index.following(this.key, { segmentId: 0, epoch: 0, fromUs: 0 });
    while (next !== undefined) {
      found.push(next);
      next = this.#here.index.following(this.key, next);
    }
    return found;
  }

  /** So many frames, a key frame with every `gop`-th. */
  async record(frames: number, { gop = 25, bytes = 1000 } = {}): Promise<void> {
    const writer = this.archive.writer(this.key);
    for (let at = 0; at < frames; at++)
      append(writer, {
        decodeTimeUs: this.startUs + at * FRAME_US,
        bytes: patternBytes(bytes, at),
        key: at % gop === 0,
      });
    await writer.end();
  }

  /** Frames of one run, times from 0, in order of time. */
  async recordUnits(units: readonly FrameSpec[]): Promise<void> {
    const writer = this.archive.writer(this.key);
    for (const unit of units) append(writer, { ...unit, decodeTimeUs: this.startUs + unit.decodeTimeUs });
    await writer.end();
  }

  /** Times that are evidence. */
  readonly protectedSpans: Interval[] = [];

  /**
   * Sends all, and waits until the bucket names it; with a `change` of the first target so many segments `more`. It goes on until
   * `isDone` says so.
   */
  async send(
    change: Partial<AwayTarget> = {},
    { more = this.segments.length, isDone = () => true }: { more?: number; isDone?: () => boolean } = {},
  ): Promise<void> {
    await this.#replications?.stop();
    this.#target = { ...this.#target, ...change };
    const site = this.#site;
    const { volumePath, index } = this.#here;
    const noted = new Map(site.awayTargets.map(({ id }) => [id, this.#journalOf(id).length]));
    this.#replications = new Replications({
      ...{ site: { current: site }, index, allSegments: this.archive.allSegments, isKnown: () => true },
      ages: { isKnown: true, nowUs: this.#clock.nowUs() },
      pathsOf: ({ channelId, stream, segmentId }) => {
        const { file } = fileOf({ channelId, streamType: stream }, segmentId);
        return [path.join(volumePath, file), path.join(volumePath, "open", path.basename(file))];
      },
      protectedRanges: () => this.protectedSpans,
      bootTimes: () => new Map(),
      events: new MemoryEventLog(this.#clock),
      findingsOf: async (channelId, day) => this.findings.get(`${channelId}/${day}`),
      factsOf: async (channelId) => ({
        ...{ server: { id: TARGET_ID, name: "Box" }, channel: { id: channelId, name: "Gate" } },
        ...{ gaps: [], events: [] },
      }),
      dataDir: this.directory.join("data"),
      ...{ start: sendingHere(this.#clock), clock: this.#clock, log: silentLog, timing: QUICK },
    });
    this.#replications.follow(site.awayTargets);
    this.#sent += more;
    for (const [at, { id }] of site.awayTargets.entries()) {
      const sent = () => this.#replications?.states()[at]?.sentSegments === this.#sent;
      await until(sent, "all segments to be sent");
      await until(() => more === 0 || this.#journalOf(id).length > (noted.get(id) ?? 0), "it to be noted");
      await until(() => isNamed(this.#journalOf(id)), "the manifest");
    }
    await until(isDone, "what else is to be done");
    await this.#replications.stop();
    this.#replications = undefined;
  }

  /** Recordings off the box are known and read from now on. */
  comeBack(): void {
    this.#returns = new Returns({
      ...{ dataDir: this.directory.join("data"), clock: this.#clock, log: silentLog },
      onPlaces: (places) => this.archive.setAway(places),
      start: sendingHere(this.#clock),
      timing: CATALOGUE,
    });
    this.#returns.follow(this.#site.awayTargets);
  }

  /** Records frames that are off the box alone in the end; resolves with them as they were read here. */
  async recordAway(frames: number, shape: { readonly bytes: number }): Promise<ReadFrame[]> {
    await this.record(frames, shape);
    const before = await this.read(this.startUs, frames);
    const { segments } = this;
    await this.send();
    this.comeBack();
    await this.known(segments.length);
    await this.lose(segments);
    return before;
  }

  async known(segments: number): Promise<void> {
    const isKnown = () =>
      this.state !== undefined &&
      this.#returns?.states().every(({ knownSegments }) => knownSegments === segments);
    await until(() => isKnown() === true, "the catalogue");
  }

  get target(): AwayTarget {
    return this.#target;
  }

  get state() {
    return this.#returns?.states()[0];
  }

  /** What was fetched is not kept any more. */
  async forgetBlocks(change: Partial<AwayTarget> = {}): Promise<void> {
    await this.leave();
    this.#target = { ...this.#target, ...change };
    rmSync(this.directory.join("data", "away", TARGET_ID, "blocks"), { recursive: true, force: true });
    this.comeBack();
    await until(() => (this.state?.knownSegments ?? 0) > 0, "the catalogue");
  }

  /** The archive ends and begins again. */
  async archiveAgain(): Promise<void> {
    await this.leave();
    await this.#here.archive.stop();
    await this.start();
    this.comeBack();
  }

  /** The system disk is lost. */
  async forgetAll(): Promise<void> {
    await this.leave();
    rmSync(this.directory.join("data"), { recursive: true, force: true });
    mkdirSync(this.directory.join("data"));
    this.comeBack();
  }

  /** The disk of all recordings is pulled out; the index knows them still. */
  async loseVolume(): Promise<void> {
    rmSync(this.#here.volumePath, { recursive: true, force: true });
  }

  /** Retention takes segments: index and disk have them no more. */
  async lose(segments: readonly SegmentSummary[]): Promise<void> {
    await this.#here.index.remove(segments);
    for (const { key, segmentId } of segments) {
      const { file } = fileOf(key, segmentId);
      rmSync(path.join(this.#here.volumePath, file), { force: true });
      rmSync(path.join(this.#here.volumePath, "open", path.basename(file)), { force: true });
    }
  }

  async read(fromUs: number, frames: number): Promise<ReadFrame[]> {
    const reader = this.archive.read(this.key, { fromUs, endsAtEdge: true });
    try {
      return await readFrames(reader, frames);
    } finally {
      reader.close();
    }
  }

  async leave(): Promise<void> {
    await this.#returns?.stop();
    this.#returns = undefined;
  }

  async stop(): Promise<void> {
    await this.leave();
    await this.#replications?.stop();
    await this.#test?.archive.stop();
    this.directory.remove();
  }

  #journalOf(targetId: Guid): string {
    const folder = this.directory.join("data", "away", targetId, this.key.channelId);
    const day = new Date(Math.floor(this.startUs / 1000)).toISOString().slice(0, 10);
    const file = path.join(folder, `${day}.log`);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  get #here(): TestArchive {
    if (this.#test === undefined) throw new Error("the box is not started");
    return this.#test;
  }

  get #site(): Site {
    const cameras = [{ id: this.key.channelId, name: "Gate", ownerServerId: SERVER.id }];
    return { awayTargets: [this.#target, ...this.#second], server: SERVER, cameras } as unknown as Site;
  }
}

function fileOf({ channelId, streamType }: StreamKey, segmentId: number): { readonly file: string } {
  const day = new Date(Math.floor(segmentId / 1000)).toISOString().slice(0, 10);
  const name = `${segmentId.toString(16).padStart(14, "0")}.seg`;
  return { file: `streams/${channelId}/${streamType}/${day}/${name}` };
}

/** Whether a journal says that the bucket names all that was sent. Lines are written some at once: what was cleared since may follow. */
function isNamed(journal: string): boolean {
  const lines = journal.split("\n").filter((line) => line !== "" && !line.includes('"what":"cleared"'));
  return lines.at(-1)?.includes('"isAll":true') === true;
}
