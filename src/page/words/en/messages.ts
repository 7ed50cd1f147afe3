export const words = {
  title: "Messages",
  why: "A phone or computer shows you events, with a picture, while this page is closed. You choose cameras, events and hours for each.",
  add: "Add this browser",
  name: "Name of this browser",
  remove: (name: string) => `Remove ${name}`,
  inDirectory: "Users of a directory cannot get messages: the recorder cannot ask for their rights later.",
  toCertificate: "To the certificate",
  obstacles: {
    insecure:
      "Browsers allow messages over HTTPS only, with a certificate that they trust. Open this page with https:// in front of the address; have the device trust the recorder's certificate, or give the recorder one of yours.",
    unable: "This browser cannot get messages. Try another one.",
    install:
      "Put this page on the home screen first (share, then add to home screen) and open it from there.",
    blocked: "This browser blocks messages from this page. Allow them in its settings for this page.",
  },
  refusals: {
    certificate:
      "The browser does not trust the recorder's certificate. Have this device trust it, or give the recorder one of yours.",
    blocked: "You have not allowed messages from this page.",
    service:
      "The browser got no address for messages from its maker. It needs the internet; private windows get none.",
  },
  noWayOut: (host: string) =>
    `The recorder did not reach ${host}. It needs a way to the internet: look at gateway and DNS under network, and let it out to HTTPS.`,
};
