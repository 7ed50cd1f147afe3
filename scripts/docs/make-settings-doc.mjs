// Makes docs/ref/settings.md from the definitions in src/settings/settings.ts (built: dist/settings/settings.js).
//   node scripts/docs/make-settings-doc.mjs           writes the page
//   node scripts/docs/make-settings-doc.mjs --check   status 1 when the page is not what it would write
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../docs/ref/settings.md", import.meta.url));
const program = new URL("../../dist/settings/settings.js", import.meta.url);
if (!existsSync(program)) {
  process.stderr.write("make-settings-doc: not built yet: run npm run build\n");
  process.exit(1);
}
const { SETTING_DEFINITIONS, SETTING_NAMES, variableOf } = await import(program.href);

function fallbackText({ fallback, fallbackText: words, unit }) {
  if (words !== undefined) return words;
  return `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}\`${unit === undefined ? "" : ` ${unit}`}`;
}

function section(name) {
  const definition = SETTING_DEFINITIONS[name];
  const { flag, kind, description, unit } = definition;
  const rows = [
    ["In the file", `\`${name}\``],
    ["Environment", `\`${variableOf(name)}\``],
    ...(flag === undefined ? [] : [["Flag", `\`--${flag}\``]]),
    ...(unit === undefined ? [] : [["Unit", unit]]),
    ["Accepted", kind.accepts],
    ["Default", fallbackText(definition)],
  ];
  const table = rows.map(([label, value]) => `| ${label} | ${value.replaceAll("|", "\\|")} |`);
  return [`## ${name}`, "", description, "", "| | |", "|---|---|", ...table, ""].join("\n");
}

const text = `# Settings

<!-- Made by scripts/docs/make-settings-doc.mjs from src/settings/settings.ts; edit that. -->

A setting can be given by a flag of the command line, by an environment variable, and in a settings file, which
\`--config FILE\` or \`NVRD_CONFIG\` names. The flag wins over the variable, the variable over the file. What is not
known or not accepted stops the start with a message that names the value, where it stands, and what is accepted.

The settings file is one JSON object:

\`\`\`json
{
  "dataDir": "/var/lib/nvrd",
  "httpPort": 80,
  "volumes": [
    { "path": "/disks/a", "quotaBytes": "3.5 TB", "reserveBytes": "2%" },
    { "path": "/disks/b" }
  ]
}
\`\`\`

Relative paths in the file are relative to the file, others to the working directory. Amounts of disk are powers of
1000, as disks are sold.

Two variables are no settings: \`NVRD_CONFIG\`, and \`NVRD_ROOT_PASSWORD\`, the password that the user root gets on the
first start.

${SETTING_NAMES.map(section).join("\n")}`;

if (process.argv.includes("--check")) {
  const current = existsSync(page) ? readFileSync(page, "utf8") : "";
  if (current === text) process.exit(0);
  process.stderr.write(
    "docs/ref/settings.md is not up to date: run node scripts/docs/make-settings-doc.mjs\n",
  );
  process.exit(1);
}
writeFileSync(page, text);
