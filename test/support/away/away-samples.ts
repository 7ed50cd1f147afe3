import type { S3Target } from "../../../src/away/index.js";
import { AWAY_PLAN_DEFAULT, AWAY_TARGET_DEFAULT, type AwayTarget } from "../../../src/site/index.js";

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

/** A target of the configuration that gets everything. */
export function awayTarget<T extends Partial<AwayTarget> & Pick<AwayTarget, "id">>(
  change: T,
): AwayTarget & T {
  return {
    ...{ name: "Cellar", isEnabled: true, endpoint: "http://127.0.0.1:9" },
    ...{ region: "us-east-1", bucket: "nvrd", prefix: "box/", style: "path" },
    ...{ accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "", authority: "" },
    ...{ proxy: "", proxyLogin: "", proxyPassword: "" },
    plan: { ...AWAY_PLAN_DEFAULT, content: "everything", from: "oldest" },
    ...AWAY_TARGET_DEFAULT,
    ...{ cameras: [], kbpsMax: null, hours: [], gbPerMonthMax: null, auditPercent: 0 },
    ...change,
  };
}
