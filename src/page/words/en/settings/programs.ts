export const words = {
  title: "Other programs",
  why: "What uses the recorder without this page. Give each program a user of its own, under Users.",
  broker: "Smart home (MQTT)",
  brokerWhy:
    "States, events and pictures of motion go to an MQTT broker. Home Assistant finds the recorder and its cameras there by itself.",
  none: "No broker is set up.",
  off: "The broker is switched off.",
  connected: (url: string) => `Connected to ${url}.`,
  connecting: (url: string) => `Connecting to ${url}.`,
  notConnected: (url: string, problem: string) => `Not connected to ${url}: ${problem}. It is tried again.`,
  setWhere: (isOwn: boolean, file: string | null) =>
    isOwn
      ? `It is set here.${file === null ? "" : ` The broker of the settings file (${file}) is not used.`}`
      : file === null
        ? "It can be set here, and is used at once."
        : "It is set in the settings file of the recorder. What is set here counts instead.",
  setUp: "Set up the broker",
  remove: "Remove what is set here",
  removeSure: "Really remove? Nothing is published then",
  saved: "The broker is used now.",
  more: "More",
  fields: {
    IsEnabled: "The recorder publishes at this broker",
    Url: "Address of the broker",
    Login: "Login at the broker",
    Password: "Password at the broker",
    UserName: "Acts for the user",
    Prefix: "Beginning of topics",
    DiscoveryPrefix: "Home Assistant looks for devices in",
    Authority: "Certificates to trust (PEM)",
  },
  hints: {
    Url: (example: string) => `For example ${example}; the latter is encrypted.`,
    Login: (example: string) => `For example ${example}. Empty: the broker asks for none.`,
    Prefix: (example: string) => `Usually ${example}.`,
    DiscoveryPrefix: (example: string) =>
      `Usually ${example}. Empty: nothing is published for Home Assistant.`,
  },
  passwordHint: "Left empty, it stays as it is. Another address or login needs it again.",
  nobody: "Nobody",
  gone: (name: string) => `${name} (there is no such user any more)`,
  nobodyHint: "Everything is published, and no command is accepted.",
  userHint:
    "Published is what this user may see. Whoever may publish at the broker commands the recorder with this user's rights.",
  tryIt: "Try it",
  trying: "The broker is being tried.",
  accepted: "The broker accepts the recorder.",
  onvif: "The recorder as an ONVIF device",
  onvifWhy:
    "Other recorders and programs take it as a camera with many profiles: live video, pictures, motion, recordings. Each sees what its user may see.",
  onvifUsers: "Who may use it",
  onvifKept:
    "ONVIF proves a password without sending it, so the recorder keeps the passwords of these users as they are. Choose users made for this purpose.",
  onvifAll: "Every user, also those added later",
  onvifAnnounced: "Programs on the network find the recorder by themselves",
  onvifOfFile: "Now the settings file of the recorder says who may. What is saved here counts instead.",
  onvifAt: (address: string) => `Its address: ${address}`,
  onvifWaiting: (names: string) =>
    `The password is not known yet: ${names}. Let each log in once here, or give a new password.`,
  onvifSaved: "It holds now.",
  refused: (problem: string) => `That does not work: ${problem}.`,
};
