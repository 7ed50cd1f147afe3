/** A curl command of a page, and the assignments of its block before it. */
export interface CurlCommand {
  readonly setup: string;
  readonly command: string;
}

/** The curl commands in a page's `sh` blocks: a command goes on where a quote is open or the line ends with `\\`. */
export function curlCommands(markdown: string): readonly CurlCommand[] {
  const commands: CurlCommand[] = [];
  for (const [, block = ""] of markdown.matchAll(/^```sh\n(.*?)^```/gms)) {
    let setup = "";
    let command = "";
    for (const line of block.split("\n")) {
      command = command === "" ? line : `${command}\n${line}`;
      if (line.endsWith("\\") || isQuoteOpen(command)) continue;
      if (command.startsWith("curl ")) commands.push({ setup, command });
      // What the page tells its reader to set first, the test sets by itself.
      else if (!/^(NVR|AUTH)=/.test(command)) setup += `${command}\n`;
      command = "";
    }
  }
  return commands;
}

function isQuoteOpen(text: string): boolean {
  let open = "";
  for (const character of text) {
    if (open === "" && (character === "'" || character === '"')) open = character;
    else if (character === open) open = "";
  }
  return open !== "";
}
