import { type Clock, type ClockTimer, type Guid, US_PER_MS } from "../../base/index.js";
import { HeldChannel } from "./held-channel.js";
import { MOTION_ZONES_MAX, type MotionBox, type MotionChange, type MotionSource } from "./motion-change.js";

/** Called with each report of a source, and when what it saw in a zone is over. Must not throw. */
export type MotionReportListener = (change: MotionChange) => void;

/** What a moved camera shows moves, whoever looks at it: these are not heard meanwhile. */
const SEEING: readonly MotionSource[] = ["recorder", "camera"];

/** Called when a channel's motion begins (any source) and when it ends (the last source). Must not throw. */
export type MotionListener = (change: MotionChange) => void;

/**
 * A claim that is neither renewed nor ended for this long is dropped: the camera that made it was rebooted, or the message
 * that ended it was lost. A source that sees motion for longer reports it again.
 */
const MOTION_CLAIM_MS_MAX = 600_000;
/** What a source sees in a zone now. */
interface MotionSeen {
  readonly source: MotionSource;
  readonly zone: string;
  /** When it was reported last. */
  readonly timeUs: number;
  readonly box: MotionBox | undefined;
  /** All pieces that move there. */
  readonly pieces: readonly MotionBox[];
}

interface Claim extends MotionSeen {
  readonly expiry: ClockTimer;
  /** When it expires, by the monotonic clock. */
  readonly untilUs: number;
  /** Its source reports when it is over. */
  readonly isLasting: boolean;
}

/**
 * Which channels have motion now. Each zone of each source makes a separate claim; motion begins with a channel's first
 * claim and ends with its last.
 */
export class MotionStates {
  readonly #clock: Clock;
  readonly #claims = new Map<Guid, Map<string, Claim>>();
  readonly #listeners = new Set<MotionListener>();
  readonly #reportListeners = new Set<MotionReportListener>();
  readonly #zoneListeners = new Set<MotionListener>();
  /** Channels whose camera has reported motion itself, since it is followed. */
  readonly #reporting = new Set<Guid>();
  readonly #held = new Map<Guid, HeldChannel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Applies a source's report. `active` makes or renews the claim of its zone for `claimMs`, at most MOTION_CLAIM_MS_MAX; undefined:
   * it lasts until the source ends it. Not active ends it, or with an empty zone all claims of the source on that channel.
   */
  report(change: MotionChange, claimMs?: number): void {
    const { channelId, source, active, zone, box } = change;
    const held = SEEING.includes(source) ? this.#held.get(channelId) : undefined;
    if (active && source === "camera") this.#reporting.add(channelId);
    if (!active) {
      if (source === "camera") held?.drop(zone);
      this.#withdraw(change);
    } else if (held === undefined)
      this.#claim(
        change,
        Math.min(claimMs ?? MOTION_CLAIM_MS_MAX, MOTION_CLAIM_MS_MAX),
        claimMs === undefined,
      );
    else if (source === "camera" && claimMs === undefined)
      held.keep(zone, { box, untilUs: this.#clock.monotonicUs() + MOTION_CLAIM_MS_MAX * US_PER_MS });
  }

  /** Whether the channel's camera has reported motion itself, since it is followed. */
  reportsMotion(channelId: Guid): boolean {
    return this.#reporting.has(channelId);
  }

  /**
   * The camera is moved: for so long nothing moves that it or the recorder sees in its pictures. What the camera says lasts, and did
   * not say has ended, counts again afterwards: most cameras do not say it twice.
   */
  hold(channelId: Guid, forMs: number): void {
    const held = this.#held.get(channelId) ?? new HeldChannel();
    this.#held.set(channelId, held);
    const untilUs = this.#clock.monotonicUs() + forMs * US_PER_MS;
    if (untilUs > held.untilUs)
      held.last(
        untilUs,
        this.#clock.setTimeout(() => this.#release(channelId), forMs),
      );
    for (const claim of this.#claims.get(channelId)?.values() ?? [])
      if (claim.source === "camera" && claim.isLasting) held.keep(claim.zone, claim);
    for (const source of SEEING) this.#withdrawAll(source, channelId);
  }

  isHeld(channelId: Guid): boolean {
    return this.#held.has(channelId);
  }

  isActive(channelId: Guid): boolean {
    return this.#claims.has(channelId);
  }

  /** What moves on a channel now, as each source sees it in each zone. */
  seen(channelId: Guid): readonly MotionSeen[] {
    return [...(this.#claims.get(channelId)?.values() ?? [])];
  }

  /** Ends a source's claims for a channel that it no longer watches. */
  forget(source: MotionSource, channelId: Guid): void {
    if (source === "camera") {
      this.#reporting.delete(channelId);
      this.#held.get(channelId)?.drop("");
    }
    this.#withdrawAll(source, channelId);
  }

  /** Called when motion begins and ends in a zone of a source while it goes on in another one of the channel. */
  onZone(listener: MotionListener): { close(): void } {
    this.#zoneListeners.add(listener);
    return { close: () => this.#zoneListeners.delete(listener) };
  }

  #release(channelId: Guid): void {
    const nowUs = this.#clock.monotonicUs();
    const lasting = this.#held.get(channelId)?.close(nowUs) ?? [];
    this.#held.delete(channelId);
    const common = { channelId, source: "camera", active: true, timeUs: this.#clock.nowUs() } as const;
    for (const { zone, box, untilUs } of lasting)
      this.#claim(
        { ...common, zone, ...(box === undefined ? {} : { box }) },
        (untilUs - nowUs) / US_PER_MS,
        true,
      );
  }

  #withdrawAll(source: MotionSource, channelId: Guid): void {
    this.#withdraw({ channelId, source, active: false, timeUs: this.#clock.nowUs(), zone: "" });
  }

  onMotion(listener: MotionListener): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  onReport(listener: MotionReportListener): { close(): void } {
    this.#reportListeners.add(listener);
    return { close: () => this.#reportListeners.delete(listener) };
  }

  /** Drops all claims without notifying anybody. */
  stop(): void {
    for (const claims of this.#claims.values()) for (const claim of claims.values()) claim.expiry.clear();
    this.#claims.clear();
    this.#listeners.clear();
    this.#reportListeners.clear();
    this.#zoneListeners.clear();
    this.#reporting.clear();
    for (const held of this.#held.values()) held.close(0);
    this.#held.clear();
  }

  #claim(change: MotionChange, claimMs: number, isLasting: boolean): void {
    const { channelId, source } = change;
    const claims = this.#claims.get(channelId) ?? new Map<string, Claim>();
    const zone = this.#zoneOf(change, claims);
    const key = claimKey(source, zone);
    const known = claims.get(key);
    known?.expiry.clear();
    const nowUs = this.#clock.monotonicUs();
    // A moment does not cut short what lasts.
    const untilUs = Math.max(nowUs + claimMs * US_PER_MS, known?.untilUs ?? 0);
    const expire = (): void =>
      this.#end([key], { channelId, source, active: false, timeUs: this.#clock.nowUs(), zone });
    const { timeUs, box, pieces = box === undefined ? [] : [box] } = change;
    const expiry = this.#clock.setTimeout(expire, (untilUs - nowUs) / US_PER_MS);
    claims.set(key, {
      ...{ source, zone, timeUs, box, pieces, expiry, untilUs },
      isLasting: isLasting || known?.isLasting === true,
    });
    const begins = !this.#claims.has(channelId);
    this.#claims.set(channelId, claims);
    this.#notifyReport({ ...change, zone });
    if (begins) this.#notify(change);
    else if (known === undefined) this.#notifyZone({ ...change, zone });
  }

  #withdraw(change: MotionChange): void {
    const claims = this.#claims.get(change.channelId);
    if (claims === undefined) return;
    const zone = this.#zoneOf(change, claims);
    const ended = [...claims].filter(
      ([, claim]) => claim.source === change.source && (zone === "" || claim.zone === zone),
    );
    this.#end(
      ended.map(([key]) => key),
      change,
    );
  }

  #end(keys: readonly string[], change: MotionChange): void {
    const claims = this.#claims.get(change.channelId);
    if (claims === undefined || keys.length === 0) return;
    const ended = keys.flatMap((key) => claims.get(key) ?? []);
    for (const key of keys) {
      claims.get(key)?.expiry.clear();
      claims.delete(key);
    }
    for (const { source, zone } of ended) {
      this.#notifyReport({ ...change, source, zone });
      if (claims.size > 0) this.#notifyZone({ ...change, source, zone });
    }
    if (claims.size > 0) return;
    this.#claims.delete(change.channelId);
    this.#notify(change);
  }

  /** The zone under which a claim is kept. */
  #zoneOf({ source, zone, active }: MotionChange, claims: ReadonlyMap<string, Claim>): string {
    if (!active || claims.has(claimKey(source, zone))) return zone;
    let zones = 0;
    for (const claim of claims.values()) if (claim.source === source) zones += 1;
    return zones >= MOTION_ZONES_MAX ? "" : zone;
  }

  #notifyReport(change: MotionChange): void {
    for (const listener of this.#reportListeners) listener(change);
  }

  #notifyZone(change: MotionChange): void {
    for (const listener of this.#zoneListeners) listener(change);
  }

  #notify(change: MotionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function claimKey(source: MotionSource, zone: string): string {
  return `${source} ${zone}`;
}
