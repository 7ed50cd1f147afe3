import type { EndpointResult, RequestContext } from "../endpoint/context.js";
import { type AnswerFormat, answerDocument, documentType, formatBody } from "./answer.js";
import { answerInChunks, type ChunkedNeeds } from "./chunked-answer.js";
import type { Description, Document, Scalar } from "./description.js";

/** Items described per batch: a batch takes a few milliseconds, and other work runs before the next one. */
export const LIST_BATCH_ITEMS = 250;

/** Placeholder for the items in the text around them. No real item has this text. */
const PLACE = "\ue000items\ue000";

/** A document that is one list. */
export interface ListDocument<T> {
  readonly items: readonly T[];
  /** Each item's name in XML. */
  readonly itemName: string;
  readonly describe: (item: T) => Description;
  /** Creates the document with these items; nothing else in it depends on them. */
  readonly make: (items: readonly (Description | Scalar)[]) => Document;
}

/** Answers with the list; a long one is generated while it is sent (see `answerInChunks`). */
export function answerList<T>(
  context: RequestContext<ChunkedNeeds>,
  list: ListDocument<T>,
  format: AnswerFormat,
): EndpointResult | Promise<EndpointResult> {
  const { items, describe, make } = list;
  if (items.length <= LIST_BATCH_ITEMS) return answerDocument(make(items.map(describe)), format);
  return answerInChunks(context, documentType(format), listDocumentTexts(list, format));
}

/** The text of a document with at least one item, in pieces that together equal the complete text. */
export async function* listDocumentTexts<T>(
  list: ListDocument<T>,
  format: AnswerFormat,
): AsyncGenerator<string> {
  const { items, itemName, describe, make } = list;
  const place = format === "json" ? JSON.stringify(PLACE) : `<${itemName}>${PLACE}</${itemName}>`;
  const [head = "", tail = ""] = formatBody(make([PLACE]), format).split(place);
  const separator = format === "json" ? "," : `\r\n${/[^\n]*$/.exec(head)?.[0] ?? ""}`;
  let before = head;
  for (let at = 0; at < items.length; at += LIST_BATCH_ITEMS) {
    const text = formatBody(make(items.slice(at, at + LIST_BATCH_ITEMS).map(describe)), format);
    yield before + text.slice(head.length, text.length - tail.length);
    before = separator;
    await new Promise(setImmediate);
  }
  yield tail;
}
