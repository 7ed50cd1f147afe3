import type { FragmentSyntax } from "../rtp/fragment-run.js";
import type { ParameterSetKind } from "./parameter-sets.js";

/** What is to be known of a codec's NAL units. Positions are those of a unit's header. */
export interface NalSyntax {
  readonly headerBytes: 1 | 2;
  readonly fragments: FragmentSyntax;
  type(buffer: Buffer, at: number): number;
  isPicture(type: number): boolean;
  /** Whether the slice begins a picture. */
  isFirstSlice(type: number, buffer: Buffer, at: number, end: number): boolean;
  /** Whether a non-slice unit of this type can only precede a picture. */
  precedesPicture(type: number): boolean;
  /** Whether it can only follow the picture that it is of. */
  followsPicture(type: number): boolean;
  parameterSetKind(type: number): ParameterSetKind | undefined;
}
