import type { Span } from "../timeline/span.js";

/** A marked time of cameras. */
export interface SpanProps {
  readonly channels: readonly string[];
  readonly span: Span;
}
