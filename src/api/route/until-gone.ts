import type { ApiResponse } from "../../http/index.js";

/** Aborted when the client is gone, or has its answer. */
export function untilGone({ response }: { readonly response: ApiResponse }): AbortSignal {
  const gone = new AbortController();
  response.onClose(() => gone.abort());
  return gone.signal;
}
