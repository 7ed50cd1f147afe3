import type { S3Target } from "../../../src/away/index.js";

/** A target with the values of a test; the endpoint is the store's. */
export function s3Target(change: Partial<S3Target> & Pick<S3Target, "endpoint">): S3Target {
  return {
    region: "us-east-1",
    bucket: "nvrd",
    prefix: "box/",
    style: "path",
    accessKeyId: "AKIDSCRIPTED",
    secretAccessKey: "scripted-secret",
    sessionToken: "",
    authority: "",
    proxy: "",
    ...change,
  };
}
