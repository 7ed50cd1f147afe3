import { describe, expect, it } from "vitest";
import { loadSettings, type Settings } from "../../src/settings/index.js";

const GIVEN = {
  NVRD_BUCKET_ENDPOINT: "https://s3.example",
  NVRD_BUCKET_NAME: "recordings",
  NVRD_BUCKET_ACCESS_KEY_ID: "AKIDREADER",
  NVRD_BUCKET_SECRET_KEY_FILE: "/etc/nvrd/secret",
};

function load(environment: Readonly<Record<string, string>>): Settings {
  return loadSettings({ flags: {}, environment, workingDirectory: "/work" });
}

describe("the settings of an archive that is a bucket", () => {
  it("leave no volumes, also where disks are mounted", () => {
    const { volumes, volumesDirectory, bucketName } = load({ ...GIVEN, NVRD_VOLUMES_DIRECTORY: "/srv" });
    expect({ volumes, volumesDirectory, bucketName }).toEqual({
      ...{ volumes: [], volumesDirectory: undefined, bucketName: "recordings" },
    });
  });

  it.each([
    [
      "without the secret",
      { NVRD_BUCKET_SECRET_KEY_FILE: undefined },
      /bucketSecretKeyFile: required with bucketEndpoint/,
    ],
    ["without an endpoint", { NVRD_BUCKET_ENDPOINT: undefined }, /requires bucketEndpoint, which is missing/],
    ["with a login in the endpoint", { NVRD_BUCKET_ENDPOINT: "https://a:b@s3.example" }, /no path, no login/],
    [
      "with a path in the endpoint",
      { NVRD_BUCKET_ENDPOINT: "https://s3.example/recordings" },
      /no path, no login/,
    ],
    ["with a prefix without its slash", { NVRD_BUCKET_PREFIX: "boxes" }, /each with \/ at its end/],
    ["with volumes", { NVRD_VOLUMES: '[{"path":"/srv/one"}]' }, /a bucket, or on disks/],
    [
      "with an authority for plain HTTP",
      { NVRD_BUCKET_ENDPOINT: "http://s3.example", NVRD_BUCKET_CA_FILE: "/etc/ca.pem" },
      /bucketCaFile: needs bucketEndpoint with https/,
    ],
  ])("are refused %s", (_name, change, text) => {
    const all = Object.entries({ ...GIVEN, ...change }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    expect(() => load(Object.fromEntries(all))).toThrow(text);
  });
});
