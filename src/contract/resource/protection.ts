import { lines } from "../kinds/kinds.js";

/** The body that protects recordings; its times are read as those of queries are. */
export const protection = {
  Comment: lines(1000),
} as const;
