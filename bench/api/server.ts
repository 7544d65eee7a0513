/** A server with the Kubernetes API: Aviary or its peer, seen alike. */
export interface Server {
  readonly name: string
  readonly url: string
  /** PEM of the authority that signed its certificate. */
  readonly ca: string
  /** Of a user who may do everything. */
  readonly token: string
  /** All its processes. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}
