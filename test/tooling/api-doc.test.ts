import { describe, expect, it } from "vitest";
import { apiPage, introductionOf } from "../../scripts/docs/make-api-doc.mjs";
import { wrapped } from "../../scripts/docs/markdown.mjs";

const CAMERA = {
  type: "object",
  properties: {
    Name: { type: ["string", "null"], maxLength: 8, description: "Shown." },
    Width: { type: "integer", minimum: 1 },
    Height: { type: "integer", minimum: 1 },
  },
};
const reference = { $ref: "#/components/schemas/Camera" };
const answer = (schema: object) => ({ description: "All.", content: { "application/json": { schema } } });

/** A document with one route, `operation` over what every route has. */
function documentOf(operations: Readonly<Record<string, object>>): object {
  const whole = (operation: object, method: string) => ({
    operationId: method,
    summary: "Lists cameras",
    description: "For every user.\n\nMore.",
    tags: ["channel"],
    parameters: [{ $ref: "#/components/parameters/usertype" }],
    responses: { 200: answer(reference), 400: { $ref: "#/components/responses/TextError400" } },
    "x-codeSamples": [{ source: 'curl "$NVR/cameras"' }],
    ...operation,
  });
  return {
    tags: [{ name: "channel", "x-displayName": "Channels", description: "A channel is a camera." }],
    paths: {
      "/cameras": Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, whole(operation, method)]),
      ),
    },
    components: { schemas: { Camera: CAMERA } },
  };
}

const pageOf = (operations: Readonly<Record<string, object>>): string =>
  apiPage(documentOf(operations), "# Introduction");

describe("page of the API", () => {
  it("says of a route what it is, with an example, its answers, notes and who may use it", () => {
    expect(pageOf({ get: {} })).toContain(`### GET /cameras

Lists cameras.

\`\`\`sh
curl "$NVR/cameras"
\`\`\`

**Answers:**

- **200** \`application/json\` ([Camera](#the-object-camera)): All.

More.

**Access.** For every user.
`);
  });

  it("begins with the introduction and a list of paths by topic", () => {
    expect(pageOf({ get: {}, put: { summary: "Changes cameras" } })).toMatch(
      /^# Introduction\n\n## Contents\n\n- \[Channels\]\(#channels\)\n {2}- `\/cameras`: \[GET\]\(#get-cameras\), \[PUT\]\(#put-cameras\)\n\n## Channels\n/,
    );
  });

  it("has one section for methods that are described alike", () => {
    expect(pageOf({ get: {}, post: {} }).match(/^### .*/gm)).toEqual(["### GET and POST /cameras"]);
  });

  it("has one table for an object that several routes use", () => {
    const page = pageOf({ get: {}, put: { summary: "Changes cameras" } });
    expect(page.match(/^#### The object Camera$/gm)).toHaveLength(1);
  });

  it("puts members that are alike into one row", () => {
    expect(pageOf({ get: {} })).toContain("| `Width`, `Height` | whole number (from 1) | |\n");
  });

  it("does not offer null for what a body may leave out", () => {
    const content = { "application/json": { schema: reference } };
    expect(pageOf({ get: {} })).toContain("| `Name` | text (up to 8 characters) or null | Shown. |");
    expect(pageOf({ put: { requestBody: { required: true, content } } })).toContain(
      "| `Name` | text (up to 8 characters) | Shown. |",
    );
  });

  it("names parameters with their bounds, defaults and whether they are required", () => {
    const parameters = [
      { name: "id", in: "path", required: true, description: "The id.", schema: { type: "string" } },
      {
        name: "type",
        in: "query",
        required: true,
        description: "What.",
        schema: { type: "string", enum: ["a", "b"] },
      },
      {
        name: "speed",
        in: "query",
        description: "How fast.",
        schema: { type: "number", minimum: 0.1, maximum: 20, default: 1 },
      },
      { name: "Range", in: "header", description: "A|B.", schema: { type: "string" } },
    ];
    expect(pageOf({ get: { parameters } })).toContain(`- \`{id}\`: The id.

| parameter | values | default | meaning |
|---|---|---|---|
| \`type\` | \`a\`, \`b\` | required | What. |
| \`speed\` | number (0.1 to 20) | \`1\` | How fast. |
| \`Range\` (header) | text | | A\\|B. |
`);
  });
});

describe("introduction of the page of the API", () => {
  const head =
    "# API\n\n<!-- checkout -->\nThis is the beginning of [api.md](api.md).\n<!-- /checkout -->\n\nSee [all](api.md#contents), [rights](rights.md#api).\n";

  it("says what it is made of, leaves out what only the file itself says, and links to its own headings", () => {
    expect(introductionOf(head)).toMatch(
      /^<!-- Made by .*docs\/ref\/api-head\.md.* -->\n\n# API\n\nSee \[all\]\(#contents\), \[rights\]\(rights\.md#api\)\.$/,
    );
  });
});

describe("wrapping", () => {
  const long = `${"word ".repeat(30)}\`code with blanks\` [a link](#there)`;

  it("breaks paragraphs and items at blanks, and neither in code nor in a link", () => {
    const lines: string[] = wrapped(`- ${long}`).split("\n");
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.length <= 120)).toBe(true);
    expect(lines.slice(1).every((line) => line.startsWith("  "))).toBe(true);
    expect(lines.join(" ")).toContain("`code with blanks` [a link](#there)");
  });

  it.each([`| ${long} |`, `\`\`\`\n${long}\n\`\`\``, `# ${long}`])(
    "leaves tables, code and headings: %#",
    (text) => {
      expect(wrapped(text)).toBe(text);
    },
  );
});
