import { formatApiTime } from "../../base/index.js";
import { formatQuery } from "../../contract/query/index.js";
import type { Answer, Query } from "../../http/index.js";
import { readParameter } from "../endpoint/query-parameters.js";
import { type Document, toJsonText, toXml } from "./description.js";

export type AnswerFormat = "xml" | "json";

const BOM = "\ufeff";
const XML_TYPE = "application/xml; charset=utf-8";
const JSON_TYPE = "application/json";

/** The format in `responsetype`; XML by default. Throws NvrdError BAD_REQUEST for another value. */
export function answerFormat(query: Query): AnswerFormat {
  return readParameter(query, formatQuery, "responsetype");
}

/** The document as the whole body, without BOM or preamble. */
export function answerDocument(document: Document, format: AnswerFormat): Answer {
  return answerText(formatBody(document, format), documentType(format));
}

/** A JSON value as the whole body; with `T`, the type of a contract, it has its members and no others. */
export function answerJson<T>(value: T): Answer {
  return answerText(JSON.stringify(value), JSON_TYPE);
}

/**
 * Answers of /command: the format is `responsetype`, otherwise the `accept` parameter, otherwise the Accept header, otherwise
 * XML. If one of the latter two names XML or JSON, the body has a BOM and no preamble; otherwise a text preamble and no BOM.
 */
export function answerCommand(
  document: Document,
  request: { readonly query: Query; readonly accept: string | undefined },
  nowUs: number,
): Answer {
  const named = namedFormat(request.query.getFilled("accept")) ?? namedFormat(request.accept) ?? undefined;
  const format =
    request.query.getFilled("responsetype") === undefined ? (named ?? "xml") : answerFormat(request.query);
  const body = formatBody(document, format);
  if (named !== undefined) return answerText(BOM + body, documentType(format));
  const preamble = [
    `Timestamp: ${formatApiTime(nowUs)}`,
    "Error code: 0",
    "Message: ",
    `Body-length: ${Buffer.byteLength(body)}`,
    "",
    "",
  ].join("\r\n");
  return answerText(preamble + body, "text/plain; charset=utf-8");
}

const NAMED_TYPES: ReadonlyMap<string, AnswerFormat> = new Map([
  ["application/xml", "xml"],
  ["application/json", "json"],
]);

/**
 * Of application/xml and application/json the one with the greater weight in an Accept text (RFC 9110, 12.5.1), XML of equal
 * ones, whatever their order: it is the default; undefined if it has neither. Wildcards are ignored.
 */
function namedFormat(accept: string | undefined): AnswerFormat | undefined {
  let best: AnswerFormat | undefined;
  let bestWeight = 0;
  for (const range of (accept ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const format = NAMED_TYPES.get(type);
    const weight = rangeWeight(parameters);
    const better = weight > bestWeight || (weight === bestWeight && weight > 0 && format === "xml");
    if (format === undefined || !better) continue;
    best = format;
    bestWeight = weight;
  }
  return best;
}

/** 0 to 1; 1 if absent or invalid. */
function rangeWeight(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return text !== undefined && /^[01](\.\d{0,3})?$/.test(text) ? Math.min(1, Number(text)) : 1;
}

/** The document's text in a format, from its first byte to its last. */
export function formatBody(document: Document, format: AnswerFormat): string {
  return format === "json" ? toJsonText(document) : toXml(document);
}

/** Content-Type of a document in a format. */
export function documentType(format: AnswerFormat): string {
  return format === "json" ? JSON_TYPE : XML_TYPE;
}

function answerText(text: string, type: string): Answer {
  return {
    status: 200,
    headers: [
      ["Content-Type", type],
      ["Cache-Control", "no-store"],
    ],
    body: Buffer.from(text),
  };
}
