/** A side of CDS that tells of jobs by itself. */
export interface JobEvents {
  /**
   * Connects, and resolves when the connection stands to the ids of jobs that begin to wait. They end when CDS closes the
   * connection, and throw when it breaks. What began to wait before the connection stood is not among them.
   */
  jobEvents(signal: AbortSignal): Promise<AsyncIterable<string>>
}
