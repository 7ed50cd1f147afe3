import { S3Error } from "../../../src/away/s3/s3-error.js";

/** The error that a call to a store ends with; throws where it ends with another one, or well. */
export async function s3Failure(work: Promise<unknown>): Promise<S3Error> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof S3Error) return error;
  throw new Error(`no S3Error: ${String(error)}`);
}
