/** The part of node-onvif 0.1.7 that nvrd uses; the package has no types. Its results come from the device unchecked. */
declare module "node-onvif" {
  class OnvifDevice {
    constructor(options: { readonly xaddr: string; readonly user?: string; readonly pass?: string });
    readonly services: Readonly<Record<string, { readonly xaddr?: unknown } | null>>;
    /** Reads capabilities, information, profiles and addresses; may never settle. */
    init(): Promise<unknown>;
    getInformation(): unknown;
    getProfileList(): unknown;
  }

  // CommonJS; the export is one object.
  const library: {
    readonly OnvifDevice: typeof OnvifDevice;
  };
  export = library;
}
