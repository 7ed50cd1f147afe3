import type { RequestContext } from "../route/index.js";

/** Aborted when the client is gone. */
export function untilGone({ response }: Pick<RequestContext<unknown>, "response">): AbortSignal {
  const gone = new AbortController();
  response.onClose(() => gone.abort());
  return gone.signal;
}
