/** XML that is made to cost its reader much: what a hostile device or a neighbour of it answers with. */

/** A bomb of about `bytes` bytes. */
export type XmlBomb = (bytes: number) => string;

/** By what each is made of; each is also tried in an envelope that looks like an answer. */
export const XML_BOMBS: Readonly<Record<string, XmlBomb>> = {
  "attributes behind a quoted >": (bytes) => `<z b=">" ${numbered(bytes - 20, (n) => `a${n}="" `)}/>`,
  "attributes of one tag": (bytes) => `<z ${numbered(bytes - 10, (n) => `a${n}=""\n`)}/>`,
  "attributes of many tags": (bytes) => `<z>${numbered(bytes - 10, () => '<b a="" c="" d="" e=""/>')}</z>`,
  "a document type behind a quoted >": (bytes) =>
    `<?x y=">"?><!DOCTYPE z [<!ENTITY e "${"e".repeat(bytes / 2)}">]><z b=">">${"&e;".repeat(bytes / 8)}</z>`,
  "a document type within a tag's quotes left open": (bytes) =>
    `<z b="><!DOCTYPE z [${"<!ENTITY e 'e'>".repeat(bytes / 15)}]></z>`,
  "nested elements": (bytes) => "<z>".repeat(bytes / 7) + "</z>".repeat(bytes / 7),
  "nested elements without end": (bytes) => "<z>".repeat(bytes / 3),
  "ends alone": (bytes) => `<z>${"</z>".repeat(bytes / 4)}`,
  "empty elements": (bytes) => `<z>${"<b/>".repeat(bytes / 4)}</z>`,
  "elements of different names": (bytes) => `<z>${numbered(bytes, (n) => `<e${n}/>`)}</z>`,
  "elements with text": (bytes) => `<z>${"<b>1</b>".repeat(bytes / 8)}</z>`,
  "a long name": (bytes) => `<${"n".repeat(bytes)}/>`,
  "a long prefix": (bytes) => `<${"n:".repeat(bytes / 2)}n/>`,
  "a long attribute": (bytes) => `<z a="${"v".repeat(bytes)}"/>`,
  "a long text": (bytes) => `<z>${"t".repeat(bytes)}</z>`,
  "many blanks": (bytes) => `<z ${" ".repeat(bytes)}/>`,
  namespaces: (bytes) => `<z ${numbered(bytes - 10, (n) => `xmlns:n${n}="urn:n" `)}/>`,
  "character references": (bytes) => `<z>${"&#65;".repeat(bytes / 5)}</z>`,
  ampersands: (bytes) => `<z>${"&".repeat(bytes)}</z>`,
  "references to nothing": (bytes) => `<z>${"&e;".repeat(bytes / 3)}</z>`,
  comments: (bytes) => `<z>${"<!---->".repeat(bytes / 7)}</z>`,
  "comments between texts": (bytes) => `<z>${"t<!-- > -->".repeat(bytes / 11)}</z>`,
  "starts of a comment": (bytes) => `<z>${"<!--".repeat(bytes / 4)}`,
  "CDATA sections": (bytes) => `<z>${"<![CDATA[]]>".repeat(bytes / 12)}</z>`,
  "starts of CDATA": (bytes) => `<z>${"<![CDATA[".repeat(bytes / 9)}`,
  "processing instructions": (bytes) => `<z>${"<?p?>".repeat(bytes / 5)}</z>`,
  "processing instructions with a quote": (bytes) => `<z>${'<?p "?>'.repeat(bytes / 7)}</z>`,
  "starts of an instruction": (bytes) => `<z>${"<?".repeat(bytes / 2)}`,
  "quotes left open": (bytes) => `<z>${'<b a="'.repeat(bytes / 6)}`,
  "apostrophes left open": (bytes) => `<z>${"<b a='\">".repeat(bytes / 8)}`,
  "tags left open": (bytes) => `<z>${"<b ".repeat(bytes / 3)}`,
  "signs of smaller": (bytes) => "<".repeat(bytes),
};

/** A bomb where an answer has its response. */
export function bombAnswer(operation: string, bomb: string): string {
  return `<Envelope><Body><${operation}Response>${bomb}</${operation}Response></Body></Envelope>`;
}

function numbered(bytes: number, piece: (n: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, n = 0; length < bytes; n += 1) {
    const next = piece(n);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join("");
}
