/** For the name of a test that `skipIf` leaves out: why, where it does. Empty for one that runs. */
export function notHere(missing: string | undefined): string {
  return missing === undefined ? "" : ` (not here: ${missing})`;
}
