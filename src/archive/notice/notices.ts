import type { Guid, StreamKey } from "../../base/index.js";

/**
 * Notices for users; each becomes an event. Sent once when a state begins and once when it ends, never for each frame or attempt.
 */
export type ArchiveNotice =
  | { readonly kind: "volume-lost"; readonly directory: string; readonly reason: string }
  | { readonly kind: "volume-taken"; readonly directory: string; readonly volumeId: Guid }
  /** Only key frames of the stream are kept: its volume cannot keep up (`ErrorFramesShrinked`). */
  | { readonly kind: "thinning-started"; readonly key: StreamKey }
  | { readonly kind: "thinning-ended"; readonly key: StreamKey; readonly framesThinned: number }
  /** Whole GOPs are dropped (`ErrorFrameSaving`). */
  | { readonly kind: "dropping-started"; readonly key: StreamKey; readonly reason: string }
  | { readonly kind: "dropping-ended"; readonly key: StreamKey; readonly framesDropped: number }
  /** Recordings younger than the channel's ArchivingMinDeepnessInDays had to be deleted. */
  | { readonly kind: "min-days-unmet"; readonly channelId: Guid; readonly keptDays: number }
  | { readonly kind: "min-days-met"; readonly channelId: Guid }
  /** Nothing removable is left, and the volume exceeds its bounds. */
  | {
      readonly kind: "volume-full";
      readonly directory: string;
      readonly missingBytes: number;
      /** Above 0: the file system has too few inodes left for further segments. */
      readonly missingFiles: number;
    }
  /** What is to stay free leaves nothing for recordings: each is deleted as soon as it is written. */
  | {
      readonly kind: "volume-too-small";
      readonly directory: string;
      readonly reserveBytes: number;
      /** There for recordings and for what stays free. */
      readonly roomBytes: number;
    }
  | { readonly kind: "volume-full-ended"; readonly directory: string }
  /** The list of protected times is damaged: nothing is removed where it is not known what is protected. */
  | { readonly kind: "protection-unknown"; readonly reason: string }
  | { readonly kind: "protection-known" }
  /** The index was damaged or lost and is read from the segments again. */
  | { readonly kind: "index-lost"; readonly reason: string }
  | { readonly kind: "index-rebuilt"; readonly segments: number }
  /** The index cannot be written (`ErrorDb`). */
  | { readonly kind: "index-failing"; readonly reason: string }
  | { readonly kind: "index-works" }
  /** The wall clock became known, or stepped; recordings were redated. */
  | { readonly kind: "clock-set"; readonly shiftUs: number; readonly segmentsRedated: number }
  | { readonly kind: "clock-stepped"; readonly shiftUs: number };

export type ArchiveNoticeListener = (notice: ArchiveNotice) => void;
