/** Which names a part of a module declares, in the shape of the syntax tree that rolldown's parser makes. */

/** The declarations of variables among statements, exported ones included. */
export function bindingsOf(body) {
  return body.flatMap((node) => (node.declaration ?? node).declarations ?? []);
}

/** The names that belong to a node which has names of its own; undefined for one that has none. */
export function declaredIn(node) {
  switch (node.type) {
    case "Program":
    case "BlockStatement":
      return ofStatements(node.body);
    case "SwitchStatement":
      return ofStatements(node.cases.flatMap(({ consequent }) => consequent));
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.params.flatMap(ofPattern);
    case "ForStatement":
      return ofStatements([node.init].filter((init) => init !== null));
    case "ForOfStatement":
    case "ForInStatement":
      return ofStatements([node.left]);
    case "CatchClause":
      return node.param === null ? [] : ofPattern(node.param);
  }
  return undefined;
}

function ofStatements(statements) {
  const named = statements
    .map((node) => node.declaration ?? node)
    .filter(({ id }) => id?.type === "Identifier");
  return [...bindingsOf(statements).flatMap(({ id }) => ofPattern(id)), ...named.map(({ id }) => id.name)];
}

function ofPattern(node) {
  if (node === null) return [];
  switch (node.type) {
    case "Identifier":
      return [node.name];
    case "ObjectPattern":
      return node.properties.flatMap((property) => ofPattern(property.argument ?? property.value));
    case "ArrayPattern":
      return node.elements.flatMap(ofPattern);
    case "AssignmentPattern":
      return ofPattern(node.left);
    case "RestElement":
      return ofPattern(node.argument);
  }
  throw new Error(`the page: a name is declared by a ${node.type}, which is not known here`);
}
