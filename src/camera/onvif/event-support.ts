import type { DeviceEvents } from "../description/device-description.js";
import type { DeviceQuestions } from "./device-questions.js";
import { isTrue, type XmlElement } from "./xml-element.js";

/**
 * How events are had. Real-time pull points are mandatory (ONVIF Core, 9.2), so their absence must be said: no pull
 * points at all (`MaxPullPoints="0"`), or an explicit no beside a yes to subscriptions, by attributes of the events
 * service or elements of GetCapabilities.
 */
export async function readEvents(
  questions: DeviceQuestions,
  address: string | undefined,
  capabilities: XmlElement | undefined,
): Promise<DeviceEvents> {
  if (address === undefined) return { kind: "none" };
  const response =
    capabilities === undefined
      ? await questions.optional("what its events can do", () =>
          questions.call({ service: "events", address, operation: "GetServiceCapabilities" }),
        )
      : undefined;
  const told = (name: string): string =>
    capabilities?.text(name) ?? response?.child("Capabilities")?.attribute(name) ?? "";
  const pullPoints = told("MaxPullPoints");
  const deniesPullPoints = isFalse(told("WSPullPointSupport")) && pullPoints === "";
  const lacksPullPoints = pullPoints === "0" || deniesPullPoints;
  const subscribes = isTrue(told("WSSubscriptionPolicySupport"));
  return { kind: lacksPullPoints && subscribes ? "base-notification" : "pull-point", address };
}

function isFalse(text: string): boolean {
  return text === "0" || text.toLowerCase() === "false";
}
