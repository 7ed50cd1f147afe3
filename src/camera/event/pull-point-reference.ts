/** Longest reference parameters that are sent back, in characters. */
const REFERENCE_LENGTH_MAX = 2048;

/**
 * The reference parameters of a subscription, as they are to be sent back in the header of each request to it
 * (WS-Addressing 1.0 SOAP Binding, 3.4): the device's own elements, which only it understands. `answer` is a document
 * that was found well-formed. Empty where it has none, or they are too long.
 */
export function referenceParametersOf(answer: string): string {
  const match =
    /<((?:[\w.-]+:)?ReferenceParameters)\b[^>]*[^/>]>([\s\S]*?)<\/\1\s*>|<((?:[\w.-]+:)?ReferenceParameters)>([\s\S]*?)<\/\3\s*>/.exec(
      answer,
    );
  const inner = (match?.[2] ?? match?.[4] ?? "").trim();
  if (inner === "" || inner.length > REFERENCE_LENGTH_MAX || inner.includes("<!")) return "";
  const declared = new Map([...inner.matchAll(/\sxmlns:([\w.-]+)=/g)].map((found) => [found[1], true]));
  const prefixes = new Set([...inner.matchAll(/<([\w.-]+):/g)].map((found) => found[1] ?? ""));
  let declarations = "";
  for (const prefix of prefixes) {
    if (declared.has(prefix)) continue;
    const namespace = new RegExp(`\\sxmlns:${prefix.replace(/[.-]/g, "\\$&")}=["']([^"'<]{1,300})["']`).exec(
      answer,
    );
    if (namespace === null) return "";
    declarations += ` xmlns:${prefix}="${namespace[1]}"`;
  }
  return declarations === "" ? inner : inner.replace(/<([\w.-]+:[\w.-]+)/g, `<$1${declarations}`);
}
