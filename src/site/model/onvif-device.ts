import type { onvifDevice, StoredOf } from "../../contract/index.js";

/** Who may use the recorder as an ONVIF device; the room `onvif` is that device. */
export type OnvifDeviceSettings = StoredOf<typeof onvifDevice>;
