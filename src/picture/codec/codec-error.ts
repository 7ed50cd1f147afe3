/**
 * Why the codec could not do it:
 * - `corrupt`: the bitstream (or sound) cannot be decoded;
 * - `too-large`: beyond a bound on sizes, or a JPEG that does not get small enough;
 * - `timeout`: not done within its time;
 * - `unsupported`: this machine's libavcodec has nothing for it;
 * - `closed`: the decoder, encoder or transcoder was closed meanwhile;
 * - `memory`: the bound on the decoder's memory is reached;
 * - `internal`: a library refused what should be right: worth a report.
 */
export type CodecErrorKind = (typeof KINDS)[number];

const KINDS = ["corrupt", "too-large", "timeout", "unsupported", "closed", "memory", "internal"] as const;

/** A picture or sound that cannot be made of this input. The kind is for callers, the message for the log. */
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
