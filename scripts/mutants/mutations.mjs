/**
 * The places of a TypeScript file at which one small change alters what it does: a condition that is negated, a boundary
 * moved by one, a call or a return that is left out, a constant of another value. What only the log sees is no place, nor is
 * what only the compiler wants.
 */
import { parseAst } from "rolldown/parseAst";

/** Each comparison with its neighbour, each junction with the other. */
const OTHER_OPERATOR = new Map([
  ...[
    ["<", "<="],
    ["<=", "<"],
    [">", ">="],
    [">=", ">"],
  ],
  ...[
    ["===", "!=="],
    ["!==", "==="],
    ["&&", "||"],
    ["||", "&&"],
  ],
  ...[
    ["+", "-"],
    ["-", "+"],
  ],
]);
/** A statement that begins so is for the log, and a test of it would be one of its words. */
const FOR_THE_LOG = /^(?:await |void )?(?:this\.)?#?(?:\w+\.)*(?:log|#log)\??\.\w+\(/;
const STATEMENT = /^(?:Expression|Return)Statement$/;
/** Of types, which are gone when the program runs. */
const TYPE_NODE = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression|EnumDeclaration)/;

/**
 * Every mutation of `code`: `text` in the place of what stands from `start` to `end`, within the expression or statement
 * `whole`.
 * @param {string} code
 * @returns {{ kind: string, start: number, end: number, text: string, line: number, whole: Whole }[]}
 * @typedef {{ start: number, end: number, isStatement: boolean }} Whole
 */
export function mutationsOf(code) {
  const found = [];
  const add = (kind, node, text, { start, end } = node) => {
    const line = code.slice(0, start).split("\n").length;
    const whole = { start: node.start, end: node.end, isStatement: STATEMENT.test(node.type) };
    found.push({ kind, start, end, text, line, whole });
  };
  visit(parseAst(code, { lang: "ts" }), (node) => mutationsAt(node, code, add));
  return found;
}

/** The program with one of its mutations. */
export function mutated(code, { start, end, text }) {
  return code.slice(0, start) + text + code.slice(end);
}

function visit(node, look) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const one of node) visit(one, look);
    return;
  }
  if (typeof node.type === "string") {
    if (TYPE_NODE.test(node.type) || node.type === "ImportDeclaration") return;
    if (look(node) === "leave") return;
  }
  for (const [name, value] of Object.entries(node)) {
    const isName = name === "typeAnnotation" || (name === "key" && node.computed !== true);
    if (!isName) visit(value, look);
  }
}

function mutationsAt(node, code, add) {
  const { type } = node;
  if (isForTheCompiler(node)) {
    visit(node.left, (inner) => mutationsAt(inner, code, add));
    return "leave";
  }
  if (type === "IfStatement" || type === "ConditionalExpression") negated(node.test, code, add);
  else if (type === "BinaryExpression" || type === "LogicalExpression") otherOperator(node, code, add);
  else if (type === "ExpressionStatement") return withoutStatement(node, code, add);
  else if (type === "ReturnStatement") add("return left out", node, ";");
  else if (type === "Literal") otherConstant(node, add);
  return undefined;
}

/** `a[b] ?? 0`: the compiler does not know that there is such an element. */
function isForTheCompiler({ type, operator, left, right }) {
  return (
    type === "LogicalExpression" &&
    operator === "??" &&
    left.type === "MemberExpression" &&
    left.computed &&
    right.type === "Literal"
  );
}

/** A comparison is mutated at its operator. */
function negated(test, code, add) {
  if (OTHER_OPERATOR.has(test.operator)) return;
  add("condition negated", test, `!(${code.slice(test.start, test.end)})`);
}

function otherOperator(node, code, add) {
  const { left, right, operator } = node;
  const other = OTHER_OPERATOR.get(operator);
  // Texts are put together with a plus as well.
  if (other === undefined || (operator === "+" && [left, right].some(isText))) return;
  const at = code.indexOf(operator, left.end);
  if (at < 0 || at >= right.start) return;
  add(`"${operator}" to "${other}"`, node, other, { start: at, end: at + operator.length });
}

function isText({ type, value }) {
  return type === "TemplateLiteral" || (type === "Literal" && typeof value === "string");
}

function withoutStatement(node, code, add) {
  const { start, end, expression } = node;
  if (FOR_THE_LOG.test(code.slice(start, end))) return "leave";
  if (
    /^(?:Call|Await|Assignment|Update)Expression$|^ChainExpression$/.test(expression.type) &&
    !isSuper(expression)
  )
    add("statement left out", node, ";");
  return undefined;
}

function isSuper({ type, callee }) {
  return type === "CallExpression" && callee.type === "Super";
}

function otherConstant(node, add) {
  const { value } = node;
  if (typeof value === "boolean") add(`${value} to ${!value}`, node, `${!value}`);
  if (typeof value !== "number") return;
  const other = value === 0 ? 1 : 2 * value;
  add(`${value} to ${other}`, node, `${other}`);
}
