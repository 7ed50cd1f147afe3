import { isDeepStrictEqual } from "node:util";
import type { WebhookReach } from "../alarm/index.js";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  US_PER_SECOND,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import type { MotionBox, MotionChange, MotionStates } from "../recording/index.js";
import type { Analyser, Camera, Site, SiteStore } from "../site/index.js";
import type { AnalyserState, AnalyserTrial, AnalysisControl } from "./analyser-state.js";
import type { CameraPictures } from "./camera-pictures.js";
import { FindingEvents, isWanted } from "./finding-events.js";
import { FrigateEvents, type FrigateSource } from "./frigate-events.js";
import { MinuteRate } from "./minute-rate.js";
import { SeenThings } from "./seen-things.js";
import { type SeenPicture, VisionAnalyser, type VisionSource } from "./vision-analyser.js";

/** Intervals are looked at so often. */
export const TICK_MS = MS_PER_SECOND;
export const TESTS_PER_MINUTE_MAX = 12;

/** The MQTT link, as analysers use it. */
export interface MessageFeed {
  /** Why no messages come; undefined: they do. */
  readonly problem: string | undefined;
  /** The topics whose messages are wanted from now on. */
  listen(topics: readonly string[], onMessage: (topic: string, payload: Uint8Array) => void): void;
}

export interface AnalysesOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly events: Pick<EventLog, "raise">;
  readonly motion: Pick<MotionStates, "report" | "seen" | "onMotion">;
  readonly pictures: CameraPictures;
  readonly pictureBytesPerDay: number;
  readonly reach: WebhookReach;
  /** Undefined: the settings name no broker. */
  readonly feed: () => MessageFeed | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Running {
  readonly analyser: Analyser;
  readonly vision?: VisionAnalyser;
  readonly frigate?: FrigateEvents;
  readonly things: SeenThings;
  /** When each camera is due by the interval, and again while motion lasts; monotonic microseconds. */
  readonly dueUs: Map<Guid, number>;
  readonly againUs: Map<Guid, number>;
}

/** The analysers of the configuration: when they look, and what becomes of what they find. */
export class Analyses implements AnalysisControl {
  readonly #options: AnalysesOptions;
  readonly #findingEvents: FindingEvents;
  readonly #tests: MinuteRate;
  #running: readonly Running[] = [];
  readonly #tested = new Set<VisionAnalyser>();
  #motion: { close(): void } | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: AnalysesOptions) {
    this.#options = options;
    this.#findingEvents = new FindingEvents(options);
    this.#tests = new MinuteRate(options.clock);
  }

  start(): void {
    const { motion, clock, site } = this.#options;
    this.#motion = motion.onMotion((change) => this.#onMotion(change));
    this.#timer = clock.setInterval(() => this.#tick(), TICK_MS);
    this.follow(site.current);
  }

  stop(): void {
    this.#motion?.close();
    this.#timer?.clear();
    for (const { vision } of this.#running) vision?.stop();
    for (const vision of this.#tested) vision.stop();
    this.#running = [];
    this.#listen();
  }

  /** Takes over a configuration. An analyser that did not change goes on as it was. */
  follow({ analysers }: Pick<Site, "analysers">): void {
    const before = this.#running;
    this.#running = analysers
      .filter(({ isEnabled }) => isEnabled)
      .map(
        (analyser) => before.find((own) => isDeepStrictEqual(own.analyser, analyser)) ?? this.#run(analyser),
      );
    for (const own of before) if (!this.#running.includes(own)) own.vision?.stop();
    this.#listen();
  }

  states(): readonly AnalyserState[] {
    return this.#running.flatMap(({ analyser: { id, name, isEnabled }, vision, frigate }) => {
      const common = { id, name, isEnabled };
      if (vision !== undefined) return [{ ...common, ...vision.state }];
      if (frigate === undefined) return [];
      const problem = this.#feedProblem();
      return [{ ...common, ...frigate.state, problem, isFailing: problem !== undefined }];
    });
  }

  async test(id: Guid, channelId: Guid | undefined): Promise<AnalyserTrial> {
    const { site, clock, pictures, reach } = this.#options;
    const analyser = site.current.analysers.find((candidate) => candidate.id === id);
    if (analyser === undefined) throw new NvrdError("NOT_FOUND", `there is no analyser ${id}`);
    if (!isVision(analyser))
      throw new NvrdError("CONFLICT", "Frigate is sent nothing", {
        hint: "GET /api/analysers says whether its events arrive",
      });
    const vision = new VisionAnalyser({
      ...{ analyser, pictures, reach, clock },
      onSeen: async () => 0,
      onChange: () => undefined,
    });
    const camera = site.current.cameras.find((candidate) =>
      channelId === undefined ? vision.covers(candidate) : candidate.id === channelId,
    );
    if (camera === undefined)
      throw new NvrdError(
        "NOT_FOUND",
        channelId === undefined ? "it has no camera" : "there is no such channel",
      );
    if (!this.#tests.hasRoom(TESTS_PER_MINUTE_MAX))
      throw new NvrdError("TOO_MANY_REQUESTS", `more than ${TESTS_PER_MINUTE_MAX} tests in a minute`);
    this.#tests.take();
    this.#tested.add(vision);
    try {
      return await vision.test(camera);
    } finally {
      this.#tested.delete(vision);
    }
  }

  #run(analyser: Analyser): Running {
    const common = { analyser, things: new SeenThings(), dueUs: new Map<Guid, number>() };
    const running = { ...common, againUs: new Map<Guid, number>() };
    const { pictures, reach, clock, site } = this.#options;
    if (isVision(analyser)) {
      const vision = new VisionAnalyser({
        ...{ analyser, pictures, reach, clock },
        onSeen: (seen) => this.#onSeen(seen, running.things),
        onChange: (problem) => this.#onChange(analyser, problem),
      });
      return { ...running, vision };
    }
    const frigate = new FrigateEvents({
      ...{ analyser: analyser as FrigateSource, pictures, clock, isWanted },
      camera: (id) => site.current.cameras.find((camera) => camera.id === id),
      onFound: (findings, found) => this.#findingEvents.report(findings, found),
      onStill: (camera) => this.#findingEvents.reportMotion(analyser, camera),
    });
    return { ...running, frigate };
  }

  #listen(): void {
    const feeds = this.#running.flatMap(({ frigate }) => frigate ?? []);
    const topics = [...new Set(feeds.map(({ topic }) => topic))];
    this.#options.feed()?.listen(topics, (topic, payload) => {
      for (const feed of feeds) if (feed.topic === topic) void feed.receive(payload);
    });
  }

  #feedProblem(): string | undefined {
    const feed = this.#options.feed();
    return feed === undefined ? "there is no MQTT broker yet" : feed.problem;
  }

  #onMotion({ channelId, source, active, box }: MotionChange): void {
    if (!active || !isSight(source)) return;
    const camera = this.#camera(channelId);
    if (camera === undefined) return;
    for (const { analyser, vision, againUs } of this.#running)
      if (vision?.covers(camera) === true && isVision(analyser) && analyser.source.onMotion) {
        againUs.set(channelId, this.#inSeconds(analyser.source.repeatSeconds));
        void vision.offer(camera, box === undefined ? [] : [box]);
      }
  }

  #tick(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const running of this.#running) {
      const { analyser, vision } = running;
      if (vision === undefined || !isVision(analyser)) continue;
      const cameras = this.#options.site.current.cameras.filter((camera) => vision.covers(camera));
      for (const [index, camera] of cameras.entries()) {
        const boxes = this.#moving(running, camera, nowUs);
        if (boxes !== undefined) void vision.offer(camera, boxes);
        else if (isDue(running, { camera, share: index / cameras.length, nowUs }))
          void vision.offer(camera, []);
      }
    }
  }

  /** What moves, where it is time for another picture of lasting motion. */
  #moving({ analyser, againUs }: Running, { id }: Camera, nowUs: number): readonly MotionBox[] | undefined {
    if (!isVision(analyser) || !analyser.source.onMotion || analyser.source.repeatSeconds === 0)
      return undefined;
    if (nowUs < (againUs.get(id) ?? 0)) return undefined;
    const seen = this.#options.motion.seen(id).filter(({ source }) => isSight(source));
    if (seen.length === 0) return undefined;
    againUs.set(id, this.#inSeconds(analyser.source.repeatSeconds));
    // A source that does not say where may mean any part of the picture.
    const boxes = seen.flatMap(({ box }) => box ?? []);
    return boxes.length === seen.length ? boxes : [];
  }

  async #onSeen({ analyser, camera, picture, findings }: SeenPicture, things: SeenThings): Promise<number> {
    const wanted = findings.filter((finding) => isWanted(finding, analyser, camera));
    if (wanted.length === 0) return 0;
    this.#findingEvents.reportMotion(analyser, camera);
    const nowUs = this.#options.clock.monotonicUs();
    const moment = { nowUs, quietUs: analyser.quietSeconds * US_PER_SECOND };
    const fresh = things.newOf(camera.id, wanted, moment);
    return await this.#findingEvents.report(fresh, { analyser, camera, picture });
  }

  #onChange({ id, name }: Analyser, problem: string | undefined): void {
    const { events, log } = this.#options;
    const { analyserFailing, analyserWorks } = EVENT_TYPES;
    if (problem !== undefined) log.warn({ analyser: id, problem }, "an analyser cannot be used");
    events.raise({
      typeId: problem === undefined ? analyserWorks.id : analyserFailing.id,
      comment: problem === undefined ? name : `${name}: ${problem}`,
    });
  }

  #camera(channelId: Guid): Camera | undefined {
    return this.#options.site.current.cameras.find(({ id }) => id === channelId);
  }

  #inSeconds(seconds: number): number {
    return this.#options.clock.monotonicUs() + seconds * US_PER_SECOND;
  }
}

function isVision(analyser: Analyser): analyser is VisionSource {
  return analyser.source.kind === "vision";
}

/** Whether a source of motion has seen something move: a finding of ours is no motion, nor is a detector that cannot see. */
function isSight(source: MotionChange["source"]): boolean {
  return source !== "analysis" && source !== "blind";
}

/** Whether it is the camera's turn by the interval; the cameras' turns are spread over it. */
function isDue(
  { analyser, dueUs }: Running,
  { camera, share, nowUs }: { readonly camera: Camera; readonly share: number; readonly nowUs: number },
): boolean {
  if (!isVision(analyser) || analyser.source.intervalSeconds === 0) return false;
  const intervalUs = analyser.source.intervalSeconds * US_PER_SECOND;
  const known = dueUs.get(camera.id);
  if (known === undefined) dueUs.set(camera.id, nowUs + share * intervalUs);
  const at = known ?? nowUs + share * intervalUs;
  if (nowUs < at) return false;
  dueUs.set(camera.id, Math.max(at + intervalUs, nowUs));
  return true;
}
