/**
 * Makes an ONNX file of the detector that tfjs calls coco-ssd: SSDLite over MobileNetV2, 300x300, 90 kinds of COCO. Its frozen graph is
 * read from `model.json` and the weights beside it. Batch normalization, scales and biases become part of each
 * convolution; what comes before the network (resizing) and after it (boxes from anchors, suppression) is left to
 * src/sight/detector. With `scales` weights and activations have 8 bits.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FLOAT, INT8, INT32, INT64, OnnxGraph, UINT8 } from "./onnx-file.mjs";

const SIDE = 300;
const ANCHORS = 1917;
const BOX_MEMBERS = 4;
const CLASSES = 91;
const FLOAT_BYTES = 4;
const INPUT_NODE = "Preprocessor/sub";
const BOXES_NODE = "concat";
const SCORES_NODE = "Postprocessor/convert_scores";
const RELU6_TOP = 6;
const INT8_TOP = 127;
const INT32_TOP = 2147483647;
const UINT8_STEPS = 255;
/** A step of uint8 that ends at six saturates there by itself. */
const RELU6_TOP_NEARLY = 6.0001;

/** The model file. `folder` has model.json; `scales`: step and zero point of each tensor, undefined for 32 bits. */
export function makeDetector(folder, scales) {
  const graph = new SsdGraph(readFrozen(folder), scales);
  return graph.make();
}

function readFrozen(folder) {
  const { modelTopology, weightsManifest } = JSON.parse(readFileSync(join(folder, "model.json"), "utf8"));
  const weights = new Map();
  for (const { paths, weights: entries } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((path) => readFileSync(join(folder, path))));
    const memory = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    let offset = 0;
    for (const { name, shape, dtype } of entries) {
      const count = shape.reduce((product, side) => product * side, 1);
      const Numbers = dtype === "float32" ? Float32Array : Int32Array;
      weights.set(name, { shape, data: new Numbers(memory, offset, count) });
      offset += count * FLOAT_BYTES;
    }
    if (offset !== bytes.length)
      throw new Error(`${folder}: ${bytes.length} bytes of weights, not ${offset}`);
  }
  return { weights, nodes: new Map(modelTopology.node.map((node) => [node.name, node])) };
}

class SsdGraph {
  #weights;
  #nodes;
  #scales;
  #graph = new OnnxGraph();
  /** Side of the picture that a tensor is, by its name. */
  #sides = new Map();
  /** What a node of the frozen graph has become, by its name. */
  #made = new Map();
  #rounded = new Map();

  constructor({ weights, nodes }, scales) {
    this.#weights = weights;
    this.#nodes = nodes;
    this.#scales = scales;
  }

  make() {
    this.#graph.node("Identity", [this.#tensorOf(BOXES_NODE)], "boxes");
    this.#graph.node("Identity", [this.#tensorOf(SCORES_NODE)], "scores");
    return this.#graph.model({
      name: "coco-ssd",
      inputs: [{ name: "image", shape: [1, 3, SIDE, SIDE] }],
      outputs: [
        { name: "boxes", shape: [1, ANCHORS, BOX_MEMBERS] },
        { name: "scores", shape: [1, ANCHORS, CLASSES] },
      ],
    });
  }

  #tensorOf(name) {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#makeTensor(name);
    this.#made.set(name, made);
    return made;
  }

  #makeTensor(name) {
    if (name === INPUT_NODE) {
      this.#sides.set("image", SIDE);
      return "image";
    }
    const node = this.#nodeOf(name);
    if (node.op === "Relu6") return this.#emit(name, this.#affine(node.input[0]), true);
    if (node.op === "Add" && this.#weights.has(node.input[0])) return this.#residual(node);
    if (node.op === "Reshape") return this.#predictions(node);
    if (node.op === "ConcatV2") {
      const parts = node.input.slice(0, -1).map((input) => this.#tensorOf(input));
      return this.#graph.node("Concat", parts, name, { axis: 1 });
    }
    if (node.op === "Sigmoid") return this.#graph.node("Sigmoid", [this.#tensorOf(node.input[0])], name);
    return this.#emit(name, this.#affine(name), false);
  }

  #nodeOf(name) {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`the frozen graph has no node ${name}`);
    return node;
  }

  /** A bottleneck's sum: the constant is the bias that was left when batch normalization was folded. */
  #residual(node) {
    const inner = this.#nodeOf(node.input[1]);
    const convolution = this.#affine(inner.input[0]);
    add(convolution, this.#weights.get(node.input[0]).data);
    const part = this.#emit(`${node.name}_p`, convolution, false);
    const other = this.#tensorOf(inner.input[1]);
    this.#graph.node("Add", [this.#round(part), this.#round(other)], node.name);
    this.#sides.set(node.name, this.#sides.get(part));
    return node.name;
  }

  /** A head's boxes or scores, one line an anchor. */
  #predictions(node) {
    const members = node.name.endsWith("_1") ? CLASSES : BOX_MEMBERS;
    const turned = this.#graph.node("Transpose", [this.#tensorOf(node.input[0])], `${node.name}_t`, {
      perm: [0, 2, 3, 1],
    });
    const shape = this.#graph.constant(`shape${members}`, {
      shape: [3],
      type: INT64,
      data: BigInt64Array.of(1n, -1n, BigInt(members)),
    });
    return this.#graph.node("Reshape", [turned, shape], node.name);
  }

  /** The convolution below `name`, with all that is linear above it folded in. */
  #affine(name) {
    const node = this.#nodeOf(name);
    if (node.op === "Conv2D" || node.op === "DepthwiseConv2dNative") return this.#convolution(node);
    const convolution = this.#affine(node.input[0]);
    const constant = this.#weights.get(node.input[1])?.data;
    if (node.op === "FusedBatchNorm") normalize(convolution, node, this.#weights);
    else if (node.op === "BiasAdd" || node.op === "Add") add(convolution, constant);
    else if (node.op === "Mul") multiply(convolution, constant);
    else throw new Error(`${name}: ${node.op} cannot be folded into a convolution`);
    return convolution;
  }

  /** The kernel from height, width, in, out to out, in, height, width. */
  #convolution(node) {
    const { shape, data } = this.#weights.get(node.input[1]);
    const [height, width, inputs, outputs] = shape;
    const isDepthwise = node.op === "DepthwiseConv2dNative";
    const filters = isDepthwise ? inputs * outputs : outputs;
    const depth = isDepthwise ? 1 : inputs;
    const kernel = new Float32Array(filters * depth * height * width);
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        for (let input = 0; input < inputs; input++)
          for (let output = 0; output < outputs; output++) {
            const filter = isDepthwise ? input * outputs + output : output * inputs + input;
            kernel[(filter * height + row) * width + column] =
              data[((row * width + column) * inputs + input) * outputs + output];
          }
    return {
      ...{ input: this.#tensorOf(node.input[0]), kernel, filters, depth, side: height },
      bias: new Float32Array(filters),
      groups: isDepthwise ? inputs : 1,
      stride: Number(node.attr.strides.list.i[1]),
      isSame: Buffer.from(node.attr.padding.s, "base64").toString() === "SAME",
    };
  }

  #emit(name, convolution, isClipped) {
    const { input, filters, depth, side, stride, isSame, groups } = convolution;
    const before = this.#sides.get(input);
    const after = isSame ? Math.ceil(before / stride) : Math.floor((before - side) / stride) + 1;
    const padding = isSame ? Math.max((after - 1) * stride + side - before, 0) : 0;
    const first = padding >> 1;
    const scale = this.#scales?.[name];
    const saturates = scale !== undefined && scale[1] === 0 && scale[0] * UINT8_STEPS <= RELU6_TOP_NEARLY;
    const output = isClipped && !saturates ? `${name}_c` : name;
    const shape = [filters, depth, side, side];
    const rounded = this.#round(input);
    const [weight, bias] = this.#constantsOf(name, convolution, shape);
    this.#graph.node("Conv", [rounded, weight, bias], output, {
      strides: [stride, stride],
      pads: [first, first, padding - first, padding - first],
      kernel_shape: [side, side],
      group: groups,
    });
    if (output !== name)
      this.#graph.node("Clip", [output, this.#number("zero", 0), this.#number("six", RELU6_TOP)], name);
    this.#sides.set(name, after);
    return name;
  }

  #number(name, value) {
    return this.#graph.constant(name, { shape: [], type: FLOAT, data: Float32Array.of(value) });
  }

  /** Weights and bias of a convolution, by filter in 8 and 32 bits where there are scales. */
  #constantsOf(name, { input, kernel, bias, filters }, shape) {
    const scales = this.#scales;
    if (scales === undefined)
      return [
        this.#graph.constant(`${name}_w`, { shape, type: FLOAT, data: kernel }),
        this.#graph.constant(`${name}_b`, { shape: [filters], type: FLOAT, data: bias }),
      ];
    const [inputStep] = scales[input];
    const size = kernel.length / filters;
    const [steps, weights] = [new Float32Array(filters), new Int8Array(kernel.length)];
    const [biasSteps, biases] = [new Float32Array(filters), new Int32Array(filters)];
    for (let filter = 0; filter < filters; filter++) {
      const own = kernel.subarray(filter * size, (filter + 1) * size);
      const step = own.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12) / INT8_TOP;
      steps[filter] = step;
      for (const [at, value] of own.entries())
        weights[filter * size + at] = clamp(Math.round(value / steps[filter]), INT8_TOP);
      biasSteps[filter] = steps[filter] * inputStep;
      biases[filter] = clamp(Math.round(bias[filter] / biasSteps[filter]), INT32_TOP);
    }
    return [
      this.#unrounded(`${name}_w`, { shape, type: INT8, data: weights }, steps, new Int8Array(filters)),
      this.#unrounded(
        `${name}_b`,
        { shape: [filters], type: INT32, data: biases },
        biasSteps,
        new Int32Array(filters),
      ),
    ];
  }

  /** A constant in whole numbers, and what makes fractions of them. */
  #unrounded(name, constant, steps, zeros) {
    const shape = [steps.length];
    const inputs = [
      this.#graph.constant(name, constant),
      this.#graph.constant(`${name}s`, { shape, type: FLOAT, data: steps }),
      this.#graph.constant(`${name}z`, { shape, type: constant.type, data: zeros }),
    ];
    return this.#graph.node("DequantizeLinear", inputs, `${name}d`, { axis: 0 });
  }

  /** An activation through 8 bits, where its scale is known. */
  #round(name) {
    const scale = this.#scales?.[name];
    if (scale === undefined) return name;
    const known = this.#rounded.get(name);
    if (known !== undefined) return known;
    const step = this.#number(`${name}_s`, scale[0]);
    const zero = this.#graph.constant(`${name}_z`, { shape: [], type: UINT8, data: Uint8Array.of(scale[1]) });
    const whole = this.#graph.node("QuantizeLinear", [name, step, zero], `${name}_q`);
    const rounded = this.#graph.node("DequantizeLinear", [whole, step, zero], `${name}_d`);
    this.#rounded.set(name, rounded);
    return rounded;
  }
}

function clamp(value, top) {
  return Math.max(-top, Math.min(top, value));
}

function add({ bias }, constant) {
  for (const [filter, value] of constant.entries()) bias[filter] += value;
}

function multiply({ kernel, bias, filters }, factors) {
  const size = kernel.length / filters;
  for (let filter = 0; filter < filters; filter++) {
    for (let at = 0; at < size; at++) kernel[filter * size + at] *= factors[filter];
    bias[filter] *= factors[filter];
  }
}

function normalize(convolution, node, weights) {
  const [gamma, beta, mean, variance] = node.input.slice(1, 5).map((input) => weights.get(input).data);
  const epsilon = Number(node.attr.epsilon.f);
  const factors = gamma.map((value, filter) => value / Math.sqrt(variance[filter] + epsilon));
  multiply(convolution, factors);
  add(
    convolution,
    beta.map((value, filter) => value - mean[filter] * factors[filter]),
  );
}
