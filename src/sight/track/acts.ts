import { US_PER_SECOND } from "../../base/index.js";
import { type Box, centreOf, footOf, type Point } from "../thing/box.js";
import type { DetectedLabel } from "../thing/labels.js";

/** A part of the picture with a name. */
export interface WatchedZone {
  readonly name: string;
  has(point: Point): boolean;
}

/** A line with a name, from its first point to its second. */
export interface WatchedLine {
  readonly name: string;
  readonly from: Point;
  readonly to: Point;
  /** Undefined: both. */
  readonly direction: CrossingDirection | undefined;
  /** Whose crossings count; undefined: all. */
  readonly labels: ReadonlySet<DetectedLabel> | undefined;
}

/** As seen from the line's first point to its second. */
export type CrossingDirection = "leftToRight" | "rightToLeft";

/** What a thing did. */
export type Act =
  | { readonly kind: "zoneEntered" | "zoneLeft" | "loitering"; readonly name: string }
  | { readonly kind: "lineCrossed"; readonly name: string; readonly direction: CrossingDirection };

export interface ActRules {
  readonly zones: readonly WatchedZone[];
  readonly lines: readonly WatchedLine[];
  /** 0: never. */
  readonly loiteringSeconds: number;
}

/** A thing at the border of a zone is in it for so long before it counts: it sways. */
const SETTLED_US = 0.5 * US_PER_SECOND;
/** A thing does not cross a line again within this time: it sways on it. */
const AGAIN_US = 2 * US_PER_SECOND;
/** So far beyond a border, in its smaller side, a thing is surely beyond it: the box of what stands still is never quite the same. */
const SURE_SIZES = 0.3;
/** Whoever is out of a zone for no longer has not ceased to loiter in it. */
const AWAY_US_MAX = 10 * US_PER_SECOND;

interface Stay {
  isInside: boolean;
  /** Since when it has been on the other side; undefined: it is where it was. */
  otherUs: number | undefined;
  /** Since when it stays there, be it with short absences. */
  enteredUs: number;
  leftUs: number;
  hasLoitered: boolean;
}

/** What a look showed of it. */
interface Look {
  readonly box: Box;
  readonly timeUs: number;
  readonly label: DetectedLabel;
}

/** Follows what one thing does with the zones and lines of its camera, by the point where it stands. */
export class ThingActs {
  #rules: ActRules;
  readonly #stays = new Map<string, Stay>();
  readonly #crossedUs = new Map<string, number>();
  /** Where it was last surely not on the line, by lines. */
  readonly #beside = new Map<WatchedLine, Point>();
  #foot: Point | undefined;
  #firstUs: number | undefined;
  #hasLoitered = false;

  constructor(rules: ActRules) {
    this.#rules = rules;
  }

  /** The zones that it is in now. */
  get zones(): readonly string[] {
    return [...this.#stays].filter(([, { isInside }]) => isInside).map(([name]) => name);
  }

  /** Other rules from now on: it stays in the zones that there still are, and has not crossed lines before they were drawn. */
  change(rules: ActRules): void {
    this.#rules = rules;
    for (const name of this.#stays.keys())
      if (rules.zones.every((zone) => zone.name !== name)) this.#stays.delete(name);
    this.#beside.clear();
    for (const line of rules.lines) if (this.#foot !== undefined) this.#beside.set(line, this.#foot);
  }

  /** `label`: what it is taken for by now. */
  see(box: Box, timeUs: number, label: DetectedLabel): readonly Act[] {
    this.#foot = footOf(box);
    const crossed = this.#rules.lines.flatMap((line) => this.#cross(line, { box, timeUs, label }));
    const visits = this.#rules.zones.flatMap((zone) => this.#visit(zone, box, timeUs));
    return [...crossed, ...visits, ...this.#loitersAnywhere(timeUs)];
  }

  /** Without zones, a thing loiters in the picture. */
  #loitersAnywhere(timeUs: number): readonly Act[] {
    const { zones, loiteringSeconds } = this.#rules;
    this.#firstUs ??= timeUs;
    const isOver = timeUs - this.#firstUs >= loiteringSeconds * US_PER_SECOND;
    if (zones.length > 0 || loiteringSeconds === 0 || this.#hasLoitered || !isOver) return [];
    this.#hasLoitered = true;
    return [{ kind: "loitering", name: "" }];
  }

  /** It has gone: whatever it was in, it has left. */
  end(): readonly Act[] {
    return this.zones.map((name) => ({ kind: "zoneLeft", name }) as const);
  }

  /** A crossing counts once it is surely beyond the line, wherever looks showed it on the way. */
  #cross(line: WatchedLine, { box, timeUs, label }: Look): readonly Act[] {
    const foot = footOf(box);
    const before = this.#beside.get(line);
    if (before !== undefined && distance(line, foot) < swayOf(box)) return [];
    this.#beside.set(line, foot);
    const direction = before === undefined ? undefined : crossing(line, before, foot);
    if (direction === undefined || line.labels?.has(label) === false) return [];
    if (line.direction !== undefined && line.direction !== direction) return [];
    const lastUs = this.#crossedUs.get(line.name) ?? Number.NEGATIVE_INFINITY;
    this.#crossedUs.set(line.name, timeUs);
    return timeUs - lastUs < AGAIN_US ? [] : [{ kind: "lineCrossed", name: line.name, direction }];
  }

  #visit(zone: WatchedZone, box: Box, timeUs: number): readonly Act[] {
    const { name } = zone;
    const known = this.#stays.get(name);
    const isInside = isIn(zone, box, known?.isInside === true ? swayOf(box) : 0);
    if (known === undefined) {
      const stay = { isInside, otherUs: undefined, enteredUs: timeUs, hasLoitered: false };
      this.#stays.set(name, { ...stay, leftUs: Number.NEGATIVE_INFINITY });
      return isInside ? [{ kind: "zoneEntered", name }] : [];
    }
    if (known.isInside === isInside) {
      known.otherUs = undefined;
      return this.#loiters(name, known, timeUs);
    }
    known.otherUs ??= timeUs;
    if (timeUs - known.otherUs < SETTLED_US) return [];
    if (!isInside) known.leftUs = known.otherUs;
    else if (known.otherUs - known.leftUs > AWAY_US_MAX)
      Object.assign(known, { enteredUs: timeUs, hasLoitered: false });
    Object.assign(known, { isInside, otherUs: undefined });
    return [{ kind: isInside ? "zoneEntered" : "zoneLeft", name }];
  }

  #loiters(name: string, stay: Stay, timeUs: number): readonly Act[] {
    const { loiteringSeconds } = this.#rules;
    const isOver = timeUs - stay.enteredUs >= loiteringSeconds * US_PER_SECOND;
    if (loiteringSeconds === 0 || !stay.isInside || stay.hasLoitered || !isOver) return [];
    stay.hasLoitered = true;
    return [{ kind: "loitering", name }];
  }
}

/** How far the box of a thing that stands sways. */
function swayOf({ width, height }: Box): number {
  return SURE_SIZES * Math.min(width, height);
}

/** Feet behind a car or below the picture are guessed: the middle counts too. `sway`: what is so near to the zone is in it as well. */
function isIn(zone: WatchedZone, box: Box, sway: number): boolean {
  const steps = [[0, 0], ...(sway > 0 ? SWAYS : [])] as const;
  return [footOf(box), centreOf(box)].some(({ x, y }) =>
    steps.some(([right, down]) => zone.has({ x: x + right * sway, y: y + down * sway })),
  );
}

const SWAYS = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;

/** From a point to the nearest one of a line. */
function distance({ from, to }: WatchedLine, { x, y }: Point): number {
  const [across, down] = [to.x - from.x, to.y - from.y];
  const square = across ** 2 + down ** 2;
  const share = square === 0 ? 0 : ((x - from.x) * across + (y - from.y) * down) / square;
  const along = Math.min(1, Math.max(0, share));
  return Math.hypot(x - from.x - along * across, y - from.y - along * down);
}

/** How a step crosses a line; undefined: it does not. */
function crossing({ from, to }: WatchedLine, before: Point, after: Point): CrossingDirection | undefined {
  const [sideBefore, sideAfter] = [side(from, to, before), side(from, to, after)];
  if (sideBefore === 0 || sideAfter === 0 || Math.sign(sideBefore) === Math.sign(sideAfter)) return undefined;
  // The line's ends must lie on different sides of the step, too.
  if (Math.sign(side(before, after, from)) === Math.sign(side(before, after, to))) return undefined;
  return sideBefore < 0 ? "leftToRight" : "rightToLeft";
}

/** Below 0: to the left of the way from one point to another, as somebody who goes it sees it; y grows downwards. */
function side(from: Point, to: Point, point: Point): number {
  return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);
}
