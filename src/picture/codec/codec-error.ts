/**
 * Why the codec failed:
 * - `corrupt`: the bitstream cannot be decoded;
 * - `too-large`: a size limit is exceeded, or a JPEG cannot be made small enough;
 * - `timeout`: not done within its time limit;
 * - `unsupported`: this machine's libavcodec does not support it;
 * - `closed`: the decoder, encoder or transcoder was closed;
 * - `memory`: the limit on the decoder's memory is reached;
 * - `internal`: a library refused valid input: please report it.
 */
export type CodecErrorKind = (typeof KINDS)[number];

const KINDS = ["corrupt", "too-large", "timeout", "unsupported", "closed", "memory", "internal"] as const;

/** The codec could not process its input. The kind is for callers, the message for the log. */
export class CodecError extends Error {
  readonly kind: CodecErrorKind;

  constructor(kind: CodecErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CodecError";
    this.kind = kind;
  }
}

export function isCodecErrorKind(value: unknown): value is CodecErrorKind {
  return KINDS.some((kind) => kind === value);
}
