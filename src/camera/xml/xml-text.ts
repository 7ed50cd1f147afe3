/**
 * Text between tags, or of an attribute, as it is meant: without comments and processing instructions, CDATA as it
 * stands, references as what they name. Cameras write query strings into addresses as they are, so an ampersand that
 * begins no reference that XML defines stands for itself.
 */
export function plainText(text: string): string {
  let at = text.indexOf("<");
  if (at < 0) return withoutReferences(text);
  const pieces = [];
  let from = 0;
  while (at >= 0) {
    pieces.push(withoutReferences(text.slice(from, at)));
    const isCdata = text.startsWith(CDATA, at);
    const closing = isCdata
      ? "]]>"
      : text.startsWith("<!--", at)
        ? "-->"
        : text.startsWith("<?", at)
          ? "?>"
          : "";
    // A sign of smaller within an attribute.
    if (closing === "") return withoutReferences(text);
    const opened = at + (isCdata ? CDATA.length : closing === "-->" ? 4 : 2);
    const end = text.indexOf(closing, opened);
    if (end < 0) break;
    if (isCdata) pieces.push(text.slice(opened, end));
    from = end + closing.length;
    at = text.indexOf("<", from);
  }
  pieces.push(withoutReferences(text.slice(from)));
  return pieces.join("");
}

const CDATA = "<![CDATA[";
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const CODE_POINT_MAX = 0x10ffff;

function withoutReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (reference, name: string | undefined, decimal: string | undefined, hexadecimal: string | undefined) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? reference;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
      return code <= CODE_POINT_MAX ? String.fromCodePoint(code) : reference;
    },
  );
}
