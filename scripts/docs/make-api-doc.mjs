/**
 * Makes docs/ref/api.md, which git ignores, from docs/ref/api-head.md and the OpenAPI document of the routes (read from
 * dist): `node scripts/docs/make-api-doc.mjs`, run by the build. With `--check` nothing is written; status 1 when the page
 * differs. What the page says of a route, /openapi.json says too.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { briefMember, defaultText, SchemaTables, schemaText } from "./api-doc-schemas.mjs";
import { anchorOf, table, withoutCheckoutParts, wrapped } from "./markdown.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "api.md");
const HEAD = join(ROOT, "docs", "ref", "api-head.md");
const MADE_BY =
  "<!-- Made by scripts/docs/make-api-doc.mjs (`npm run build`) from docs/ref/api-head.md and the descriptions of the routes in src/compat and src/owner; edit those. -->";
const METHODS = ["get", "post", "put", "delete"];

/** The introduction of the page, from its file: links to the page's own headings lead there from elsewhere. */
export function introductionOf(head) {
  const text = withoutCheckoutParts(head).replaceAll("](api.md#", "](#");
  return `${MADE_BY}\n\n${text.trimEnd()}`;
}

/** The page for an OpenAPI document. */
export function apiPage(document, introduction) {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  const tables = new SchemaTables(
    document.components.schemas,
    bodies.map(({ schema }) => schema),
  );
  const topics = document.tags.map((tag) => ({ tag, sections: sectionsOf(document, tag) }));
  const parts = topics.flatMap(({ tag, sections }) => [
    `## ${tag["x-displayName"]}`,
    tag.description,
    ...sections.map((section) => sectionText(section, tables)),
  ]);
  return `${introduction}\n\n## Contents\n\n${contents(topics)}\n\n${wrapped(parts.join("\n\n"))}\n`;
}

/** The routes of a topic. Methods of a path that are described alike are one section. */
function sectionsOf({ paths }, tag) {
  const sections = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation?.tags[0] !== tag.name) continue;
      const { operationId: _id, ...described } = operation;
      const key = path + JSON.stringify(described);
      const same = sections.find((section) => section.key === key);
      if (same === undefined) sections.push({ key, path, methods: [method.toUpperCase()], operation });
      else same.methods.push(method.toUpperCase());
    }
  }
  return sections;
}

function titleOf({ methods, path }) {
  return `${methods.join(" and ")} ${path}`;
}

/** Each path on a line, with its methods. */
function contents(topics) {
  const lines = topics.flatMap(({ tag, sections }) => {
    const paths = [...new Set(sections.map(({ path }) => path))];
    return [
      `- [${tag["x-displayName"]}](#${anchorOf(tag["x-displayName"])})`,
      ...paths.map((path) => {
        const links = sections.filter((section) => section.path === path).map(linkTo);
        return `  - \`${path}\`: ${links.join(", ")}`;
      }),
    ];
  });
  return lines.join("\n");
}

function linkTo(section) {
  return `[${section.methods.join(" and ")}](#${anchorOf(titleOf(section))})`;
}

function sectionText(section, tables) {
  const { operation } = section;
  const [access, ...text] = operation.description.split("\n\n");
  const shown = [
    `### ${titleOf(section)}`,
    `${operation.summary}.`,
    ...operation["x-codeSamples"].map(({ source }) => `\`\`\`sh\n${source}\n\`\`\``),
    parametersText(operation.parameters),
    bodyText(operation.requestBody, tables),
    answersText(operation.responses, tables),
    ...text,
    `**Access.** ${access}`,
    ...tables.takeNamed(),
  ];
  return shown.filter((part) => part !== "").join("\n\n");
}

function parametersText(parameters) {
  const own = parameters.filter(({ $ref }) => $ref === undefined).flatMap(unfolded);
  const inPath = own.filter((parameter) => parameter.in === "path");
  const rows = own
    .filter((parameter) => parameter.in !== "path")
    .map(({ name, in: place, required, description, schema }) => [
      place === "query" ? `\`${name}\`` : `\`${name}\` (header)`,
      schemaText(schema),
      required === true ? "required" : defaultText(schema),
      description,
    ]);
  const parts = [
    ...inPath.map(({ name, description }) => `- \`{${name}}\`: ${description}`),
    ...(inPath.length > 0 && rows.length > 0 ? [""] : []),
    ...(rows.length === 0 ? [] : [table(["parameter", "values", "default", "meaning"], rows)]),
  ];
  return parts.join("\n");
}

/** An object that is sent as parameters is shown as these. */
function unfolded(parameter) {
  const { explode, schema } = parameter;
  if (explode !== true || schema.properties === undefined) return [parameter];
  return Object.entries(schema.properties).map(([name, { description, ...own }]) => ({
    ...{ name, in: parameter.in, description, schema: own },
    required: schema.required?.includes(name),
  }));
}

function bodyText(body, tables) {
  if (body === undefined) return "";
  const [[type, { schema }]] = Object.entries(body.content);
  const lead = [
    `**Body:** ${type === "application/json" ? `JSON, ${shapeText(schema)}` : `\`${type}\``}.`,
    ...(body.required ? [] : ["It may be left out."]),
    ...(body.description === undefined ? [] : [body.description]),
  ];
  return [lead.join(" "), tables.inline(schema, { isBody: true })].filter((part) => part !== "").join("\n\n");
}

function shapeText(schema) {
  return schema.type === "object" && schema.allOf === undefined ? "an object" : schemaText(schema);
}

/** By media type; a status without content has none. */
function contentOf({ content = {} }) {
  return content;
}

function answersText(responses, tables) {
  const own = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
  const parts = own.map(([status, response]) => {
    const types = Number(status) < 400 ? contentText(contentOf(response)) : "";
    const content = types === "" ? "" : ` ${types}`;
    return `- **${status}**${content}: ${response.description}`;
  });
  const [json] = own.flatMap(([status, response]) =>
    Number(status) < 400 ? (contentOf(response)["application/json"] ?? []) : [],
  );
  const members = json === undefined ? "" : tables.inline(json.schema, {});
  const shown = json !== undefined && briefMember(json.schema) === "" ? members : "";
  return ["**Answers:**", parts.join("\n"), shown, exampleText(json?.example)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function contentText(content) {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const shape = type === "application/json" ? answerShape(schema) : "";
      return `\`${type}\`${shape === "" ? "" : ` (${shape})`}`;
    })
    .join(" or ");
}

/** What an answer is, where the table of its members does not tell. */
function answerShape(schema) {
  if (Object.keys(schema).length === 0) return "";
  return schema.type === "object" && schema.allOf === undefined ? briefMember(schema) : schemaText(schema);
}

function exampleText(example) {
  return example === undefined ? "" : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

async function readDocument() {
  const load = async (name) => await import(pathToFileURL(join(ROOT, "dist", name)).href);
  const [{ openApiDocument }, { ROUTES }] = [
    await load("owner/system/openapi.js"),
    await load("service/api/routes.js"),
  ];
  // As a client gets it: without what JSON leaves out.
  return JSON.parse(JSON.stringify(openApiDocument(ROUTES, { version: "" })));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const page = apiPage(await readDocument(), introductionOf(readFileSync(HEAD, "utf8")));
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/api.md is missing, or differs from what it is made of: npm run build");
    process.exitCode = 1;
  }
}
