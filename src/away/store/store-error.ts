/** A request that is refused, as servers of S3 say it. */
export class StoreError extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which it may go. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    { retryAfter }: { readonly retryAfter?: number } = {},
  ) {
    super(message);
    this.name = "StoreError";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export function noSuchKey(): StoreError {
  return new StoreError(404, "NoSuchKey", "there is no such object");
}

export function noSuchUpload(): StoreError {
  return new StoreError(404, "NoSuchUpload", "there is no such upload: begin it anew");
}

/** Who sends waits: it is not by removing replicas that there will be room. */
export function diskFull(): StoreError {
  return new StoreError(503, "DiskFull", "the disk for replicas is full", { retryAfter: 60 });
}

/** What a disk says when there is no room on it. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);

/** A failure of the disk as an answer, without the paths of this recorder. */
export function answerOfFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (FULL.has(code)) return diskFull();
  return new StoreError(
    503,
    "InternalError",
    `the disk for replicas fails${code === "" ? "" : ` (${code})`}`,
    {
      retryAfter: 30,
    },
  );
}
