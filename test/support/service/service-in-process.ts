import { vi } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { Service } from "../../../src/service/service.js";
import { loadSettings } from "../../../src/settings/settings.js";
import { ROOT_PASSWORD } from "./service.js";

/**
 * The whole service in the test's own process, for what cannot be reached from outside; without ports. The test undoes the
 * environment with `vi.unstubAllEnvs`.
 */
export function serviceInProcess(dataDir: string): Service {
  vi.stubEnv("NVRD_ROOT_PASSWORD", ROOT_PASSWORD);
  const ports = { "http-port": "0", "https-port": "0", "rtsp-port": "0" };
  const flags = { data: dataDir, listen: "127.0.0.1", ...ports };
  const settings = loadSettings({ flags, environment: {}, portFallback: true });
  return new Service(settings, createLog({ level: "silent" }), { announce: () => undefined });
}
