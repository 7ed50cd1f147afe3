import type { SegmentIndex } from "./segment-index.js";

const NO_DAY = { segments: 0, bytes: 0, durationUs: 0 } as const;

/** The index of an archive that has nothing of its own: what it plays lies elsewhere. */
export class NoSegments implements SegmentIndex {
  trackOpen(): void {
    throw new Error("nothing is recorded here");
  }
  forgetOpen(): void {
    // Nothing is open.
  }
  add(): void {
    throw new Error("nothing is recorded here");
  }
  closed(): undefined {
    return undefined;
  }
  move(): boolean {
    return false;
  }
  isDurable(): boolean {
    return false;
  }
  hold(): () => void {
    return () => undefined;
  }
  async flush(): Promise<void> {
    // Nothing waits.
  }
  onCommitted(): void {
    // Nothing is committed.
  }
  keptDay(): undefined {
    return undefined;
  }
  keepDay(): void {
    // Days change where they lie.
  }
  dayTotal(): ReturnType<SegmentIndex["dayTotal"]> {
    return NO_DAY;
  }
  onChange(): void {
    // Nothing changes.
  }
  seek(): undefined {
    return undefined;
  }
  following(): undefined {
    return undefined;
  }
  last(): undefined {
    return undefined;
  }
  stretches(): [] {
    return [];
  }
  fragments(): [] {
    return [];
  }
  newest(): undefined {
    return undefined;
  }
  nearestKeyFrameUs(): undefined {
    return undefined;
  }
  streams(): [] {
    return [];
  }
  status(): ReturnType<SegmentIndex["status"]> {
    return { ready: true, failure: undefined };
  }
  isWhole(): boolean {
    return true;
  }
  oldest(): [] {
    return [];
  }
  async remove(): Promise<void> {
    // Nothing is there.
  }
  pendingUnlinks(): [] {
    return [];
  }
  unlinked(): void {
    // Nothing was asked to go.
  }
}
