/**
 * Limits of tests are against hanging alone: the same for all of them, far beyond what a busy machine needs. One that is shorter
 * makes a test fail where the machine is busy with others' work, and shows nothing else. What is about a time measures that time.
 */
import { parseAst } from "rolldown/parseAst";

/** Longest that a test or a hook takes, milliseconds, where it has no longer limit of its own. */
export const TEST_MS_MAX = 300_000;
/** Longest that `expect.poll` waits, milliseconds. */
export const POLL_MS_MAX = 90_000;

const TESTS = new Set(["it", "test", "beforeAll", "beforeEach", "afterAll", "afterEach"]);
/** A number of this size is no limit: `it.each` and the like have other arguments. */
const LIMIT_MS_MIN = 1000;
/** What is to come before something else does says so in a comment of the line before. */
const MEANT = /\/\/ (?:[^\n]*) before (?:[^\n]*)\n[^\n]*$/;

/** Breaches in the text of a test file or of its support: limits below those of all tests. */
export function shortLimits(file, text) {
  const program = parseAst(text, { lang: "ts" }, file);
  const values = constantsOf(program);
  const breaches = [];
  const look = (limit, max, what) => {
    const ms = numberOf(limit, values);
    if (ms === undefined || ms < LIMIT_MS_MIN || ms >= max || MEANT.test(text.slice(0, limit.start))) return;
    const line = text.slice(0, limit.start).split("\n").length;
    breaches.push(`${file}:${line}: ${what} has less time than all others; leave the limit out`);
  };
  visit(program, (node) => {
    if (node.type !== "CallExpression") return;
    const { callee, arguments: args } = node;
    const name = firstName(callee);
    if (TESTS.has(name) && args.some(({ type }) => /Function/.test(type)))
      for (const limit of args.flatMap((arg) => limitIn(arg) ?? []))
        look(limit, TEST_MS_MAX, "a test or hook");
    if (name === "expect" && callee.property?.name === "poll" && args[1]?.type === "ObjectExpression")
      for (const limit of [limitIn(args[1])]) if (limit !== undefined) look(limit, POLL_MS_MAX, "a wait");
  });
  return breaches;
}

/** The limit that an argument is, or that stands among its options. */
function limitIn(node) {
  if (node.type !== "ObjectExpression") return /Function/.test(node.type) ? undefined : node;
  return node.properties.find(({ key }) => key?.name === "timeout")?.value;
}

function numberOf(node, values) {
  if (node.type === "Identifier") return values.get(node.name);
  return node.type === "Literal" && typeof node.value === "number" ? node.value : undefined;
}

/** Numbers that the file gives names. */
function constantsOf(program) {
  const values = new Map();
  visit(program, ({ type, id, init }) => {
    if (type === "VariableDeclarator" && typeof init?.value === "number") values.set(id.name, init.value);
  });
  return values;
}

/** The first name of what is called: of `it.each(…)(…)`, `it`. */
function firstName({ type, name, object, callee, tag }) {
  return type === "Identifier" ? name : firstName(object ?? callee ?? tag ?? { type: "Identifier" });
}

function visit(node, look) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.type === "string") look(node);
  for (const value of Object.values(node)) visit(value, look);
}
