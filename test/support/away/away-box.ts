import { createHash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import {
  type BootTime,
  keyFramesFragmentId,
  RetentionClock,
  type SegmentSummary,
  segmentPath,
} from "../../../src/archive/index.js";
import { type AwayTiming, Replications, sendingHere } from "../../../src/away/index.js";
import {
  manifestFolder,
  plainKey,
  readManifest,
  revisionOf,
  segmentKey,
} from "../../../src/away/plan/manifest.js";
import type { SendTarget } from "../../../src/away/target-address.js";
import { type Guid, guidToBytes, type Interval, SystemClock } from "../../../src/base/index.js";
import type { Site } from "../../../src/site/index.js";
import { MemorySegmentIndex } from "../archive/memory-segment-index.js";
import { segmentOfFrames } from "../archive/segment-bytes.js";
import { type SegmentShape, segmentOf, streamOfNumber } from "../archive/segment-fixtures.js";
import { QuickClock } from "../base/quick-clock.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { silentLog } from "../site/site-samples.js";
import { awayTarget } from "./away-samples.js";
import { ScriptedStore } from "./scripted-store.js";

const SERVER = { id: "88888888-0000-4000-8000-0000000000ff", name: "box" };

const TIMING: AwayTiming = {
  idleMs: 10,
  retryMsMin: 5,
  retryMsMax: 40,
  retryLastingMsMin: 5,
  reportAfterMs: 0,
  refreshMs: 60_000,
  nameMs: 20,
  replacedMs: 20,
};
const TARGET_ID: Guid = "88888888-0000-4000-8000-000000000007";
const SEGMENT_BYTES = 20_000;
/** In a segment's header. */
const VOLUME_ID_AT = 32;

class ShiftedClock extends QuickClock {
  readonly #aheadUs: () => number;

  constructor(aheadUs: () => number, times: number) {
    super(times);
    this.#aheadUs = aheadUs;
  }

  override nowUs(): number {
    return super.nowUs() + this.#aheadUs();
  }
}

/** A recorder with files, an index in memory and a bucket, and what it ought to have sent. */
export class AwayBox {
  readonly directory = new TemporaryDirectory("nvrd-away-box");
  readonly index = new MemorySegmentIndex();
  readonly events = new MemoryEventLog(new SystemClock());
  readonly recorded = new Map<string, Buffer>();
  /** Boots whose clock was set later. */
  readonly boots: BootTime[] = [];
  readonly protectedSpans: (Interval & { readonly channelId: Guid })[] = [];
  /** Lines of findings by channel and day. */
  readonly findings = new Map<string, Buffer>();
  /** Segments have frames, so that their key frames can go. */
  hasFrames = false;
  /** Whether the key frames of a segment are to be in the bucket in the end, or all of it. */
  wantsKeyFrames: (segment: SegmentSummary) => boolean = () => false;
  readonly #segments = new Map<string, SegmentSummary>();
  /** What is to be in the bucket of a segment whose key frames go, by key. */
  readonly #keyFrames = new Map<string, Buffer>();
  /** The index is being read in while it is false. */
  isKnown = true;
  /** Segments sent at once; undefined: as many as usual. */
  sendsMax: number | undefined;
  serverId = TARGET_ID;
  /** How far the wall clock is ahead. */
  aheadUs = 0;
  /** Whether the wall clock is known to be set. */
  isClockKnown = true;
  readonly #clock: ShiftedClock;
  readonly #ages: RetentionClock;
  readonly #spans = new Map<string, Interval>();
  #target: SendTarget;
  #replications: Replications | undefined;
  #sequence = 0;

  private constructor(
    readonly store: ScriptedStore,
    change: Partial<SendTarget>,
    times: number,
  ) {
    this.#clock = new ShiftedClock(() => this.aheadUs, times);
    this.#ages = new RetentionClock({
      dataDir: this.directory.join("ages"),
      clock: this.#clock,
      clockKnown: () => this.isClockKnown,
      newestUs: () => undefined,
      log: silentLog,
    });
    this.#target = awayTarget({ id: TARGET_ID, endpoint: `http://127.0.0.1:${store.port}`, ...change });
  }

  /** @param times Its waits are so many times as short as they are; its wall clock is the machine's. */
  static async start(change: Partial<SendTarget> = {}, times = 1): Promise<AwayBox> {
    const box = new AwayBox(await new ScriptedStore().start(), change, times);
    box.#ages.start();
    return box;
  }

  get targetId(): Guid {
    return TARGET_ID;
  }

  get channelId(): Guid {
    return streamOfNumber(2).channelId;
  }

  /** A closed segment of the channel's main stream, on the disk and in the index; `volumeId`: it was moved there since. */
  record(shape: SegmentShape = {}, volumeId?: Guid): SegmentSummary {
    this.#sequence += 1;
    const common = { stream: 2, sequence: this.#sequence, gopUs: 30_000_000, ...shape };
    const content = this.hasFrames
      ? this.#framed(segmentOf(common))
      : randomBytes(shape.bytes ?? SEGMENT_BYTES);
    const segment = segmentOf({ ...common, bytes: content.length });
    // As a header has it: what is sent says which volume it belongs on.
    if (!this.hasFrames) content.set(guidToBytes(volumeId ?? segment.volumeId), VOLUME_ID_AT);
    this.#segments.set(segmentPath({ ...segment }), segment);
    const file = path.join(this.directory.join("volume"), segmentPath({ ...segment }));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    this.recorded.set(segmentPath({ ...segment }), content);
    this.#spans.set(segmentPath({ ...segment }), segment);
    this.index.add(segment);
    void this.index.flush();
    this.#replications?.noteChange({ ...segment, added: segment });
    return segment;
  }

  /** The bytes of a segment; those of its key frames alone are noted. */
  #framed(segment: SegmentSummary): Buffer {
    const { segmentId, volumeId, key, fragmentSequence, epoch, fromUs, toUs } = segment;
    const fields = { segmentId, volumeId, key, fragmentSequence, epoch, fromUs, toUs, nonce: randomBytes(8) };
    const frames = segment.gops.flatMap(({ decodeTimeUs }) =>
      [0, 1, 2, 3].map((at) => ({
        decodeTimeUs: decodeTimeUs + at * 40_000,
        key: at === 0,
        payload: randomBytes(at === 0 ? 3000 : 2000),
      })),
    );
    const common = { ...fields, bootId: segment.bootId };
    const fragmentId = keyFramesFragmentId(segment.fragmentId) ?? "";
    const alone = segmentOfFrames(
      frames.filter((frame) => frame.key),
      { ...common, fragmentId },
    );
    this.#keyFrames.set(plainKey({ key, segmentId, fragmentId }), alone.closed);
    return segmentOfFrames(frames, { ...common, fragmentId: segment.fragmentId }).closed;
  }

  /** The names of what is to be in the bucket. */
  wantedKeys(): readonly string[] {
    return [...this.recorded.keys()].map((key) => {
      const segment = this.#segments.get(key);
      const isKeyFrames = segment !== undefined && this.wantsKeyFrames(segment);
      return isKeyFrames ? key.replace(/\.seg$/, ".key.seg") : key;
    });
  }

  /** Segments in the bucket that no manifest names. */
  unnamed(): readonly string[] {
    const named = this.named();
    const objects = [...this.store.objects.keys()].filter((key) => key.startsWith("box/streams/"));
    return objects.map((key) => key.slice("box/".length)).filter((key) => !named.has(key));
  }

  /** The time of a segment that was recorded, by its key. */
  spanOf(key: string): Interval {
    return this.#spans.get(key) ?? { fromUs: 0, toUs: 0 };
  }

  /** Retention takes a segment. */
  async removeHere(segment: SegmentSummary): Promise<void> {
    this.#replications?.noteRemoved(segment);
    await this.index.remove([segment]);
    rmSync(path.join(this.directory.join("volume"), segmentPath({ ...segment })), { force: true });
  }

  run(change: Partial<SendTarget> = {}): void {
    this.#target = { ...this.#target, ...change };
    const site = this.#site();
    const ages = this.#ages;
    this.#replications = new Replications({
      site: { current: site },
      index: this.index,
      isKnown: () => this.isKnown,
      ages: {
        get isKnown() {
          ages.tick();
          return ages.isKnown;
        },
        get nowUs() {
          ages.tick();
          return ages.nowUs;
        },
      },
      pathsOf: ({ channelId, stream, segmentId }) => [
        path.join(
          this.directory.join("volume"),
          segmentPath({ key: { channelId, streamType: stream }, segmentId }),
        ),
      ],
      protectedRanges: (channelId) => this.protectedSpans.filter((span) => span.channelId === channelId),
      bootTimes: () => new Map(this.boots.map((boot) => [boot.bootId, boot])),
      events: this.events,
      findingsOf: async (channelId, day) => this.findings.get(`${channelId}/${day}`),
      factsOf: async (channelId) => ({
        server: { id: this.serverId, name: "Box" },
        channel: { id: channelId, name: "Gate" },
        gaps: [],
        events: [],
      }),
      dataDir: this.directory.join("data"),
      start: sendingHere(this.#clock),
      clock: this.#clock,
      log: silentLog,
      timing: TIMING,
      ...(this.sendsMax === undefined ? {} : { sendsMax: this.sendsMax }),
    });
    this.#replications.follow([this.#target]);
  }

  /** What the owner does with locks. */
  get replications(): Replications {
    if (this.#replications === undefined) throw new Error("the box does not run");
    return this.#replications;
  }

  async halt(): Promise<void> {
    await this.#replications?.stop();
    this.#replications = undefined;
  }

  /** Ends as by a power cut: of the small files remains what was there some time before, of journals a torn end. */
  async cut(tornBytes: number): Promise<void> {
    const data = this.directory.join("data");
    const before = this.directory.join("before");
    rmSync(before, { recursive: true, force: true });
    if (existsSync(data)) cpSync(data, before, { recursive: true });
    await this.halt();
    rmSync(data, { recursive: true, force: true });
    if (existsSync(before)) cpSync(before, data, { recursive: true });
    for (const file of filesIn(data).filter((name) => name.endsWith(".log"))) {
      const { length } = readFileSync(file);
      truncateSync(file, Math.max(0, length - tornBytes));
    }
  }

  /** The system disk is lost. */
  async loseState(): Promise<void> {
    await this.halt();
    rmSync(this.directory.join("data"), { recursive: true, force: true });
  }

  get state() {
    const [state] = this.#replications?.states() ?? [];
    return state;
  }

  async stop(): Promise<void> {
    await this.halt();
    this.store.stop();
    this.directory.remove();
  }

  /** What the newest manifests name. */
  named(): ReadonlyMap<string, string> {
    return namedIn(this.store.objects, this.channelId);
  }

  /** Waits until all that was recorded is in the bucket and named. */
  async sentAll(): Promise<void> {
    const otherwise = () => {
      const named = this.named();
      const wanted = new Set(this.wantedKeys());
      const missing = [...wanted].filter((key) => !named.has(key));
      return [...missing, ...[...named.keys()].filter((key) => !wanted.has(key))];
    };
    await expect.poll(otherwise, { interval: 20 }).toEqual([]);
    this.checkWhole();
  }

  /** Each object is bit for bit what was recorded, and each that is named is there. Holds at every moment. */
  checkWhole(): void {
    for (const [key, content] of this.store.objects) {
      if (!key.startsWith("box/streams/")) continue;
      const name = key.slice("box/".length);
      const recorded = this.recorded.get(name) ?? this.#keyFrames.get(name);
      if (recorded === undefined || !content.equals(recorded))
        throw new Error(`${key} is not what was recorded`);
    }
    for (const [key, sha256] of this.named()) {
      const content = this.store.objects.get(`box/${key}`);
      if (content === undefined) throw new Error(`${key} is named and not there`);
      if (createHash("sha256").update(content).digest("hex") !== sha256) throw new Error(`${key} is another`);
    }
  }

  #site(): Site {
    const cameras = [{ id: this.channelId, name: "Gate", ownerServerId: SERVER.id }];
    return { awayTargets: [this.#target], server: SERVER, cameras } as unknown as Site;
  }
}

function namedIn(objects: ReadonlyMap<string, Buffer>, channelId: Guid): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  const folder = `box/${manifestFolder(channelId, "")}`.replace(/\/$/, "");
  for (const key of [...objects.keys()].sort())
    if (key.startsWith(folder) && revisionOf(key) !== undefined) newest.set(path.dirname(key), key);
  const named = new Map<string, string>();
  for (const key of newest.values()) {
    const { segments } = readManifest(objects.get(key) ?? Buffer.alloc(0));
    for (const segment of segments) {
      const name = segmentKey(channelId, segment);
      if (named.has(name)) throw new Error(`${name} is named twice`);
      named.set(name, segment.sha256);
    }
  }
  return named;
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
