import { signal } from "@preact/signals";
import { type Box, WHOLE } from "./box.js";

/** Where in the picture motion is searched. */
export const region = signal<Box>(WHOLE);
