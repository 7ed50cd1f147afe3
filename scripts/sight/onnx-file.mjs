/**
 * Writes the few messages of ONNX's protobuf (onnx.proto3) that a graph needs. Nothing is read back here: the runtime says
 * whether it is right.
 */
import { Buffer } from "node:buffer";

const IR_VERSION = 8;
const OPSET = 13;
/** TensorProto.DataType. */
export const FLOAT = 1;
export const UINT8 = 2;
export const INT8 = 3;
export const INT32 = 6;
export const INT64 = 7;
/** AttributeProto.AttributeType. */
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;
const VARINT_BITS = 7n;
const VARINT_MORE = 0x80;

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= VARINT_BITS;
    bytes.push(rest > 0n ? low | VARINT_MORE : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function numberField(field, value) {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytesField(field, value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function attribute(name, value) {
  const isList = Array.isArray(value);
  const values = isList ? value.map((each) => numberField(8, each)) : [numberField(3, value)];
  return Buffer.concat([
    bytesField(1, name),
    ...values,
    numberField(20, isList ? ATTRIBUTE_INTS : ATTRIBUTE_INT),
  ]);
}

/** A typed array as a tensor's bytes (little endian, as every machine here is). */
function tensor({ name, shape, type, data }) {
  return Buffer.concat([
    ...shape.map((side) => numberField(1, side)),
    numberField(2, type),
    bytesField(8, name),
    bytesField(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  ]);
}

function valueInfo(name, shape) {
  const sides = shape.map((side) => bytesField(1, numberField(1, side)));
  const type = Buffer.concat([numberField(1, FLOAT), bytesField(2, Buffer.concat(sides))]);
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, type))]);
}

/** A graph that grows: nodes in the order in which they run, and constants, each once. */
export class OnnxGraph {
  #nodes = [];
  #constants = new Map();

  /** Returns its name. */
  constant(name, { shape, type, data }) {
    if (!this.#constants.has(name)) this.#constants.set(name, tensor({ name, shape, type, data }));
    return name;
  }

  /** Returns the name of the node's one output. */
  node(operator, inputs, output, attributes = {}) {
    this.#nodes.push(
      Buffer.concat([
        ...inputs.map((input) => bytesField(1, input)),
        bytesField(2, output),
        bytesField(3, `${output}/${operator}`),
        bytesField(4, operator),
        ...Object.entries(attributes).map(([name, value]) => bytesField(5, attribute(name, value))),
      ]),
    );
    return output;
  }

  /** The bytes of the model file. */
  model({ name, inputs, outputs }) {
    const graph = Buffer.concat([
      ...this.#nodes.map((node) => bytesField(1, node)),
      bytesField(2, name),
      ...[...this.#constants.values()].map((constant) => bytesField(5, constant)),
      ...inputs.map(({ name: input, shape }) => bytesField(11, valueInfo(input, shape))),
      ...outputs.map(({ name: output, shape }) => bytesField(12, valueInfo(output, shape))),
    ]);
    const opset = Buffer.concat([bytesField(1, ""), numberField(2, OPSET)]);
    return Buffer.concat([numberField(1, IR_VERSION), bytesField(7, graph), bytesField(8, opset)]);
  }
}
