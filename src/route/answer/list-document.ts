import type { EndpointResult, RequestContext } from "../endpoint/context.js";
import { answerDocument, documentType } from "./answer.js";
import { answerInChunks, type ChunkedNeeds } from "./chunked-answer.js";
import { type Description, type Document, describedLater } from "./description.js";
import { type AnswerFormat, documentTexts } from "./document-text.js";
import { inSlices } from "./slices.js";

/** A list up to this length is answered at once. */
const SHORT_ITEMS_MAX = 250;

/** A document that is one list. */
export interface ListDocument<T> {
  readonly items: readonly T[];
  readonly describe: (item: T) => Description;
  /** Creates the document with these items. */
  readonly make: (items: Iterable<Description>) => Document;
}

/** Answers with the list; a long one is generated while it is sent (see `answerInChunks`). */
export function answerList<T>(
  context: RequestContext<ChunkedNeeds>,
  { items, describe, make }: ListDocument<T>,
  format: AnswerFormat,
): EndpointResult | Promise<EndpointResult> {
  const document = make(describedLater(items, describe));
  if (items.length <= SHORT_ITEMS_MAX) return answerDocument(document, format);
  return answerInChunks(
    context,
    documentType(format),
    inSlices(documentTexts(document, format), context.needs.clock),
  );
}
