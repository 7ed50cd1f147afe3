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

interface Stay {
  isInside: boolean;
  /** Since when it has been on the other side; undefined: it is where it was. */
  otherUs: number | undefined;
  enteredUs: number;
  hasLoitered: boolean;
}

interface Step {
  readonly before: Point;
  readonly foot: Point;
  readonly timeUs: number;
  readonly label: DetectedLabel;
}

/** Follows what one thing does with the zones and lines of its camera, by the point where it stands. */
export class ThingActs {
  readonly #rules: ActRules;
  readonly #stays = new Map<string, Stay>();
  readonly #crossedUs = new Map<string, number>();
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

  /** `label`: what it is taken for by now. */
  see(box: Box, timeUs: number, label: DetectedLabel): readonly Act[] {
    const before = this.#foot;
    const foot = footOf(box);
    this.#foot = foot;
    const crossed = before === undefined ? [] : this.#crossings({ before, foot, timeUs, label });
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

  #crossings({ before, foot, timeUs, label }: Step): readonly Act[] {
    return this.#rules.lines.flatMap((line): readonly Act[] => {
      if (line.labels?.has(label) === false) return [];
      const direction = crossing(line, before, foot);
      if (direction === undefined || (line.direction !== undefined && line.direction !== direction))
        return [];
      const lastUs = this.#crossedUs.get(line.name) ?? Number.NEGATIVE_INFINITY;
      this.#crossedUs.set(line.name, timeUs);
      return timeUs - lastUs < AGAIN_US ? [] : [{ kind: "lineCrossed", name: line.name, direction }];
    });
  }

  #visit({ name, has }: WatchedZone, box: Box, timeUs: number): readonly Act[] {
    // Feet behind a car or below the picture are guessed: the middle counts too.
    const isInside = has(footOf(box)) || has(centreOf(box));
    const known = this.#stays.get(name);
    if (known === undefined) {
      this.#stays.set(name, { isInside, otherUs: undefined, enteredUs: timeUs, hasLoitered: false });
      return isInside ? [{ kind: "zoneEntered", name }] : [];
    }
    if (known.isInside === isInside) {
      known.otherUs = undefined;
      return this.#loiters(name, known, timeUs);
    }
    known.otherUs ??= timeUs;
    if (timeUs - known.otherUs < SETTLED_US) return [];
    Object.assign(known, { isInside, otherUs: undefined, enteredUs: timeUs, hasLoitered: false });
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
