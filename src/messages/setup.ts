/** Messages of the first run, `/api/setup` (docs/ref/api.md). */

/** The answer of `GET` and `POST /api/setup`. */
export interface SetupState {
  readonly Stage: "Password" | "Going" | "Finished";
  readonly ServerName: string;
  readonly Language: "en" | "ru";
  readonly TimeZone: string;
  /** False: it is the machine's. */
  readonly CanChooseTimeZone: boolean;
  readonly CamerasCount: number;
  readonly PasswordScoreMin: number;
}
