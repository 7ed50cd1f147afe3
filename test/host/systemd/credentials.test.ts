import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Credentials } from "../../../src/host/systemd/index.js";
import { loadSettings } from "../../../src/settings/settings.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

async function handedOver(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(`${directory}/${name}`, text);
  return directory;
}

function settingsWith(directory: string, environment: Readonly<Record<string, string>> = {}) {
  return loadSettings({ flags: {}, environment: { CREDENTIALS_DIRECTORY: directory, ...environment } });
}

describe("a credential", () => {
  it("is the file that a setting names", async () => {
    const directory = await handedOver({ "my.key": "k", "my.chain": "c" });
    const settings = settingsWith(directory, {
      NVRD_TLS_KEY: "credential:my.key",
      NVRD_TLS_CERTIFICATE: "credential:my.chain",
    });
    expect(settings.tlsKey).toBe(`${directory}/my.key`);
    expect(settings.tlsCertificate).toBe(`${directory}/my.chain`);
  });

  it("that was not handed over is reported by name, with what to do", async () => {
    const directory = await handedOver({});
    const environment = { NVRD_TLS_KEY: "credential:my.key", NVRD_TLS_CERTIFICATE: "/etc/chain.pem" };
    expect(() => settingsWith(directory, environment)).toThrow(
      /tlsKey: "credential:my.key".*LoadCredential=/,
    );
  });

  it.each(["../../etc/shadow", "/etc/shadow", "", ".hidden", "a/b"])("is no path: %j", async (name) => {
    const directory = await handedOver({ "a.key": "k" });
    expect(new Credentials(directory).fileOf(name)).toBeUndefined();
  });

  it("of the TLS pair is taken where no setting names one", async () => {
    const directory = await handedOver({ "nvrd.tls-key": "k", "nvrd.tls-certificate": "c" });
    expect(settingsWith(directory).tlsKey).toBe(`${directory}/nvrd.tls-key`);
    const own = { NVRD_TLS_KEY: "/a/key.pem", NVRD_TLS_CERTIFICATE: "/a/chain.pem" };
    expect(settingsWith(directory, own).tlsKey).toBe("/a/key.pem");
  });

  it("of the directory's account is taken only where there is such an account", async () => {
    const directory = await handedOver({ "nvrd.ldap-password": "secret" });
    expect(settingsWith(directory).ldapServicePasswordFile).toBeUndefined();
    const account = {
      NVRD_LDAP_URL: "ldaps://dc.example.org",
      NVRD_LDAP_BASE_DN: "dc=example,dc=org",
      NVRD_LDAP_SERVICE_DN: "cn=nvr,dc=example,dc=org",
    };
    expect(settingsWith(directory, account).ldapServicePasswordFile).toBe(`${directory}/nvrd.ldap-password`);
  });

  it("of the MQTT broker is taken only where there is a login for it", async () => {
    const directory = await handedOver({ "nvrd.mqtt-password": "secret" });
    const broker = { NVRD_MQTT_URL: "mqtt://broker" };
    expect(settingsWith(directory, broker).mqttPasswordFile).toBeUndefined();
    const account = { ...broker, NVRD_MQTT_LOGIN: "nvrd" };
    expect(settingsWith(directory, account).mqttPasswordFile).toBe(`${directory}/nvrd.mqtt-password`);
  });

  it("is read to the end of its first line", async () => {
    const directory = await handedOver({ "nvrd.root-password": "pass word\nrest" });
    expect(new Credentials(directory).textOf("nvrd.root-password")).toBe("pass word");
    expect(new Credentials(undefined).textOf("nvrd.root-password")).toBeUndefined();
  });
});
