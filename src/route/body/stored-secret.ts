import { MASK } from "../../base/index.js";
import { goesElsewhere, type SecretPlaces } from "../../site/index.js";

export interface StoredSecret {
  /** What the body says; null, absent and empty say nothing. */
  readonly given: string | null | undefined;
  readonly isCleared: boolean;
  readonly stored: string | undefined;
  /** Where the stored one goes, and where it would go. */
  readonly from: SecretPlaces;
  readonly to: SecretPlaces;
  /** Reports the fault. */
  readonly refuse: () => void;
}

/**
 * The secret after a request: the one that is given, none, or the stored one. That goes only where it was entered for: who may
 * change an address does not learn by it what is stored.
 */
export function secretAfter({ given, isCleared, stored = "", from, to, refuse }: StoredSecret): string {
  if (given) return given;
  if (isCleared) return "";
  if (stored !== "" && goesElsewhere(from, to)) refuse();
  return stored;
}

/** What is said of a secret that would go elsewhere, by what it is for. */
export const ENTER_AGAIN = {
  camera: "is that of another camera: enter it again",
  directory: "is that of another directory: enter it again",
  proxy: "is that of another proxy: enter it again",
  server: "is that of another server: enter it again",
} as const;

/** A masked address that is not the one there was: whether its secret goes with the new place, only its sender knows. */
export const MASKED_FAULT = `holds ${MASK} in place of a login or password: give the whole address`;
