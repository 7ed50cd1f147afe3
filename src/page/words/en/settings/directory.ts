export const words = {
  audit: "Who did what",
  audits: {
    login: "Who logged in",
    loginFailed: "Wrong logins",
    changed: "Who changed the settings",
  },
  sessions: "Where users are logged in now",
  title: "Company directory (LDAP)",
  none: "No directory is set up.",
  off: "The directory is switched off.",
  setWhere: (isOwn: boolean, file: string | null) =>
    isOwn
      ? `It is set here.${file === null ? "" : ` That of the settings file (${file}) does not count.`}`
      : file === null
        ? "It can be set up here, and holds at once."
        : "It is that of the recorder's settings file. What is set up here counts before it.",
  setUp: "Set up the directory",
  remove: "Remove what is set here",
  removeSure: "Really remove? Its users are logged out",
  saved: "The directory holds now.",
  more: "More",
  fields: {
    IsEnabled: "Users of the directory may log in",
    Url: "Address",
    BaseDn: "Where users are searched",
    ServiceDn: "Account that searches",
    StartTls: "Encrypt the connection (StartTLS)",
    BindDn: "Name to log in with, without that account",
    UserFilter: "Filter that finds a user",
    GroupAttribute: "Attribute with a user's groups",
    GroupFilter: "Filter that finds a user's groups",
    Authority: "Certificates that are trusted (PEM)",
  },
  serviceHint: "Empty: users log in by their own name.",
  servicePassword: "Password of the account",
  servicePasswordHint: "Empty: as before. Another address or account needs it again.",
  asks: (url: string, base: string) =>
    `Users of the directory ${url} (${base}) log in here too, with the group that names theirs.`,
  unencrypted: "Passwords go to the directory unencrypted.",
  trialWhy: "Try a login of the directory: nobody is logged in by it.",
  login: "Name in the directory",
  password: "Its password",
  tryIt: "Try it",
  results: {
    Accepted: (group: string) => `The directory accepts the login. Here it has the group ${group}.`,
    NoGroup: () =>
      "The directory accepts the login, but no group here names one of its groups: it cannot log in.",
    Refused: () => "The directory refuses it: there is no such user, or the password is wrong.",
    Unavailable: () => "The directory does not answer as it should.",
  },
  problems: {
    Unreachable: "Nothing answers at its address: check the address and the port, and that it runs.",
    UnknownHost: "Nobody knows its name: check the address, and the DNS server of the recorder.",
    TooSlow: "It took too long to answer.",
    CertificateUntrusted:
      "Its certificate is signed by nobody whom the recorder trusts: check the certificates (ldapCaFile).",
    CertificateExpired: "Its certificate is not valid today: renew it, or correct the clock.",
    CertificateName: "Its certificate is for another name: enter the name that is in it.",
    NoEncryption: "The connection cannot be encrypted: check the address, ldap or ldaps, and the port.",
    EncryptionRequired: "It takes no passwords without encryption: use StartTLS (ldapTls), or ldaps.",
    ServiceRefused:
      "It refuses the account that searches for users: check its name (ldapServiceDn) and password.",
    SearchRefused:
      "It does not let the recorder search: give the account the right to read users and groups.",
    NoBase: "It has no entry of the name where users are searched: check it (ldapBaseDn).",
    FileUnreadable: "A file that the settings name cannot be read.",
    Other: "What it says:",
  },
  groups: (groups: string) => `Groups in the directory: ${groups}`,
};
