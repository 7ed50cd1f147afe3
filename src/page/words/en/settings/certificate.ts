export const words = {
  title: "Certificate of HTTPS",
  isOff: "HTTPS is off: the page is reached over HTTP only.",
  ownWhy:
    "The recorder has made this certificate itself. Browsers warn of it until it is installed on the device as trusted: save it, compare the fingerprint, and install it there.",
  signedWhy: "The page is shown over HTTPS with this certificate.",
  names: "For",
  issuer: "Signed by",
  itself: "itself",
  validTo: "Valid until",
  fingerprint: "Fingerprint",
  save: "Save the certificate",
  ofSettings: "It is a file that the recorder's settings name: replace that file.",
  another: "Use another certificate",
  anotherHint:
    "Two files that your authority has given you, as text (PEM): the certificate with those that sign it, and its key without a password. The key is not shown again.",
  certificateFile: "Certificate",
  keyFile: "Key",
  chosen: (what: string, name: string | undefined) =>
    name === undefined ? `Choose: ${what}` : `${what}: ${name}`,
  replace: "Use it",
  own: "Back to the recorder's own",
  ownSure: "Back to its own: browsers warn of it",
  replaced: "The new certificate is used in a few seconds.",
};
