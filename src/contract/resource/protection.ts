import { line, lines } from "../kinds/kinds.js";

/** The body that protects recordings; its times are read as those of queries are. */
export const protection = {
  Comment: lines(1000),
} as const;

/** The body that names a moment; its time is read as those of queries are. */
export const bookmark = {
  Name: line(200),
} as const;
