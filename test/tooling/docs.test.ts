import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  anchorsOf,
  checkBuiltPages,
  checkFirstPage,
  checkGlossary,
  checkPages,
} from "../../scripts/docs/check-docs.mjs";
import { errorsPage } from "../../scripts/docs/make-errors-doc.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

let root: TemporaryDirectory;

beforeEach(() => {
  root = new TemporaryDirectory("docs");
  root.write({
    "package.json": '{"scripts":{"demo":"x","test":"x"}}',
    "bin/nvrd": 'console.log("nvrd run\\nnvrd check");',
    "docs/other.md": "# Other\n\n## A part, named `x`\n",
  });
});
afterEach(() => root.remove());

function breachesOf(text: string): string[] {
  root.write({ "docs/page.md": text });
  return checkPages(root.path, ["docs/page.md"]);
}

describe("check of the documentation", () => {
  it.each([
    "[a](other.md)",
    "[a](other.md#a-part-named-x)",
    "# Here\n\n[a](#here)",
    "[a](https://example.org/none)",
    "[a](../package.json)",
    "```\n[a](none.md)\n```",
    "`npm test`, `npm run demo`, `npm ci`, `bin/nvrd run`, `nvrd check --json`",
    "the npm package none",
    '- a list:\n\n  ```json\n  { "a": [1] }\n  ```\n',
    "```sh\nif true; then echo; fi\n```",
    "```mermaid\n{ no JSON\n```",
  ])("accepts %j", (text) => {
    expect(breachesOf(text)).toEqual([]);
  });

  it.each([
    ["[a](none.md)", "link to none.md: no such file"],
    ["[a](../../outside.md)", "no such file"],
    ["[a](other.md#none)", "no such heading"],
    ["[a](#none)", "no such heading"],
    ["`npm run none`", "npm run none: no such script"],
    ["```sh\nnpm none\n```", "npm none: no such script"],
    ["`bin/nvrd none`", "nvrd none: no such command"],
    ["`scripts/none.mjs`", "scripts/none.mjs: no such file"],
    ['```json\n{ "a": 1, }\n```', "a block that is no JSON"],
    ["   ```json\n   { a\n   ```", "a block that is no JSON"],
    ["```sh\nif true; then\n```", "a block that no shell reads"],
  ])("refuses %j", (text, problem) => {
    expect(breachesOf(text)).toEqual([expect.stringContaining(problem)]);
  });

  it("numbers headings of one name as GitHub does", () => {
    expect([...anchorsOf("# A b\n## A b\n### `c_d`: e!\n")]).toEqual(["a-b", "a-b-1", "c_d-e"]);
  });
});

it("the first page has to lead to each page of a folder", () => {
  root.write({ "README.md": "[a](docs/other.md#a)", "docs/more.md": "", "docs/picture.webp": "" });
  expect(checkFirstPage(root.path, "docs")).toEqual(["README.md: no link to docs/more.md"]);
});

it("the glossary defines a term once", () => {
  root.write({ "docs/design/glossary.md": "**Tile.** A.\n\n**Wall.** B: a **tile**.\n\n**Tile.** C.\n" });
  expect(checkGlossary(root.path)).toEqual(['docs/design/glossary.md: "Tile" is defined twice']);
});

describe("pages of the build", () => {
  function git(...args: string[]): void {
    execFileSync("git", args, { cwd: root.path });
  }

  it("do not belong in git", () => {
    git("init", "--quiet");
    root.write({ ".gitignore": "/docs/ref/api.md\n", "docs/ref/api.md": "# The HTTP API\n" });
    git("add", ".");
    expect(checkBuiltPages(root.path)).toEqual([]);
    git("add", "--force", "docs/ref/api.md");
    expect(checkBuiltPages(root.path)).toEqual([expect.stringMatching(/^docs\/ref\/api\.md: is made by/)]);
  });
});

describe("curl in the documentation", () => {
  it.each(["curl -fu a b", "curl -fsSN -u a b", "see the manual of curl", "every curl command"])(
    "accepts %j",
    (line) => {
      expect(breachesOf(`\`\`\`sh\n${line}\n\`\`\`\n`)).toEqual([]);
    },
  );

  it.each(["curl -u a b", "NAME=$(curl -s b)", 'curl "$NVR/x"', "  curl $NVR", "x | curl -sN b"])(
    "refuses %j, which takes an error for an answer",
    (line) => {
      expect(breachesOf(`\`\`\`sh\n${line}\n\`\`\`\n`)).toEqual([expect.stringContaining("needs -f")]);
    },
  );
});

describe("page of errors", () => {
  it("has a row for each code", () => {
    expect(errorsPage({ GONE: { status: 410, hint: "look | elsewhere" } })).toContain(
      "| GONE | 410 | look \\| elsewhere |\n",
    );
  });
});
