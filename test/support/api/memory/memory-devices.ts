import { NvrdError } from "../../../../src/base/value/errors.js";
import type { Guid } from "../../../../src/base/value/guid.js";
import type {
  DeviceDescription,
  DeviceProfile,
} from "../../../../src/camera/description/device-description.js";
import {
  type DeviceTraits,
  isTwin,
  isTwinByCard,
  traitsOf,
} from "../../../../src/camera/description/device-traits.js";
import type {
  DeviceReading,
  LoginAttempt,
  ReadingListener,
} from "../../../../src/camera/device/device-adding.js";
import type { DeviceDirectory } from "../../../../src/camera/discovery/device-directory.js";
import {
  type DiscoveredDevice,
  SCAN_SECONDS_MAX,
  type ScanListener,
  type ScanQuestion,
} from "../../../../src/camera/discovery/discovery.js";
import { parseAddressRange } from "../../../../src/camera/discovery/discovery-range.js";
import type { Camera } from "../../../../src/site/model/model.js";
import { description, profile } from "../../camera/device-description.js";

/** Devices on a network that a test makes up: what is heard, and how each address answers. */
export class MemoryDevices implements DeviceDirectory {
  /** What a scan finds. */
  found: DiscoveredDevice[] = [];
  /** What cameras' devices have shown, by camera, and the network cards behind addresses. */
  readonly traits = new Map<Guid, DeviceTraits>();
  readonly macs = new Map<string, string>();
  /** Cameras whose device answers where they are. */
  readonly answering = new Set<Guid>();
  /** What was heard before a scan. */
  heard: DiscoveredDevice[] = [];
  /** A scan lasts until then. */
  scanEnds: Promise<void> = Promise.resolve();
  readonly questions: ScanQuestion[] = [];
  readonly logins: LoginAttempt[] = [];
  /** By the address that is read; any other one is unreachable. */
  readonly readings = new Map<string, DeviceReading>();

  async scan(question: ScanQuestion, onProgress?: ScanListener): Promise<DiscoveredDevice[]> {
    this.questions.push(question);
    if (question.address !== undefined) parseAddressRange(question.address);
    const { timeoutSeconds = 0 } = question;
    if (!(timeoutSeconds >= 0 && timeoutSeconds <= SCAN_SECONDS_MAX))
      throw new NvrdError("BAD_REQUEST", `timeout: 0 to ${SCAN_SECONDS_MAX} seconds`);
    onProgress?.({ found: 1, part: 0.5 }, () => this.found.slice(0, 1));
    await this.scanEnds;
    return this.found;
  }

  known(): DiscoveredDevice[] {
    return this.heard;
  }

  isAnother({ address }: DiscoveredDevice, { id }: Camera): boolean {
    const heard = { mac: this.macs.get(address) ?? "", isHeardNow: true };
    return isTwinByCard(this.traits.get(id), heard, this.answering.has(id));
  }

  isTwin({ id }: Camera, description: DeviceDescription): boolean {
    const known = this.traits.get(id);
    return known !== undefined && isTwin(known, traitsOf(description), this.answering.has(id));
  }

  async read(logins: readonly LoginAttempt[], onReading?: ReadingListener): Promise<DeviceReading[]> {
    this.logins.push(...logins);
    const readings = logins.map(
      ({ address }): DeviceReading =>
        this.readings.get(address) ?? {
          result: "Unreachable",
          reason: "nothing answers there",
          warnings: [],
        },
    );
    for (const [index, reading] of readings.entries()) onReading?.(index, reading);
    return readings;
  }
}

export function foundDevice(change: Partial<DiscoveredDevice> = {}): DiscoveredDevice {
  return {
    identity: "urn:uuid:aaaaaaaa-0000-4000-8000-000000000001",
    address: "192.168.7.10",
    port: 80,
    isSecure: false,
    path: "/onvif/device_service",
    names: { name: "Door", manufacturer: "Acme", model: "C1", location: "Hall" },
    types: ["NetworkVideoTransmitter"],
    interfaceName: "eth0",
    seenUs: 0,
    isIdentityShared: false,
    heardAgoMs: 1000,
    details: undefined,
    ...change,
  };
}

export function deviceProfile(token: string, change: Partial<DeviceProfile> = {}): DeviceProfile {
  const streamUri = `rtsp://192.168.7.10/${token}`;
  return profile(token, { videoSourceToken: "v1", streamUri, ...change });
}

export function deviceDescription(change: Partial<DeviceDescription> = {}): DeviceDescription {
  return description([deviceProfile("p1")], {
    ...{ manufacturer: "Acme", model: "C1", firmware: "1.0", host: "192.168.7.10" },
    identity: "urn:uuid:aaaaaaaa-0000-4000-8000-000000000001",
    services: { device: "http://192.168.7.10/onvif/device_service" },
    videoSources: [{ token: "v1", channelNumber: 1, width: 1920, height: 1080, framesPerSecond: 25 }],
    ...change,
  });
}

export function readable(read: DeviceDescription): DeviceReading {
  return {
    result: "Readable",
    reason: "",
    warnings: read.warnings.map(({ message }) => message),
    description: read,
  };
}
