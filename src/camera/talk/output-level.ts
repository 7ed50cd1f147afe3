import type { DeviceServices } from "../description/device-description.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";

const LEVEL_MAX = 100;
/** What the schema asks for, in its order (ONVIF schema, AudioOutputConfiguration). */
const MEMBERS = ["Name", "UseCount", "OutputToken", "SendPrimacy"];

/**
 * Sets the level of a device's loudspeaker to `volume` (0 to 100, of the device's own range). False where it has none, or several:
 * then nothing shows which of them the channel means. Rejects with CameraFailure.
 */
export async function setOutputLevel(
  client: SoapClient,
  services: DeviceServices,
  { volume, signal }: { readonly volume: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const [service, address] =
    services.media === undefined
      ? (["media2", services.media2] as const)
      : (["media", services.media] as const);
  if (address === undefined) return false;
  const ask = (operation: string, content: string): Promise<XmlElement> =>
    client.call({ address, service, operation, content, signal });
  const [configuration, ...others] = (await ask("GetAudioOutputConfigurations", "")).children(
    "Configurations",
  );
  const token = configuration?.attribute("token") ?? "";
  if (configuration === undefined || others.length > 0 || token === "") return false;
  const range = await levelRange(ask, token);
  const level = Math.round(range.min + ((range.max - range.min) * volume) / LEVEL_MAX);
  if (Number(configuration.text("OutputLevel")) === level) return true;
  const members = MEMBERS.filter((name) => configuration.child(name) !== undefined)
    .map((name) => `<tt:${name}>${escapeXml(configuration.text(name) ?? "")}</tt:${name}>`)
    .join("");
  const persistence = service === "media" ? "<m:ForcePersistence>true</m:ForcePersistence>" : "";
  const content = `<m:Configuration token="${escapeXml(token)}">${members}<tt:OutputLevel>${level}</tt:OutputLevel></m:Configuration>${persistence}`;
  await ask("SetAudioOutputConfiguration", content);
  return true;
}

async function levelRange(
  ask: (operation: string, content: string) => Promise<XmlElement>,
  token: string,
): Promise<{ readonly min: number; readonly max: number }> {
  const content = `<m:ConfigurationToken>${escapeXml(token)}</m:ConfigurationToken>`;
  const range = (await ask("GetAudioOutputConfigurationOptions", content)).at("Options", "OutputLevelRange");
  const [min, max] = [Number(range?.text("Min") ?? 0), Number(range?.text("Max") ?? LEVEL_MAX)];
  return Number.isInteger(min) && Number.isInteger(max) && min < max
    ? { min, max }
    : { min: 0, max: LEVEL_MAX };
}
