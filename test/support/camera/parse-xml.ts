import { XmlElement } from "../../../src/camera/index.js";
import { readDocument } from "../../../src/camera/xml/xml-document.js";

/** The root of a document, read on this thread. */
export function parseXml(bytes: Buffer, charset?: string): XmlElement {
  return XmlElement.document(readDocument(bytes, charset));
}
