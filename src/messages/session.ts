/** Messages of the login by a form, `/api/session` (docs/ref/api.md). */

/** The body of `POST /api/session`. */
export interface LoginForm {
  readonly Login: string;
  /** The password itself; empty for a user without one. */
  readonly Password: string;
  /** Who checks the password. When absent, the directory is asked as well for a login with an `@`. */
  readonly UserType?: "internal" | "ActiveDirectory";
}

/** Who is logged in: the answer of `POST` and `GET /api/session`. */
export interface SessionState {
  readonly Login: string;
  /** GUID. */
  readonly UserId: string;
  /** The user `root`. */
  readonly IsRoot: boolean;
  /** A senior administrator: has all rights and sees everybody's sessions. */
  readonly IsAdministrator: boolean;
  /** Its password is changed in the directory. */
  readonly IsDirectoryUser: boolean;
  /** Until it has chosen a password of its own, its sessions may do nothing else. */
  readonly MustChangePassword: boolean;
  readonly CanChangePassword: boolean;
  readonly Group: string;
  /** The effective rights, by name, as in `UserGroup` of `/configex`. */
  readonly Rights: Readonly<Record<string, boolean>>;
  /** GUID of this session; null where the request was not authorized by one. */
  readonly SessionId: string | null;
  /** IANA name of the box's time zone. */
  readonly TimeZone: string;
  readonly ServerName: string;
  /** GUID. */
  readonly ServerId: string;
  /** It shows recordings from a bucket: it has no live video, and its cameras and disks cannot be set. */
  readonly IsBucket: boolean;
  readonly Version: string;
  /** Of the box: the page's default where the browser asks for none that the page has. */
  readonly Language: "en" | "ru";
}

/** The body of `POST /api/session/password`. */
export interface PasswordForm {
  readonly Current: string;
  readonly New: string;
}

/** An item of `GET /api/sessions`. */
export interface SessionItem {
  /** GUID. */
  readonly Id: string;
  /** GUID. */
  readonly UserId: string;
  readonly Login: string;
  /** Where it was used last. */
  readonly Address: string;
  /** As the browser names itself. */
  readonly UserAgent: string;
  /** ISO 8601. */
  readonly SinceTime: string;
  readonly LastUsedTime: string;
  /** Whether the request was authorized by it. */
  readonly IsThis: boolean;
}
