import { type Clock, type Guid, type SeenKind, US_PER_SECOND } from "../../base/index.js";
import type { LiveStream, VideoFormat } from "../../live/index.js";
import {
  type Codec,
  type DecodingLoad,
  LivePictures,
  type Picture,
  type PictureTaker,
  type PictureTarget,
  type Rotation,
} from "../../picture/index.js";
import type { MotionSource, MotionStates } from "../../recording/index.js";
import type { Detector } from "../detector/detector.js";
import { type DetectedBox, LOOK_SIDE } from "../detector/look-wire.js";
import { area, type Box, boxOf, WHOLE_PICTURE } from "../thing/box.js";
import { type DetectedLabel, KIND_OF_LABEL, type ObjectKind } from "../thing/labels.js";
import { type Act, type ActRules, ThingActs } from "../track/acts.js";
import type { Track } from "../track/track.js";
import { Tracker, type TrackerChanges } from "../track/tracker.js";
import { lookPeriodUs } from "./look-pace.js";
import type { LookQueue, LookTicket } from "./look-queue.js";
import { lookRegions, regionInTurn } from "./look-regions.js";

/** What a camera is looked at for. */
export interface SightRules extends ActRules {
  /** The labels that are wanted. */
  readonly wanted: ReadonlyMap<DetectedLabel, WantedThing>;
  readonly rotation: Rotation;
}

/** Which things of a label are wanted. */
export interface WantedThing {
  /** Least score, 0 to 1. */
  readonly scoreMin: number;
  /** Parts of the picture that it may fill, 0 to 1. */
  readonly sizeMin: number;
  readonly sizeMax: number;
}

/** The kinds of things that these rules may report. */
export function thingKinds({ wanted }: SightRules): readonly ObjectKind[] {
  return [...new Set([...wanted.keys()].map((label) => KIND_OF_LABEL[label]))];
}

/** All kinds that these rules may report: of things, and of what they do. */
export function reportedKinds(rules: SightRules): ReadonlySet<SeenKind> {
  const { zones, lines, loiteringSeconds } = rules;
  return new Set<SeenKind>([
    ...thingKinds(rules),
    ...(zones.length > 0 ? (["zoneEntered", "zoneLeft"] as const) : []),
    ...(lines.length > 0 ? (["lineCrossed"] as const) : []),
    ...(loiteringSeconds > 0 ? (["loitering"] as const) : []),
  ]);
}

/** A thing that is reported. */
export interface SightThing {
  /** Of this run, and no other thing's. */
  readonly number: number;
  readonly channelId: Guid;
  readonly kind: ObjectKind;
  readonly label: DetectedLabel;
  /** The greatest, 0 to 1. */
  readonly score: number;
  /** Where it is by all looks. */
  readonly box: Box;
  /** Where the last look found it, which is less certain and nearer to what that picture shows. */
  readonly found: Box;
  /** How good a picture of it is at that moment. */
  readonly quality: number;
  readonly firstUs: number;
  readonly seenUs: number;
  readonly zones: readonly string[];
}

/** Must not throw. */
export interface SightListener {
  onBegan(thing: SightThing): void;
  onSeen(thing: SightThing): void;
  onAct(thing: SightThing, act: Act): void;
  onEnded(thing: SightThing): void;
}

export interface CameraSightOptions {
  readonly channelId: Guid;
  readonly stream: LiveStream;
  readonly codec: Codec;
  readonly rules: SightRules;
  readonly detector: Pick<Detector, "look" | "isReady">;
  readonly queue: LookQueue;
  /** Of the decoding for all cameras that are looked at. */
  readonly load: DecodingLoad;
  readonly motion: Pick<MotionStates, "seen" | "isHeld">;
  readonly listener: SightListener;
  readonly clock: Clock;
}

interface Followed {
  readonly number: number;
  readonly acts: ThingActs;
  /** What it did at its first look. */
  first: readonly Act[];
  isReported: boolean;
}

interface Look {
  readonly ticket: LookTicket;
  readonly region: Box;
  /** The picture has come. */
  isTaken: boolean;
}

/** A box this near to an edge of the picture is cut by it. */
const PICTURE_EDGE = 0.01;
const CUT_QUALITY = 0.5;
const ANY_SIZE = { sizeMin: 0, sizeMax: 1 };
/** What stands still is looked at each five seconds: so much later it is known that it has loitered. */
const LOITERED_US = 15 * US_PER_SECOND;

let lastNumber = 0;

/**
 * Looks at one camera: nothing is decoded for it while nothing moves and nothing is followed, or the detector is not ready. Then each
 * picture asks the queue, and one that is looked at shows a part of the camera's picture in turn. Call `check` some times a second.
 */
export class CameraSight implements PictureTaker {
  readonly ready = true;
  readonly isNew = false;
  readonly #options: CameraSightOptions;
  #rules: SightRules;
  readonly #pictures: LivePictures;
  readonly #tracker: Tracker;
  readonly #followed = new Map<Track, Followed>();
  /** How often it wants to be looked at; undefined: not at all. */
  #wantedUs: number | undefined;
  #isStopped = false;
  /** Of the codec's threads, noted so far. */
  #busyUs = 0;
  #look: Look | undefined;
  #turn = 0;
  #size = { width: 0, height: 0 };
  #movingSinceUs: number | undefined;
  #seenUs: number | undefined;
  #failures = 0;

  constructor(options: CameraSightOptions) {
    this.#options = options;
    const { stream, codec, clock, rules } = options;
    this.#rules = rules;
    this.#pictures = new LivePictures({ stream, codec, clock, atOnce: false });
    this.#tracker = new Tracker({
      scoreMin: (label) => this.#rules.wanted.get(label)?.scoreMin,
      restUsMin: () => this.#rules.loiteringSeconds * US_PER_SECOND + LOITERED_US,
    });
  }

  /** Pictures that could not be decoded, or not be looked at. */
  get failures(): number {
    return this.#failures;
  }

  /** Pictures are as far apart as looks: further than wanted, where the machine does no more. */
  get periodUs(): number {
    const { queue, load } = this.#options;
    return (this.#wantedUs ?? Number.POSITIVE_INFINITY) * Math.max(queue.stretch, load.stretch);
  }

  /** Other rules for the same pictures, turned the same way. Whoever is there goes on. */
  change(rules: SightRules): void {
    this.#rules = rules;
    for (const { acts } of this.#followed.values()) acts.change(rules);
  }

  check(): void {
    const { stream, clock, load } = this.#options;
    const { busyUs } = this.#pictures;
    load.note(busyUs - this.#busyUs);
    this.#busyUs = busyUs;
    if (stream.state.state !== "active") this.#endAll(this.#tracker.stop());
    else if (this.#isMoved) this.#endAll(this.#tracker.forget());
    else this.#apply({ begun: [], seen: [], ended: this.#tracker.expire(clock.nowUs()) });
    this.#want(this.#scenePeriodUs());
  }

  target({ width, height }: VideoFormat, timeUs: number): PictureTarget | undefined {
    const { rotation } = this.#rules;
    if (!this.#options.detector.isReady || this.#isMoved || this.#look?.isTaken === true) return undefined;
    const lies = rotation === 90 || rotation === 270;
    if (width > 0 && height > 0) this.#size = lies ? { width: height, height: width } : { width, height };
    // Of the frame that was asked for last there was no picture: it may have been left out.
    this.#look ??= this.#nextLook(timeUs);
    if (this.#look === undefined) return undefined;
    const { region } = this.#look;
    return {
      ...{ form: "rgb", width: LOOK_SIDE, height: LOOK_SIDE, fit: "exact", rotation },
      ...(region === WHOLE_PICTURE ? {} : { part: region }),
    };
  }

  /** A partly concealed picture shows what is not there. */
  take(picture: Picture): void {
    const look = this.#look;
    if (look === undefined) return;
    if (picture.damaged || this.#isStopped) this.#dropLook();
    else {
      look.isTaken = true;
      void this.#lookAt(picture, look);
    }
  }

  fail(): void {
    this.#failures += 1;
    this.#dropLook();
  }

  /** Ends what it reported. */
  stop(): void {
    this.#isStopped = true;
    this.#want(undefined);
    this.#endAll(this.#tracker.stop());
  }

  /** The recorder moves the camera: what it shows then is no scene. */
  get #isMoved(): boolean {
    const { motion, channelId } = this.#options;
    return motion.isHeld(channelId);
  }

  /** Begins, goes on or ceases to be looked at. */
  #want(wantedUs: number | undefined): void {
    const { queue, channelId } = this.#options;
    const beforeUs = this.#wantedUs;
    this.#wantedUs = wantedUs;
    if (wantedUs === undefined) {
      if (beforeUs === undefined) return;
      this.#pictures.remove(this);
      queue.rest(channelId);
      this.#dropLook();
    } else if (beforeUs === undefined) this.#pictures.add(this);
    else if (wantedUs < beforeUs) this.#pictures.catchUp();
  }

  #nextLook(timeUs: number): Look | undefined {
    const { queue, channelId } = this.#options;
    const ticket = this.#wantedUs === undefined ? undefined : queue.ask(channelId, this.#wantedUs);
    return ticket === undefined ? undefined : { ticket, region: this.#nextRegion(timeUs), isTaken: false };
  }

  async #lookAt({ width, height, data, timeUs }: Picture, look: Look): Promise<void> {
    const answer = await this.#options.detector.look({ width, height, data });
    look.ticket.done();
    if (this.#look !== look) return;
    this.#look = undefined;
    if (answer === undefined) {
      this.#failures += 1;
      return;
    }
    const { region } = look;
    const found = answer.boxes.map((box) => within(region, box)).filter((box) => this.#hasWantedSize(box));
    this.#apply(this.#tracker.take({ timeUs, region, found, moving: this.#moving().boxes }));
  }

  #hasWantedSize(box: DetectedBox): boolean {
    const { sizeMin, sizeMax } = this.#rules.wanted.get(box.label) ?? ANY_SIZE;
    return area(box) >= sizeMin && area(box) <= sizeMax;
  }

  #dropLook(): void {
    this.#look?.ticket.done();
    this.#look = undefined;
  }

  #nextRegion(timeUs: number): Box {
    const places = [...this.#moving().boxes, ...this.#tracker.sure.map((track) => track.at(timeUs))];
    const region = regionInTurn(lookRegions(places, this.#size), this.#turn);
    this.#turn += 1;
    return region;
  }

  /** What moves now by those who see; `isMoving` without boxes: somewhere. */
  #moving(): { readonly isMoving: boolean; readonly boxes: readonly Box[] } {
    const seen = this.#options.motion.seen(this.#options.channelId).filter(({ source }) => isSight(source));
    return { isMoving: seen.length > 0, boxes: seen.flatMap(({ pieces }) => pieces) };
  }

  #scenePeriodUs(): number | undefined {
    const { stream, detector } = this.#options;
    if (!detector.isReady || stream.state.state !== "active" || this.#isMoved) return undefined;
    const nowUs = this.#options.clock.monotonicUs();
    if (!this.#moving().isMoving) this.#movingSinceUs = undefined;
    else this.#movingSinceUs ??= nowUs;
    return lookPeriodUs({
      nowUs,
      movingSinceUs: this.#movingSinceUs,
      isCurious: this.#tracker.isCurious(this.#options.clock.nowUs()),
      things: this.#tracker.sure.length,
      seenUs: this.#seenUs,
    });
  }

  #apply({ begun, seen, ended }: TrackerChanges): void {
    for (const track of begun) this.#follow(track);
    for (const track of seen) this.#see(track);
    for (const track of ended) this.#end(track);
    if (seen.length > 0) this.#seenUs = this.#options.clock.monotonicUs();
  }

  #follow(track: Track): void {
    lastNumber += 1;
    const acts = new ThingActs(this.#rules);
    // Its first step counts too: whoever comes over a line may be beyond it at the second look.
    const first = acts.see(track.firstBox, track.firstUs, track.label);
    this.#followed.set(track, { number: lastNumber, acts, first, isReported: false });
  }

  #see(track: Track): void {
    const followed = this.#followed.get(track);
    if (followed === undefined) return;
    const { listener } = this.#options;
    const acts = [...followed.first, ...followed.acts.see(track.box, track.seenUs, track.label)];
    followed.first = [];
    const counts = this.#rules.zones.length === 0 || followed.acts.zones.length > 0 || acts.length > 0;
    if (followed.isReported) listener.onSeen(this.#thing(track, followed));
    else if (counts) {
      followed.isReported = true;
      listener.onBegan(this.#thing(track, followed));
    }
    for (const act of acts) listener.onAct(this.#thing(track, followed), act);
  }

  #end(track: Track): void {
    const followed = this.#followed.get(track);
    this.#followed.delete(track);
    if (followed?.isReported !== true) return;
    const thing = this.#thing(track, followed);
    for (const act of followed.acts.end()) this.#options.listener.onAct(thing, act);
    this.#options.listener.onEnded(thing);
  }

  #endAll(tracks: readonly Track[]): void {
    for (const track of tracks) this.#end(track);
  }

  #thing(track: Track, { number, acts }: Followed): SightThing {
    const { kind, label, score, box, found, firstUs, seenUs } = track;
    const { channelId } = this.#options;
    return {
      ...{ number, channelId, kind, label, score, box, firstUs, seenUs, zones: acts.zones },
      ...{ found: boxOf(found), quality: pictureQuality(found) },
    };
  }
}

/** The surer and the larger the better; what the picture's edge cuts shows less of it. */
function pictureQuality({ score, ...box }: DetectedBox): number {
  const isCut =
    box.left < PICTURE_EDGE ||
    box.top < PICTURE_EDGE ||
    box.left + box.width > 1 - PICTURE_EDGE ||
    box.top + box.height > 1 - PICTURE_EDGE;
  return score * Math.sqrt(area(box)) * (isCut ? CUT_QUALITY : 1);
}

/** A finding is no motion, nor is a detector that cannot see. */
function isSight(source: MotionSource): boolean {
  return source === "recorder" || source === "camera" || source === "external";
}

/** A box in a part of the picture, as one in the picture. */
function within(region: Box, { label, score, ...box }: DetectedBox): DetectedBox {
  return {
    ...{ label, score },
    left: region.left + box.left * region.width,
    top: region.top + box.top * region.height,
    width: box.width * region.width,
    height: box.height * region.height,
  };
}
