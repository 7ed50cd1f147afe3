export const DIRECTORY = "/api/system/directory";

type Text =
  | "Url"
  | "BaseDn"
  | "ServiceDn"
  | "BindDn"
  | "UserFilter"
  | "GroupAttribute"
  | "GroupFilter"
  | "Authority";

/** What the configuration says. */
export type DirectorySettings = Readonly<Record<Text, string>> & {
  readonly IsEnabled: boolean;
  readonly StartTls: boolean;
};

/** Which directory holds, and who says so. */
export interface DirectoryState {
  readonly IsConfigured: boolean;
  readonly Url: string | null;
  readonly BaseDn: string | null;
  readonly IsEncrypted: boolean;
  /** What the configuration says; null: nothing. */
  readonly Settings: DirectorySettings | null;
  readonly SettingsFileUrl: string | null;
}
