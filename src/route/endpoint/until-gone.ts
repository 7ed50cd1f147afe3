import type { ApiResponse } from "../../http/index.js";

/** One for all: making one takes longer than all else that ends an answer. */
let gone: DOMException | undefined;

/** Aborted when the client is gone, or has its answer. */
export function untilGone({ response }: { readonly response: ApiResponse }): AbortSignal {
  const controller = new AbortController();
  response.onClose(() => {
    gone ??= new DOMException("the client is gone", "AbortError");
    controller.abort(gone);
  });
  return controller.signal;
}
