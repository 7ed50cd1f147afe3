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

/** Breaches in the text of a test file: in the tests themselves, and in the functions of the file that they call. */
export function bareWaits(file, text) {
  if (!text.includes("until(")) return [];
  const program = parseAst(text, { lang: "ts" }, file);
  const says = program.body.flatMap(waitOf)[0];
  if (says === undefined) return [];
  const functions = functionsOf(program);
  const breaches = new Set();
  visit(program, (node) => {
    const body = testBody(node);
    if (body === undefined) return;
    const bodies = calledFrom(body, functions);
    if (bodies.some(expects)) return;
    for (const one of bodies)
      visit(one, (call) => {
        if (call.type !== "CallExpression" || call.callee.name !== "until" || says(call.arguments)) return;
        const line = text.slice(0, call.start).split("\n").length;
        breaches.add(
          `${file}:${line}: a wait in a test that expects nothing else; say with \`seen\` what it saw`,
        );
      });
  });
  return [...breaches];
}

/** The functions of a file by their names. */
function functionsOf(program) {
  const functions = new Map();
  visit(program, ({ type, id, init, body }) => {
    if (type === "FunctionDeclaration" && id !== null) functions.set(id.name, body);
    else if (type === "VariableDeclarator" && /Function/.test(init?.type ?? ""))
      functions.set(id.name, init.body);
  });
  return functions;
}

/** The body, and those of the functions that it calls by their names, and that these call. */
function calledFrom(body, functions) {
  const found = new Set([body]);
  for (const one of found)
    visit(one, ({ type, callee }) => {
      const called = type === "CallExpression" ? functions.get(callee.name) : undefined;
      if (called !== undefined) found.add(called);
    });
  return [...found];
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
