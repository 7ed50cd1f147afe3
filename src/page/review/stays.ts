import type { Finding } from "../../contract/answer/index.js";

/** One stay: what its card shows, and what others saw of it at that camera meanwhile. */
export interface Stay {
  readonly shown: Finding;
  readonly others: readonly Finding[];
}

/** Whoever says only that something moves is a part of who says what. */
const MERE_MOTION: ReadonlySet<Finding["Kind"]> = new Set(["motion", "pir"]);
/** What several may see at once: who came in and what he did are apart. */
const THINGS: ReadonlySet<Finding["Kind"]> = new Set(["person", "vehicle", "animal"]);
/** Motion begins before somebody is recognized and ends after him; clocks of cameras are not exact. */
const AROUND_MS = 3000;
/** A finding that has more time of its own is one by itself. */
const SHARED_MIN = 0.5;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The findings as stays, in the order in which they came: who is seen by the camera and by the recorder, and moves, has one card. */
export function staysOf(findings: readonly Finding[], nowMs: number): readonly Stay[] {
  const hosts = new Map<string, Finding[]>();
  const others = new Map<Finding, Finding[]>();
  for (const finding of findings.toSorted(better)) {
    const near = hosts.get(finding.ChannelId) ?? [];
    const host = hostOf(finding, near, nowMs);
    if (host === undefined) hosts.set(finding.ChannelId, [...near, finding]);
    else others.set(host, [...(others.get(host) ?? []), finding]);
  }
  const folded = new Set([...others.values()].flat());
  return findings
    .filter((finding) => !folded.has(finding))
    .map((shown) => ({ shown, others: others.get(shown) ?? [] }));
}

/** The card that this finding belongs to; undefined: it has one of its own. */
function hostOf(finding: Finding, hosts: readonly Finding[], nowMs: number): Finding | undefined {
  const own = spanOf(finding, nowMs);
  const isMere = MERE_MOTION.has(finding.Kind);
  let [best, most]: [Finding | undefined, number] = [undefined, 0];
  const shared: Span[] = [];
  for (const host of hosts) {
    const isThing = THINGS.has(host.Kind);
    const isSame = host.Kind === finding.Kind && host.Source !== finding.Source;
    if (!(isMere ? isThing || isSame : isThing && isSame)) continue;
    const { from, to } = spanOf(host, nowMs);
    const span = { from: Math.max(own.from, from - AROUND_MS), to: Math.min(own.to, to + AROUND_MS) };
    if (span.to < span.from) continue;
    shared.push(span);
    if (best === undefined || span.to - span.from > most) [best, most] = [host, span.to - span.from];
  }
  return covered(shared) >= SHARED_MIN * (own.to - own.from) ? best : undefined;
}

/** Milliseconds that spans have together. */
function covered(spans: readonly Span[]): number {
  let [sum, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

function spanOf({ Begin, End }: Finding, nowMs: number): Span {
  const from = Date.parse(Begin);
  return { from, to: Math.max(from, End === null ? nowMs : Date.parse(End)) };
}

/** Those first that a card shows better: what it is before that something moves, and where before that it is there. */
function better(one: Finding, other: Finding): number {
  const rank = ({ Kind, Best }: Finding): number =>
    (MERE_MOTION.has(Kind) ? 2 : 0) + (Best?.Box === undefined || Best.Box === null ? 1 : 0);
  return rank(one) - rank(other) || (one.Begin < other.Begin ? -1 : one.Begin > other.Begin ? 1 : 0);
}
