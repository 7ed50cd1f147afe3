import { choice, flag, group, listOf, meaning, nullable, text, type ValueOf } from "../kinds/kinds.js";
import { directory } from "../resource/directory.js";

/** The directory of users, and trials of logins at it: `/api/system/directory`. */

export const directoryState = group({
  IsConfigured: meaning("Whether a directory is asked now.", flag),
  Source: meaning(
    "Who says so: the configuration counts where it says anything, else the settings file.",
    choice("Configuration", "SettingsFile", "None"),
  ),
  Url: nullable(text),
  BaseDn: nullable(text),
  IsEncrypted: meaning("Whether passwords are encrypted on the way to it.", flag),
  ServiceDn: meaning(
    "The account that searches for users; null: users are bound by their own name.",
    nullable(text),
  ),
  Settings: meaning("What the configuration says; null: nothing.", nullable(group(directory))),
  SettingsFileUrl: meaning(
    "The directory of the [settings file](settings.md#ldapurl), which holds where the configuration says nothing.",
    nullable(text),
  ),
});
export type DirectoryState = ValueOf<typeof directoryState>;

/** What keeps the recorder from asking a directory, for who sets it up. */
const DIRECTORY_PROBLEMS = [
  /** Nothing answers at its address. */
  "Unreachable",
  /** Its name has no address. */
  "UnknownHost",
  "TooSlow",
  /** Nobody whom the recorder trusts has signed its certificate. */
  "CertificateUntrusted",
  "CertificateExpired",
  /** Its certificate is for another name. */
  "CertificateName",
  /** It cannot encrypt the connection (StartTLS), or not as the recorder wants. */
  "NoEncryption",
  /** It takes no password over a connection that is not encrypted. */
  "EncryptionRequired",
  /** It refuses the account that searches for users, or that account's password. */
  "ServiceRefused",
  /** The user or the account may not search. */
  "SearchRefused",
  /** There is no entry of the name below which users are searched. */
  "NoBase",
  /** A file of the settings, with certificates or a password, cannot be read. */
  "FileUnreadable",
  /** Anything else; the reason says what. */
  "Other",
] as const;
export type DirectoryProblem = (typeof DIRECTORY_PROBLEMS)[number];

export const directoryTrial = group({
  Result: meaning(
    "`NoGroup`: the password is right, and no user group names one of the user's groups. `Refused`: there is no such user, or the password is wrong. `Unavailable`: the directory does not answer, or the settings do not fit it.",
    choice("Accepted", "NoGroup", "Refused", "Unavailable"),
  ),
  Dn: meaning("The user's entry.", nullable(text)),
  DirectoryGroups: meaning("The user's groups in the directory.", listOf(text)),
  Group: meaning("The user group that the user has here.", nullable(text)),
  Problem: meaning(
    "What keeps the recorder from asking the directory; null where nothing does. `ServiceRefused`: it refuses `ldapServiceDn` or its password. `NoBase`: there is no entry `ldapBaseDn`. `FileUnreadable`: a file of the settings. `Other`: see `Reason`.",
    nullable(choice(...DIRECTORY_PROBLEMS)),
  ),
  Reason: meaning("The same in the directory's own words; null where it has none.", nullable(text)),
});
export type DirectoryTrialResult = ValueOf<typeof directoryTrial>;
