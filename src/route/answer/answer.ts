import { formatApiTime } from "../../base/index.js";
import { formatQuery } from "../../contract/query/index.js";
import type { Answer, Headers, Query } from "../../http/index.js";
import { readParameter } from "../endpoint/query-parameters.js";
import type { Document } from "./description.js";
import { type AnswerFormat, documentText } from "./document-text.js";

const BOM = "\ufeff";
const XML_TYPE = "application/xml; charset=utf-8";
export const JSON_TYPE = "application/json";

/** The format in `responsetype`; XML by default. Throws NvrdError BAD_REQUEST for another value. */
export function answerFormat(query: Query): AnswerFormat {
  return readParameter(query, formatQuery, "responsetype");
}

/** The document as the whole body, without BOM or preamble. */
export function answerDocument(document: Document, format: AnswerFormat): Answer {
  return answerText(documentText(document, format), documentType(format));
}

/** A JSON value as the whole body; with `T`, the type of a contract, it has its members and no others. */
export function answerJson<T>(value: T): Answer {
  return answerText(JSON.stringify(value), JSON_TYPE);
}

/** What of a request to /command says how it is answered. */
export interface CommandRequest {
  readonly query: Query;
  /** The Accept header. */
  readonly accept: string | undefined;
}

/**
 * Answers of /command: the format is `responsetype`, otherwise the `accept` parameter, otherwise the Accept header, otherwise
 * XML. If one of the latter two names XML or JSON, the body has a BOM and no preamble; otherwise a text preamble and no BOM.
 */
export function answerCommand(document: Document, request: CommandRequest, nowUs: number): Answer {
  const { format, type, before } = commandForm(request, nowUs);
  const body = documentText(document, format);
  return answerText(before(Buffer.byteLength(body)) + body, type);
}

/** How an answer of /command looks. */
interface CommandForm {
  readonly format: AnswerFormat;
  /** Content-Type. */
  readonly type: string;
  /** What stands before a document of so many bytes. */
  before(bytes: number): string;
}

/** The form that `answerCommand` describes. Throws NvrdError BAD_REQUEST for another `responsetype`. */
export function commandForm({ query, accept }: CommandRequest, nowUs: number): CommandForm {
  const named = namedFormat(query.getFilled("accept")) ?? namedFormat(accept) ?? undefined;
  const format = query.getFilled("responsetype") === undefined ? (named ?? "xml") : answerFormat(query);
  if (named !== undefined) return { format, type: documentType(format), before: () => BOM };
  const lines = (bytes: number) => [
    `Timestamp: ${formatApiTime(nowUs)}`,
    "Error code: 0",
    "Message: ",
    `Body-length: ${bytes}`,
    "",
    "",
  ];
  return { format, type: "text/plain; charset=utf-8", before: (bytes) => lines(bytes).join("\r\n") };
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

/** Content-Type of a document in a format. */
export function documentType(format: AnswerFormat): string {
  return format === "json" ? JSON_TYPE : XML_TYPE;
}

function answerText(text: string, type: string): Answer {
  return { status: 200, headers: answerHeaders(type), body: Buffer.from(text) };
}

/** Of a body with this Content-Type, which is another one the next time. */
export function answerHeaders(type: string): Headers {
  return [
    ["Content-Type", type],
    ["Cache-Control", "no-store"],
  ];
}
