/** A node of a device tree to be made: texts (more than one with NUL between) and numbers. */
export interface DeviceNode {
  readonly name: string;
  readonly properties?: Readonly<Record<string, string | readonly number[]>>;
  readonly children?: readonly DeviceNode[];
}

const HEADER_BYTES = 40;

/** The flattened device tree with this root node. */
export function deviceTree(root: DeviceNode): Buffer {
  let strings = "";
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
  const propertyOf = ([name, value]: readonly [string, string | readonly number[]]): Buffer => {
    const bytes = typeof value === "string" ? Buffer.from(`${value}\0`) : Buffer.concat(value.map(word));
    const at = strings.length;
    strings += `${name}\0`;
    return Buffer.concat([word(3), word(bytes.length), word(at), padded(bytes)]);
  };
  const nodeOf = ({ name, properties = {}, children = [] }: DeviceNode): Buffer =>
    Buffer.concat([
      word(1),
      padded(Buffer.from(`${name}\0`)),
      ...Object.entries(properties).map(propertyOf),
      ...children.map(nodeOf),
      word(2),
    ]);
  const structure = Buffer.concat([nodeOf(root), word(9)]);
  const total = HEADER_BYTES + structure.length + strings.length;
  // Magic, size, places of structure, texts and reserved memory, version, the oldest that can read it, processor, sizes.
  const head = [0xd00dfeed, total, HEADER_BYTES, HEADER_BYTES + structure.length, HEADER_BYTES, 17, 16, 0];
  const sizes = [strings.length, structure.length];
  return Buffer.concat([...[...head, ...sizes].map(word), structure, Buffer.from(strings)]);
}
