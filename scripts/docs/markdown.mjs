/** Writing Markdown. */

const WIDTH = 120;
const CHECKOUT_PART = /^<!-- checkout -->\n.*?^<!-- \/checkout -->\n\n?/gms;

/** The text without what only the reader of a checkout needs: the parts between `<!-- checkout -->` and `<!-- /checkout -->`. */
export function withoutCheckoutParts(text) {
  return text.replace(CHECKOUT_PART, "");
}

/** A table; a cell that is undefined is empty. */
export function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => (cell ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)]
    .join("\n")
    .replaceAll(/ {2,}\|/g, " |");
}

/** The anchor of a heading as GitHub makes it. */
export function anchorOf(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The text with paragraphs and items of lists broken at blanks; headings, tables and code stay as they are. */
export function wrapped(text) {
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    return isCode || /^(```|[#|<]| {4})/.test(line) ? line : broken(line);
  });
  return lines.join("\n");
}

function broken(line) {
  const indent = /^- /.test(line) ? "  " : "";
  const lines = [];
  let current = "";
  for (const word of piecesOf(line)) {
    if (current !== "" && current.length + 1 + word.length > WIDTH) {
      lines.push(current);
      current = indent + word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current].join("\n");
}

/** Words, where code between backticks and the texts of links are one. */
function piecesOf(line) {
  return line.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g) ?? [];
}
