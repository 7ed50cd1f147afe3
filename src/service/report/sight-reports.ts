import type { Clock, Guid, SeenKind } from "../../base/index.js";
import {
  boxMembers,
  EVENT_TYPES,
  type EventKind,
  type EventLog,
  percentText,
  seenTypeNames,
  seenTypes,
} from "../../event/index.js";
import type { FindingWriter } from "../../finding/index.js";
import type { MotionStates, SeenStates, ZoneStates } from "../../recording/index.js";
import type { Act, SightListener, SightThing } from "../../sight/index.js";
import { type Camera, isMarked, isRecordedOn, type SiteStore } from "../../site/index.js";
import { channelOf, nearTime } from "./event-mapping.js";

const OWN = { source: "recorder", name: "" } as const;
/** A recording goes on for so long after the last look; each look makes it longer. */
const CLAIM_MS = 60_000;

/** In which zones what is looked for. */
export interface KnownZones {
  readonly names: readonly string[];
  readonly kinds: readonly SeenKind[];
}

export interface SightReportsOptions {
  readonly findings: FindingWriter;
  /** What channels are recorded on besides motion. */
  readonly seenMotion: Pick<MotionStates, "report">;
  readonly seen: Pick<SeenStates, "report" | "know">;
  readonly zones: Pick<ZoneStates, "report" | "know">;
  readonly events: Pick<EventLog, "raise">;
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
}

/** Makes of what the recorder itself sees what cameras' findings become: findings, events, states, reasons to record. */
export class SightReports implements SightListener {
  readonly #options: SightReportsOptions;
  readonly #findings = new Map<number, string>();
  /** Numbers of the things of a kind that are there, by channel and kind. */
  readonly #present = new Map<string, Set<number>>();
  /** The zones that a thing is in, and how many of a kind are in a zone, by channel, kind and zone. */
  readonly #zonesOf = new Map<number, readonly string[]>();
  readonly #inZone = new Map<string, number>();

  constructor(options: SightReportsOptions) {
    this.#options = options;
  }

  onBegan(thing: SightThing): void {
    const camera = this.#camera(thing.channelId);
    if (camera === undefined) return;
    const { channelId, kind } = thing;
    const id = this.#options.findings.begin({
      ...{ channelId, kind, source: "recorder", label: labelOf(thing) },
      ...this.#growthOf(thing),
    });
    if (id !== undefined) this.#findings.set(thing.number, id);
    const present = this.#present.get(keyOf(thing)) ?? new Set<number>();
    this.#present.set(keyOf(thing), present);
    present.add(thing.number);
    if (present.size === 1) this.#options.seen.report({ ...OWN, channelId, kind, active: true });
    this.#noteZones(thing, thing.zones);
    this.#claim(camera, kind, thing);
    if (isMarked(camera, kind)) this.#raise(kind, true, thing);
  }

  onSeen(thing: SightThing): void {
    const id = this.#findings.get(thing.number);
    if (id !== undefined) this.#options.findings.grow(id, this.#growthOf(thing));
    const camera = this.#camera(thing.channelId);
    this.#noteZones(thing, thing.zones);
    if (camera !== undefined) this.#claim(camera, thing.kind, thing);
  }

  onAct(thing: SightThing, act: Act): void {
    const camera = this.#camera(thing.channelId);
    if (camera === undefined) return;
    const { kind, name } = act;
    const id = this.#findings.get(thing.number);
    if (act.kind === "lineCrossed" && id !== undefined)
      this.#options.findings.grow(id, {
        ...{ atUs: nearTime(thing.seenUs, this.#options.clock), line: name, direction: act.direction },
      });
    this.#options.seen.report({ ...OWN, channelId: thing.channelId, kind, name, active: undefined });
    this.#claim(camera, kind, thing);
    if (isMarked(camera, kind)) this.#raise(kind, true, thing, act);
  }

  onEnded(thing: SightThing): void {
    const { channelId, kind, number } = thing;
    const id = this.#findings.get(number);
    this.#findings.delete(number);
    if (id !== undefined) this.#options.findings.end(id, nearTime(thing.seenUs, this.#options.clock));
    this.#noteZones(thing, []);
    const present = this.#present.get(keyOf(thing));
    present?.delete(number);
    if (present?.size === 0) {
      this.#present.delete(keyOf(thing));
      this.#options.seen.report({ ...OWN, channelId, kind, active: false });
      this.#options.seenMotion.report({
        ...{ channelId, source: "sight", active: false, timeUs: thing.seenUs, zone: reasonOf(kind) },
      });
    }
    const camera = this.#camera(channelId);
    if (camera !== undefined && isMarked(camera, kind)) this.#raise(kind, false, thing);
  }

  /** The recorder looks for these kinds at a channel, and for these things in its zones. */
  know(channelId: Guid, kinds: Iterable<SeenKind>, zones: KnownZones): void {
    for (const kind of kinds) this.#options.seen.know(channelId, kind);
    this.#options.zones.know(channelId, zones.names, zones.kinds);
  }

  #noteZones({ number, channelId, kind }: SightThing, now: readonly string[]): void {
    const before = this.#zonesOf.get(number) ?? [];
    if (now.length === 0) this.#zonesOf.delete(number);
    else this.#zonesOf.set(number, now);
    const count = (zone: string, step: 1 | -1): void => {
      const key = `${channelId} ${kind} ${zone}`;
      const things = (this.#inZone.get(key) ?? 0) + step;
      if (things === 0) this.#inZone.delete(key);
      else this.#inZone.set(key, things);
      this.#options.zones.report(channelId, { zone, kind, active: things > 0 });
    };
    for (const zone of now) if (!before.includes(zone)) count(zone, 1);
    for (const zone of before) if (!now.includes(zone)) count(zone, -1);
  }

  #claim(camera: Camera, kind: EventKind, { channelId, seenUs }: SightThing): void {
    if (!isRecordedOn(camera, kind)) return;
    const timeUs = nearTime(seenUs, this.#options.clock);
    const claim = { channelId, source: "sight", active: true, timeUs, zone: reasonOf(kind) } as const;
    this.#options.seenMotion.report(claim, CLAIM_MS);
  }

  #growthOf(thing: SightThing) {
    const { box, found, score, quality, zones, seenUs } = thing;
    return {
      ...{ atUs: nearTime(seenUs, this.#options.clock), box, shownBox: found, score, quality, zones },
      label: labelOf(thing),
    };
  }

  #raise(kind: EventKind, isBegin: boolean, thing: SightThing, act?: Act): void {
    const { events, site, clock } = this.#options;
    const [began, ended] = seenTypes(kind);
    const percent = percentText(thing.score);
    const parts = [
      act === undefined ? "" : actText(act),
      thing.label,
      `${percent.replace(",", ".")} %`,
    ].filter((part) => part !== "");
    events.raise({
      typeId: isBegin ? began : ended,
      ...channelOf(site.current, thing.channelId),
      timeUs: nearTime(thing.seenUs, clock),
      comment: parts.join(", "),
      fields: {
        ...(kind === "vehicle" ? { VehicleClass: thing.label } : {}),
        ...{ ...boxMembers(thing.box), Label: thing.label, Confidence: percent },
        ...(act === undefined ? {} : actMembers(act)),
      },
    });
  }

  #camera(channelId: Guid): Camera | undefined {
    return this.#options.site.current.cameras.find(({ id }) => id === channelId);
  }
}

/** Empty where the kind says it all. */
function labelOf({ kind, label }: SightThing): string {
  return label === kind ? "" : label;
}

function keyOf({ channelId, kind }: SightThing): string {
  return `${channelId} ${kind}`;
}

/** The reason of a recording. */
function reasonOf(kind: EventKind): string {
  return EVENT_TYPES[seenTypeNames(kind)[0]].name;
}

/** Which line or zone, and how, for programs. */
function actMembers(act: Act): Readonly<Record<string, string>> {
  if (act.kind === "lineCrossed") return { Line: act.name, Direction: act.direction };
  return act.name === "" ? {} : { Zone: act.name };
}

function actText(act: Act): string {
  if (act.kind !== "lineCrossed") return act.name;
  return `${act.name} (${act.direction === "leftToRight" ? "from left to right" : "from right to left"})`;
}
