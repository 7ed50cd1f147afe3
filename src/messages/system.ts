/** Messages about the recorder itself: `/api/health` and `/api/system` (docs/ref/api.md). */

/** The answer of `GET /api/health`, as far as the page uses it. */
export interface HealthAnswer {
  readonly State: "ok" | "warning" | "error";
  /** ISO 8601. */
  readonly Time: string;
  readonly Problems: readonly {
    readonly Code: string;
    readonly Severity: "warning" | "error";
    /** What is wrong, and with what. */
    readonly Text: string;
    readonly Action: string;
    /** What is wrong and what to do about it, in the language that was asked for. */
    readonly Title: string;
    readonly Remedy: string;
    /** GUID. */
    readonly ChannelId: string | null;
  }[];
  readonly Cameras: { readonly ToRecord: number; readonly Recording: number };
  readonly Archive: {
    readonly DepthDays: number | null;
    readonly DaysHeld: number | null;
  };
  readonly Clock: {
    readonly IsKnown: boolean;
    readonly KnownBy: "time-server" | "battery-clock" | "host" | "set" | "operator" | "settings" | null;
  };
  readonly Machine: { readonly UptimeSeconds: number | null };
  readonly Service: { readonly UptimeSeconds: number };
  readonly Versions: { readonly Nvrd: string };
  readonly Restarts: readonly {
    readonly Start: string;
    readonly LastSeen: string;
    /** Null: it is running. */
    readonly End: "stopped" | "updated" | "failed" | "crashed" | "killed" | "power-lost" | null;
    readonly Version: string;
  }[];
}

export type HistoryFigureName =
  | "CpuPercent"
  | "MemoryPercent"
  | "NetworkInBytesPerSecond"
  | "NetworkOutBytesPerSecond"
  | "DiskWriteBytesPerSecond"
  | "Celsius"
  | "DepthDays";

/** The answer of `GET /api/system/history`. */
export interface HistoryAnswer {
  readonly StepSeconds: number;
  /** ISO 8601: when the first step begins. */
  readonly StartTime: string;
  /** One value a step, the oldest first; null where nothing is known. */
  readonly Figures: Readonly<
    Record<
      HistoryFigureName,
      { readonly Means: readonly (number | null)[]; readonly Peaks: readonly (number | null)[] }
    >
  >;
}

/** The answer of `GET /api/system/log`. */
export interface LogAnswer {
  /** The system's journal goes back over restarts. */
  readonly Source: "Journal" | "Memory";
  readonly HasMore: boolean;
  /** The newest first. */
  readonly Lines: readonly {
    readonly Time: string;
    readonly Level: "Debug" | "Information" | "Warning" | "Error";
    readonly Text: string;
    /** GUID of the camera that it names. */
    readonly ChannelId: string | null;
  }[];
}
