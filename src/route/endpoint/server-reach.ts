/** The address and ports at which the server is reached. */
export interface ServerReach {
  /** An address that clients on the LAN can use. */
  readonly address: string;
  /** 0: off. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** 0: there is no RTSP server. */
  readonly rtspPort: number;
}
