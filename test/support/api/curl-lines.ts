/** A command of a page's `sh` blocks. */
export interface PageCommand {
  /** Of the section that it stands in. */
  readonly heading: string;
  readonly text: string;
  /** What the comment above it says a recorder answers that has no such thing. */
  readonly absentStatus: number | undefined;
}

/** The commands in a page's `sh` blocks, in order. A command goes on where a quote is open or the line ends with `\\`. */
export function pageCommands(markdown: string): readonly PageCommand[] {
  const commands: PageCommand[] = [];
  let heading = "";
  for (const [, title, block = ""] of markdown.matchAll(/^#+ ([^\n]*)$|^```sh\n(.*?)^```/gms)) {
    if (title === undefined) commands.push(...blockCommands(heading, block));
    else heading = title;
  }
  return commands;
}

function blockCommands(heading: string, block: string): PageCommand[] {
  const commands: PageCommand[] = [];
  let text = "";
  let absentStatus: number | undefined;
  for (const line of block.trimEnd().split("\n")) {
    if (text === "" && line.startsWith("#")) {
      const [, status] = /: (\d{3})\.$/.exec(line) ?? [];
      absentStatus = status === undefined ? undefined : Number(status);
      continue;
    }
    text = text === "" ? line : `${text}\n${line}`;
    if (line.endsWith("\\") || isQuoteOpen(text)) continue;
    commands.push({ heading, text, absentStatus });
    text = "";
    absentStatus = undefined;
  }
  return commands;
}

function isQuoteOpen(text: string): boolean {
  let open = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && open !== "'") at += 1;
    else if (open === "" && (character === "'" || character === '"')) open = character;
    else if (character === open) open = "";
  }
  return open !== "";
}
