/**
 * Longest that a test waits for what must come, in milliseconds: against hanging alone, so it is far beyond what an
 * idle machine needs. A test that is about a time measures that time and names it.
 */
export const PATIENCE_MS = 90_000;
