import type { StoreError } from "./store-error.js";
import { bad } from "./store-request.js";
import { type NamedPart, PARTS_MAX } from "./store-uploads.js";

/** The documents of S3 that a store reads and writes. */

const PART =
  /<Part><PartNumber>(\d{1,5})<\/PartNumber><ETag>(?:"|&quot;)([0-9a-f]{32})(?:"|&quot;)<\/ETag><\/Part>/g;
const FRAME = /^(?:<\?xml[^>]*>)?\s*<CompleteMultipartUpload(?: [^>]*)?>|<\/CompleteMultipartUpload>\s*$/g;

/** The parts that an object is to be made of. Throws StoreError where the document is another. */
export function readNamedParts(body: Buffer): readonly NamedPart[] {
  const text = body.toString("utf8");
  const parts = [...text.matchAll(PART)].map(([, number, md5 = ""]) => ({ number: Number(number), md5 }));
  if (text.replace(FRAME, "").replace(PART, "").trim() !== "") throw bad("the list of parts cannot be read");
  if (parts.length > PARTS_MAX || parts.some(({ number }, at) => number <= (parts[at - 1]?.number ?? 0)))
    throw bad("parts must be in the order of their numbers");
  return parts;
}

export function errorDocument({ code, message }: StoreError): string {
  return document("Error", `${element("Code", code)}${element("Message", message)}`);
}

export function uploadDocument(uploadId: string): string {
  return document("InitiateMultipartUploadResult", element("UploadId", uploadId));
}

export function joinedDocument(): string {
  return document("CompleteMultipartUploadResult", "");
}

export interface Listing {
  readonly objects?: readonly { readonly key: string; readonly bytes: number }[];
  readonly folders?: readonly string[];
  /** Undefined: these were the last. */
  readonly next: string | undefined;
}

/** Names are escaped as addresses are: every sign can stand in XML then. */
export function listDocument({ objects = [], folders = [], next }: Listing): string {
  const contents = objects.map(
    ({ key, bytes }) =>
      `<Contents>${element("Key", encodeURIComponent(key))}${element("Size", String(bytes))}</Contents>`,
  );
  const prefixes = folders.map(
    (name) => `<CommonPrefixes>${element("Prefix", encodeURIComponent(name))}</CommonPrefixes>`,
  );
  const more = next === undefined ? "" : element("NextContinuationToken", next);
  const head = `${element("IsTruncated", String(next !== undefined))}${element("EncodingType", "url")}${more}`;
  return document("ListBucketResult", `${head}${contents.join("")}${prefixes.join("")}`);
}

function document(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${content}</${name}>`;
}

function element(name: string, text: string): string {
  return `<${name}>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</${name}>`;
}
