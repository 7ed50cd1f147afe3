/**
 * Writes docs/ref/camera-habits.md from the table of the zoo in test/support/rtsp/zoo/habits:
 * `node scripts/docs/make-camera-habits-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "camera-habits.md");
const TABLE = join(ROOT, "test", "support", "rtsp", "zoo", "habits", "index.ts");

const HEADER = `# What cameras do

Cameras keep to standards as far as their makers read them. This page lists what they were seen to do, who reported it, and
what the recorder makes of it.

<!-- checkout -->
Each line is a scripted camera of the tests (\`test/support/rtsp/zoo\`): \`npm test\` records all of them over TCP and UDP and
compares the archive with what was sent, and \`npm run torture -- zoo\` records cameras with two and three of these habits at
once. The rule behind it is in [design/zoo.md](../design/zoo.md). This page is made from \`test/support/rtsp/zoo/habits\` by
\`npm run docs\`; edit it there.
<!-- /checkout -->

Unless a line says otherwise, every picture that reached the recorder is recorded once, byte for byte, in one run without a
gap, at a time within half a second of when it came. A report is a project's public issue or pull request, or the standard
that allows what the camera does.
`;

/** By kind: title, what belongs there, and what the recorder makes of a habit that does not say otherwise. */
const KINDS = {
  numbering: [
    "Numbers of packets",
    "SSRC, sequence numbers, markers, payload types.",
    "takes the packets as they come, and misses nothing",
  ],
  clock: [
    "Clocks",
    "RTP timestamps, sender reports, and when packets come.",
    "dates the pictures by when they came, in one run",
  ],
  "key frames": [
    "Key frames and parameter sets",
    "Pictures that a recording can begin with, and what a decoder must know.",
    "records from the first picture on",
  ],
  packets: [
    "Packets and pictures",
    "How H.264, MPEG-4 and JPEG are put into packets.",
    "puts the pictures together as they were",
  ],
  "H.265": [
    "H.265",
    "What is peculiar to it; most of the other habits are met with H.265 too.",
    "puts the pictures together as they were",
  ],
  sound: ["Sound", "What microphones send, and how it is announced.", "records pictures and sound"],
  transport: [
    "Tracks and their transport",
    "How tracks are set up, what a session is called, and where packets come from.",
    "records everything that is sent",
  ],
  login: ["The login", "How it is asked for.", "logs in, and tries no password twice"],
  session: [
    "The session",
    "Addresses, lengths and fields of the dialogue, and the description of what is sent.",
    "does what is meant",
  ],
};

const TRANSPORTS = { tcp: " (TCP only)", udp: " (UDP only)" };

/** The page for the table of habits. */
export function cameraHabitsPage(habits) {
  const sections = Object.entries(KINDS).map(([kind, [title, words, makes]]) => {
    const rows = habits
      .filter((habit) => habit.kind === kind)
      .map(({ name, report, over, expect }) => {
        const made = expect?.makes ?? makes;
        return `| ${name}${TRANSPORTS[over] ?? ""} | ${report} | ${made} |`;
      });
    const head = "| The camera | Report | The recorder |\n|---|---|---|";
    return `## ${title}\n\n${words}\n\n${head}\n${rows.join("\n")}\n`;
  });
  return [HEADER, ...sections].join("\n");
}

/** The table: TypeScript that imports nothing but its own kind, and so is made one module without being built. */
async function readTable() {
  const build = await rolldown({ input: TABLE, platform: "node", logLevel: "silent" });
  const { output } = await build.generate({ format: "esm" });
  await build.close();
  const code = Buffer.from(output[0].code).toString("base64");
  const { HABITS } = await import(`data:text/javascript;base64,${code}`);
  return HABITS;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const page = cameraHabitsPage(await readTable());
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/camera-habits.md differs from test/support/rtsp/zoo/habits: npm run docs");
    process.exitCode = 1;
  }
}
