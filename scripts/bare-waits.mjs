/**
 * Tests that wait and expect nothing else: when what they wait for does not come, the wait's own words are all that is known.
 * So each wait of such a test says what it saw instead (`seen`, see test/support/base/until.ts).
 */
import { parseAst } from "rolldown/parseAst";

/** Where the waits that say nothing by themselves come from, and which of their arguments is what was seen. */
const WAITS = [
  { from: /\/(?:api\/api-harness|base\/until)\.js$/, says: ([, , options]) => hasSeen(options) },
  { from: /\/archive\/archive-fixture\.js$/, says: ([, , seen]) => seen !== undefined },
];
const TESTS = new Set(["it", "test"]);
const EXPECTS = new Set(["expect", "expectTypeOf", "assert"]);

/** Breaches in the text of a test file. */
export function bareWaits(file, text) {
  if (!text.includes("until(")) return [];
  const program = parseAst(text, { lang: "ts" }, file);
  const says = program.body.flatMap(waitOf)[0];
  if (says === undefined) return [];
  const breaches = [];
  visit(program, (node) => {
    const body = testBody(node);
    if (body === undefined || expects(body)) return;
    visit(body, (call) => {
      if (call.type !== "CallExpression" || call.callee.name !== "until" || says(call.arguments)) return;
      const line = text.slice(0, call.start).split("\n").length;
      breaches.push(
        `${file}:${line}: a wait in a test that expects nothing else; say with \`seen\` what it saw`,
      );
    });
  });
  return breaches;
}

/** How a wait that the file imports says what it saw. */
function waitOf({ type, source, specifiers = [] }) {
  if (type !== "ImportDeclaration" || !specifiers.some(({ local }) => local.name === "until")) return [];
  return WAITS.filter(({ from }) => from.test(source.value)).map(({ says }) => says);
}

function hasSeen(options) {
  return options?.type === "ObjectExpression" && options.properties.some(({ key }) => key?.name === "seen");
}

/** The function of a test; undefined for any other node. */
function testBody(node) {
  if (node.type !== "CallExpression" || !TESTS.has(calledName(node.callee))) return undefined;
  return node.arguments.find(({ type }) => /Function/.test(type));
}

/** The first name of what is called: of `it.each(…)(…)`, `it`. */
function calledName({ type, name, object, callee, tag }) {
  return type === "Identifier" ? name : calledName(object ?? callee ?? tag ?? { type: "Identifier" });
}

function expects(body) {
  let does = false;
  visit(body, ({ type, name }) => {
    if (type === "Identifier" && EXPECTS.has(name)) does = true;
  });
  return does;
}

function visit(node, look) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.type === "string") look(node);
  for (const value of Object.values(node)) visit(value, look);
}
