/** Kinds of what a camera tells, as the recorder keeps them; null: as by default. */
export interface SeenSettings {
  readonly Marked: readonly string[] | null;
  readonly Recorded: readonly string[] | null;
}
