import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bashCompletion, commandsOf, manualPage } from "../../scripts/package/command-help.mjs";
import { COMMANDS, USAGE } from "../../src/command/command-line.js";

/** What bash offers at the end of `line`. */
function offered(line: string): string[] {
  const words = line.split(" ");
  const script = `${bashCompletion(USAGE)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_nvrd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const done = spawnSync("bash", ["-c", script], { encoding: "utf8", cwd: "/usr" });
  expect(done.stderr).toBe("");
  return done.stdout.split("\n").filter((word) => word !== "");
}

describe("the commands that the usage text names", () => {
  it("are those of the command line", () => {
    expect([...commandsOf(USAGE).keys()].sort()).toEqual([...COMMANDS].sort());
  });

  it("come with their actions and flags", () => {
    expect(commandsOf(USAGE).get("config")).toEqual({
      actions: ["export", "import", "history", "revert"],
      flags: [
        { name: "--config", value: "FILE" },
        { name: "--data", value: "DIR" },
        { name: "--secrets", value: "FILE" },
        { name: "--json", value: "" },
      ],
    });
  });

  it("are refused where flags are of none of them", () => {
    expect(() => commandsOf("usage:\n  nvrd run\nflags of walk:\n  --far\n")).toThrow(
      "walk, which is no command",
    );
  });
});

describe("bash offers", () => {
  it.each([
    ["nvrd se", ["settings"]],
    ["nvrd volume r", ["retire"]],
    ["nvrd volume retire --b", ["--back"]],
    ["nvrd update --a", ["--apply"]],
    ["nvrd demo --fr", ["--fresh"]],
    ["nvrd run --http-port l", []],
  ])("after %j: %j", (line, expected) => {
    expect(offered(line)).toEqual(expected);
  });

  it("folders after a flag that takes one", () => {
    const folders = readdirSync("/usr", { withFileTypes: true })
      .filter((entry) => entry.name.startsWith("s") && statSync(`/usr/${entry.name}`).isDirectory())
      .map(({ name }) => name);
    expect(offered("nvrd run --data s").sort()).toEqual(folders.sort());
    expect(folders).toContain("share");
  });
});

describe("the manual page", () => {
  const page = manualPage(USAGE, { version: "1.0.0", date: "2026-01-31" });

  it("says what the usage text says, line for line", () => {
    const text = page.replaceAll("\\-", "-").replaceAll("\\&", "").replaceAll("\\e", "\\");
    for (const line of USAGE.trimEnd().split("\n").slice(2)) expect(text).toContain(line);
  });

  it("keeps a line that begins with a dot or a backslash as text", () => {
    const text = manualPage("nvrd: recorder\n\n.hidden\n\\fB\n", { version: "1", date: "2026-01-31" });
    expect(text).toContain("\n\\&.hidden\n\\efB\n");
  });
});
