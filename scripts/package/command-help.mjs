/** What a Debian machine offers about a command beside its `--help`, made from the usage text: a manual page, and completion. */

const PLACES = [
  ["/etc/nvrd/nvrd.json", "the settings file of the service"],
  [
    "/var/lib/nvrd",
    "the data directory of the service: configuration, index, and recordings where no other place is set",
  ],
  ["/usr/share/doc/nvrd", "the guide and the reference"],
];

/**
 * Commands and flags that a usage text names.
 * @param {string} usage Commands in the paragraph `usage:`, flags in those that begin with `flags of A, B and C:`.
 * @returns {Map<string, { actions: string[], flags: { name: string, value: string }[] }>} By command; `value` is "" for a switch.
 */
export function commandsOf(usage) {
  const commands = new Map();
  for (const [, name, rest] of usage.matchAll(/^ {2}nvrd ([a-z][\w-]*)(.*)$/gm)) {
    const command = commands.get(name) ?? { actions: [], flags: [] };
    commands.set(name, command);
    const [syntax] = rest.split(/ {2,}/);
    for (const [, action] of syntax.matchAll(/(?:^|\|) ?([a-z]+)\b/g)) command.actions.push(action);
    addFlags(command, syntax);
  }
  for (const [, names, text] of usage.matchAll(/^flags of (.+):\n((?: {2}.+\n)+)/gm))
    for (const name of names.split(/, | and /)) {
      const command = commands.get(name);
      if (command === undefined) throw new Error(`the usage text has flags of ${name}, which is no command`);
      for (const line of text.split("\n")) addFlags(command, line.trim().split(/ {2,}/, 1)[0]);
    }
  return commands;
}

function addFlags({ flags }, text) {
  for (const [, name, value = ""] of text.matchAll(/(--[a-z-]+)(?: ([A-Z]+))?/g))
    if (!flags.some((flag) => flag.name === name)) flags.push({ name, value });
}

/** The manual page in section 1 (man 7 man), of the text as `nvrd --help` prints it. `date`: YYYY-MM-DD. */
export function manualPage(usage, { version, date }) {
  const [summary, , ...rest] = usage.trimEnd().split("\n");
  const [name, words] = summary.split(": ", 2);
  const body = rest.map(asIs).join("\n");
  const places = PLACES.map(([path, text]) => `.TP\n.I ${escaped(path)}\n${escaped(text)}`).join("\n");
  return `.TH NVRD 1 "${date}" "nvrd ${escaped(version)}" "User Commands"
.SH NAME
${name} \\- ${escaped(words)}
.SH SYNOPSIS
.B nvrd
.I command
.RI [ argument ...]
.RI [ flag ...]
.SH DESCRIPTION
.nf
${body}
.fi
.SH FILES
${places}
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1),
.I ${escaped("/usr/share/doc/nvrd/README.md")}
`;
}

/** A line that roff prints as it is: dots and quotes at its beginning are no requests. */
function asIs(line) {
  return `${/^[.']/.test(line) ? "\\&" : ""}${escaped(line)}`;
}

function escaped(text) {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}

/** Completion for bash (bash-completion's folder loads it at the first Tab after `nvrd`). */
export function bashCompletion(usage) {
  const commands = commandsOf(usage);
  const cases = [...commands].map(([name, { actions, flags }]) => {
    const words = [...actions, ...flags.map((flag) => flag.name)].join(" ");
    return `    ${name}) words='${words}' ;;`;
  });
  const all = [...commands.values()].flatMap(({ flags }) => flags);
  const named = (isMeant) =>
    [...new Set(all.filter(({ value }) => isMeant(value)).map(({ name }) => name))].join(" | ");
  const isOther = (value) => value !== "" && value !== "FILE" && value !== "DIR";
  return `# bash completion of nvrd
_nvrd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    ${named((value) => value === "FILE")}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ${named((value) => value === "DIR")}) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    ${named(isOther)}) COMPREPLY=(); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '${[...commands.keys(), "--help", "--version"].join(" ")}' -- "$current")
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ $current == -* ]] || compgen -f -- "$current")
}
complete -o filenames -F _nvrd nvrd
`;
}
