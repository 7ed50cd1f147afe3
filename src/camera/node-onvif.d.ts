/** The part of node-onvif that is used; the package has no types. */
declare module "node-onvif" {
  interface ProbeAnswer {
    readonly urn: unknown;
    readonly xaddrs: unknown;
    readonly scopes: unknown;
    readonly types: unknown;
  }
  interface NodeOnvif {
    /** Asks on the default route only; ends after some 3 s. One at a time: a second one breaks both. */
    startProbe(): Promise<readonly ProbeAnswer[]>;
  }
  // CommonJS, whose whole export is one object.
  const nodeOnvif: NodeOnvif;

  export = nodeOnvif;
}
