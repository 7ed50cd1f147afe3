/**
 * A file of the bundle gives its functions and classes to others as members of `exports`. rolldown makes a function for each that
 * answers it, since a variable may change: thousands of functions, and of shapes of objects, that a start makes and memory keeps. What
 * never changes after the file has run becomes a plain member.
 */
import { parseAst } from "rolldown/parseAst";
import { nodesOf } from "./syntax.mjs";

/**
 * The text of a file (CommonJS, as rolldown writes it), with as many lines as before.
 * @param {string} code
 * @returns {string}
 */
export function plainExports(code) {
  const program = parseAst(code);
  const steady = steadyNames(program);
  let plain = "";
  let at = 0;
  for (const statement of program.body) {
    const found = answeredExport(statement);
    if (found === undefined || !steady.has(found.local)) continue;
    const { start, end } = statement;
    const lines = code.slice(start, end).split("\n").length - 1;
    plain += `${code.slice(at, start)}exports.${found.name} = ${found.local};${"\n".repeat(lines)}`;
    at = end;
  }
  return plain + code.slice(at);
}

/** Variables of the file that have their value once their statement has run, and keep it. */
function steadyNames({ body }) {
  const names = new Set();
  for (const { type, id, declarations = [] } of body) {
    if (type === "FunctionDeclaration" || type === "ClassDeclaration") names.add(id.name);
    for (const declared of declarations) if (declared.init != null) names.add(declared.id.name);
  }
  for (const { node } of nodesOf({ type: "Program", body })) {
    const target = node.type === "AssignmentExpression" ? node.left : undefined;
    const changed = node.type === "UpdateExpression" ? node.argument : (target ?? forTarget(node));
    if (changed === undefined) continue;
    for (const { node: part } of nodesOf(changed)) if (part.type === "Identifier") names.delete(part.name);
  }
  return names;
}

/** `for (x of …)`, where `x` is declared elsewhere. */
function forTarget(node) {
  return node.type === "ForOfStatement" || node.type === "ForInStatement" ? node.left : undefined;
}

/** `Object.defineProperty(exports, "name", { enumerable: true, get: function () { return local; } });` */
function answeredExport({ type, expression }) {
  if (type !== "ExpressionStatement" || expression.type !== "CallExpression") return undefined;
  const { callee, arguments: given } = expression;
  if (callee.type !== "MemberExpression" || callee.property.name !== "defineProperty") return undefined;
  const [target, name, { properties } = {}] = given;
  if (callee.object.name !== "Object" || target?.name !== "exports" || properties === undefined)
    return undefined;
  const answer = properties.find(({ key }) => key?.name === "get")?.value.body?.body[0];
  const local = answer?.type === "ReturnStatement" ? answer.argument : undefined;
  const isPlain = typeof name.value === "string" && /^[A-Za-z_$][\w$]*$/.test(name.value);
  return isPlain && local?.type === "Identifier" ? { name: name.value, local: local.name } : undefined;
}
