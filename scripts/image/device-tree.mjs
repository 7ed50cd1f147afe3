/** Reads a flattened device tree (https://www.devicetree.org/specifications/, 5) as a tree of nodes. */

const MAGIC = 0xd00dfeed;
const BEGIN_NODE = 1;
const END_NODE = 2;
const PROPERTY = 3;
const NOTHING = 4;

/** The root node: {path, name, parent, children, properties (name to Buffer)}. */
export function readDeviceTree(bytes) {
  if (bytes.readUInt32BE(0) !== MAGIC) throw new Error("not a device tree");
  const strings = bytes.readUInt32BE(12);
  let at = bytes.readUInt32BE(8);
  let node;
  const word = () => {
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  for (;;) {
    const token = word();
    if (token === BEGIN_NODE) {
      const name = textAt(bytes, at);
      at = aligned(at + name.length + 1);
      const child = { path: pathOf(node, name), name, parent: node, children: [], properties: new Map() };
      node?.children.push(child);
      node = child;
    } else if (token === PROPERTY) {
      const length = word();
      const name = textAt(bytes, strings + word());
      node.properties.set(name, bytes.subarray(at, at + length));
      at = aligned(at + length);
    } else if (token === END_NODE) {
      if (node.parent === undefined) return node;
      node = node.parent;
    } else if (token !== NOTHING) throw new Error(`a device tree with the token ${token}`);
  }
}

/** The node and all below it. */
export function* nodesOf(node) {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** The numbers of a property; none without it. */
export function cellsOf(node, name) {
  const bytes = node.properties.get(name) ?? Buffer.alloc(0);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32BE(index * 4));
}

/** The texts of a property; none without it. */
export function textsOf(node, name) {
  const texts = node.properties.get(name)?.toString("latin1").split("\0") ?? [];
  return texts.filter((text) => text !== "");
}

/** Whether the board has it: neither it nor one that it is in is disabled. */
export function isEnabled(node) {
  const [status = "okay"] = textsOf(node, "status");
  return (status === "okay" || status === "ok") && (node.parent === undefined || isEnabled(node.parent));
}

function pathOf(parent, name) {
  if (parent === undefined) return "/";
  return parent.parent === undefined ? `/${name}` : `${parent.path}/${name}`;
}

function textAt(bytes, from) {
  return bytes.toString("latin1", from, bytes.indexOf(0, from));
}

function aligned(at) {
  return (at + 3) & ~3;
}
