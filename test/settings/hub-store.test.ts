import { describe, expect, it } from "vitest";
import { loadSettings, type Settings } from "../../src/settings/index.js";

const GIVEN = {
  NVRD_HUB_PORT: "7443",
  NVRD_HUB_STORE: "https://s3.example/fleet/",
  NVRD_HUB_STORE_ACCESS_KEY_ID: "AKIDHUB",
  NVRD_HUB_STORE_SECRET_KEY_FILE: "/etc/nvrd/secret",
  NVRD_HUB_AUTHORITY_FILE: "authority.pem",
};

function load(environment: Readonly<Record<string, string | undefined>>): Settings {
  return loadSettings({ flags: {}, environment, workingDirectory: "/work" });
}

describe("the settings of several hubs", () => {
  it("name files relative to the working directory", () => {
    expect(load(GIVEN)).toMatchObject({
      hubAuthorityFile: "/work/authority.pem",
      hubStoreRegion: "us-east-1",
    });
  });

  it.each([
    [
      "without the authority",
      { NVRD_HUB_AUTHORITY_FILE: undefined },
      /hubAuthorityFile: required with hubStore/,
    ],
    [
      "without the secret",
      { NVRD_HUB_STORE_SECRET_KEY_FILE: undefined },
      /hubStoreSecretKeyFile: required with/,
    ],
    ["without a hub", { NVRD_HUB_PORT: undefined }, /hubStore: requires hubPort/],
    ["without a store", { NVRD_HUB_STORE: undefined }, /requires hubStore, which is missing/],
    ["with a login in the store's address", { NVRD_HUB_STORE: "https://a:b@s3.example/fleet/" }, /no login/],
    ["with a store without a bucket", { NVRD_HUB_STORE: "https://s3.example/" }, /https:\/\/host\/bucket\//],
    [
      "with a store that ends without its slash",
      { NVRD_HUB_STORE: "https://s3.example/fleet" },
      /https:\/\/host\/bucket\//,
    ],
    [
      "with an authority for plain HTTP",
      { NVRD_HUB_STORE: "http://s3.example/fleet/", NVRD_HUB_STORE_CA_FILE: "/etc/ca.pem" },
      /hubStoreCaFile: needs hubStore with https/,
    ],
    ["with a port that is none", { NVRD_HUB_PEER_ADDRESS: "10.0.0.1:70000" }, /hubPeerAddress/],
  ])("are refused %s", (_name, change, text) => {
    expect(() => load({ ...GIVEN, ...change })).toThrow(text);
  });
});
