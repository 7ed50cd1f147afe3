import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { type DeviceDirectory, SCAN_SECONDS_MAX, type ScanProgress } from "../../camera/index.js";
import type { DiscoveryItem } from "../../contract/answer/index.js";
import type { ControlServer } from "../../host/control/index.js";
import { discoveryItems } from "../../owner/index.js";
import type { SiteStore } from "../../site/index.js";

/** `nvrd discover` on the control socket: the request and the answer. */

const TEXT_LENGTH_MAX = 256;
const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));

const questionSchema = v.object({
  interface: v.optional(text),
  address: v.optional(text),
  timeoutSeconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(SCAN_SECONDS_MAX))),
});

/** The answer of the service. */
export const itemsSchema = v.array(
  v.object({
    Name: v.string(),
    Manufacturer: v.string(),
    Model: v.string(),
    Address: v.string(),
    Identity: v.string(),
    Interface: v.string(),
    Location: v.string(),
    IsIdentityShared: v.boolean(),
    Profiles: v.array(
      v.object({ Name: v.string(), VideoFormat: v.string(), Width: v.number(), Height: v.number() }),
    ),
    AlreadyAdded: v.boolean(),
    ChannelIds: v.array(v.string()),
    ModelId: v.string(),
  }),
) satisfies v.GenericSchema<unknown, DiscoveryItem[]>;

/** Registers the command on the control socket. */
export function registerDiscoverCommand(
  control: ControlServer,
  devices: DeviceDirectory,
  site: SiteStore,
): void {
  control.register("discover", async (call) => {
    const given = v.safeParse(questionSchema, call.arguments);
    if (!given.success)
      throw new NvrdError("BAD_REQUEST", "discover requires interface, address, timeoutSeconds");
    const found = await devices.scan(given.output, (progress) => call.progress(progressText(progress)));
    return discoveryItems(found, site.current.cameras, devices);
  });
}

/** The progress of a scan as text. */
export function progressText({ found, part }: ScanProgress): string {
  return `${Math.floor(part * 100)} % ${found} ${found === 1 ? "device" : "devices"}`;
}
