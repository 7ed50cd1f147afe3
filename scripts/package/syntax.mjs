/** A syntax tree's nodes, each with the one that it is in: `{ node, parent }`, from `node` itself inwards. */
export function* nodesOf(node, parent = undefined) {
  yield { node, parent };
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") yield* nodesOf(child, node);
}
