import { signal } from "@preact/signals";

/** The cameras of the wall that shows where something happens, in the order of its tiles. */
export const happening = signal<readonly (string | undefined)[]>([]);
