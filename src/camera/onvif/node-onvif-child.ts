/**
 * Child process that asks one device by node-onvif. The package may throw from a timer, wait for ever, and read without
 * bound; here that ends this process and nothing else. Takes one message (`ChildOrder`), answers one, and ends.
 */
import process from "node:process";
import onvif from "node-onvif";

export interface ChildOrder {
  /** Address of the device service, http only. */
  readonly address: string;
  readonly login: string;
  readonly password: string;
}

/** Most profiles that are handed on. */
const PROFILES_MAX = 160;

async function ask({ address, login, password }: ChildOrder): Promise<unknown> {
  const device = new onvif.OnvifDevice({ xaddr: address, user: login, pass: password });
  await device.init();
  const profiles = device.getProfileList();
  const services = Object.entries(device.services).map(([name, service]) => [name, service?.xaddr]);
  return {
    information: device.getInformation(),
    profiles: Array.isArray(profiles) ? profiles.slice(0, PROFILES_MAX) : [],
    services: Object.fromEntries(services),
  };
}

process.once("message", (order) => {
  ask(order as ChildOrder).then(
    (answer) => process.send?.(answer, () => process.exit(0)),
    // Its texts come from the device, so only the failure is reported.
    () => process.exit(1),
  );
});
process.once("disconnect", () => process.exit(2));
