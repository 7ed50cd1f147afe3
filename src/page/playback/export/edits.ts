import { lengthOf } from "../timeline/span.js";
import type { SpanProps } from "./span-props.js";

/** What is done to the pictures of a file that plays everywhere. */
export interface FileEdits {
  /** The camera's name and the time are written into them. */
  readonly showTime: boolean;
  /** Those of all cameras are beside one another in one file. */
  readonly isTogether: boolean;
  /** How many times as fast as the recording. */
  readonly speed: number;
}

export const NO_EDITS: FileEdits = { showTime: false, isTogether: false, speed: 1 };

/** What the user chose of files. */
export interface FileChoice {
  readonly sound: boolean;
  readonly isEverywhere: boolean;
  /** G.711 becomes AAC. */
  readonly soundForPhones: boolean;
  readonly edits: FileEdits;
}

/** The form of edits, which is fetched when it is shown first. */
export interface FileEditsProps extends SpanProps {
  readonly edits: FileEdits;
  readonly onChange: (part: Partial<FileEdits>) => void;
}

/** A film is at least so long, and a file at most. */
export const FILM_MS_MIN = 1000;
export const FILE_MS_MAX = 86_400_000;

/** Of what is chosen, what can be done to these cameras and this time. */
export function editsOf({ edits, channels, span }: SpanProps & { readonly edits: FileEdits }): FileEdits {
  const isLongEnough = lengthOf(span) / edits.speed >= FILM_MS_MIN;
  return {
    showTime: edits.showTime,
    isTogether: edits.isTogether && channels.length > 1,
    speed: isLongEnough ? edits.speed : 1,
  };
}
