import { XMLParser } from "fast-xml-parser";
import { S3Error } from "./s3-error.js";

/** The members of a list that the store answered in XML. `lists`: members that may repeat. Throws S3Error where it is something else. */
export function readList(
  body: Buffer,
  root: string,
  lists: readonly string[],
  noun: string,
): Readonly<Record<string, unknown>> {
  const text = body.toString("utf8");
  if (text.includes("<!DOCTYPE")) throw new S3Error("answer", `${noun} is no list`);
  const isArray = (name: string): boolean => lists.includes(name);
  const parser = new XMLParser({ parseTagValue: false, removeNSPrefix: true, isArray });
  const found = (parser.parse(text) as Readonly<Record<string, Readonly<Record<string, unknown>> | "">>)[
    root
  ];
  if (found === undefined) throw new S3Error("answer", `${noun} is no list`);
  return found === "" ? {} : found;
}
