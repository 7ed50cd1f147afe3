/**
 * All that a track's place in its stream of packets can be: three unions, each one value at a time.
 *
 *                      begin                    picture data             marker
 *     idle ───────────────────▶ leading ───────────────▶ picture ──────────────────▶ picture-marked
 *      ▲                           │ marker                  │ ▲                          │
 *      │                           ▼           picture data  │ └── begin: it goes on ─────┤
 *      │                     leading-marked ─────────────────┼──▶ (picture-marked)        │
 *      ├──── another timestamp, another picture: the unit ended ◀────────────────────────┘
 *      │
 *     marked-end   the marker is right: the unit ended with its packet, before the next one came
 *     silent-end   no packet came for a while
 *
 * From both ends `begin` goes on as from idle, unless the packet continues the unit: then the end was wrong (`MarkerState`).
 */
export type UnitState =
  /** Nothing of the next unit has come. */
  | "idle"
  /** The unit before was ended by its marker. */
  | "marked-end"
  /** The unit before was ended because nothing came. */
  | "silent-end"
  /** Packets have come, none with picture data: parameter sets, SEI. */
  | "leading"
  /** The newest of these has the marker. */
  | "leading-marked"
  /** Picture data has come. */
  | "picture"
  /** The newest packet has the marker, and whether that ends the picture is for the next packet to show. */
  | "picture-marked";

/** What markers of the track have proved to be. */
export type MarkerState =
  | "unknown"
  /** They end units: one is ended with its marker. */
  | "right"
  /** They end units, but for those in the midst of a NAL unit. */
  | "right-between-units"
  /** A picture went on behind one: units end by timestamp. */
  | "wrong";

/** What of a fragmented NAL unit is in progress. */
export type FragmentState =
  | "none"
  /** A slice: its bytes go into the frame as they come. */
  | "slice"
  /** Any other: its bytes are gathered beside the frame, as it must be read whole. */
  | "side";

/** What the packet before was: decides about a fragment's bits, where they contradict it. */
export type PacketBefore =
  /** None came. */
  | "nothing"
  /** It ended with a whole unit. */
  | "whole"
  /** A fragment with the start bit; another. */
  | "first-fragment"
  | "fragment"
  /** A fragment of a slice with the end bit. */
  | "last-fragment";

/** What the track sets start bits at, as far as is known; "nothing at all" once a unit has begun without one. */
export type StartBits = "nothing" | "nothing-at-all" | "first-fragments" | "all-fragments";

/** The bits of a fragmentation header (RFC 6184, 5.8; RFC 7798, 4.4.3). */
export const START_BIT = 0x80;
export const END_BIT = 0x40;

/** Packets of the unit have come. */
export function isBegun(state: UnitState): boolean {
  return state !== "idle" && state !== "marked-end" && state !== "silent-end";
}

/** Picture data of the unit has come. */
export function hasPicture(state: UnitState): boolean {
  return state === "picture" || state === "picture-marked";
}

/** The newest packet of the unit has the marker. */
export function isMarked(state: UnitState): boolean {
  return state === "picture-marked" || state === "leading-marked";
}

/** The state without a marker on its newest packet: another one has come. */
export function unmarked(state: UnitState): UnitState {
  return hasPicture(state) ? "picture" : "leading";
}

/** A unit ends with its marker. */
export function endsUnits(marker: MarkerState): boolean {
  return marker === "right" || marker === "right-between-units";
}

/** What markers are when a unit ended behind one. */
export function whereItEnded(marker: MarkerState): MarkerState {
  return marker === "unknown" ? "right" : marker;
}

/** What markers are when a unit went on behind one that did not end it. */
export function whereItWentOn(marker: MarkerState): MarkerState {
  return endsUnits(marker) ? "right-between-units" : "wrong";
}
