export { aborted } from './aborted.ts'
export { backoff } from './backoff.ts'
export type { BackoffOptions } from './backoff.ts'
export { calmLog } from './calm-log.ts'
export type { Chance } from './chance.ts'
export type { Clock, Deadline, Timer } from './clock.ts'
export { dateOf } from './date-of.ts'
export { DelayHeap } from './delay-heap.ts'
export type { Delayed } from './delay-heap.ts'
export { formatDuration, parseDuration } from './duration.ts'
export {
  CommandNotFound,
  CommandNotStarted,
  DeadlineExceeded,
  DurationNotValid,
  FileNotFound,
  FileNotReadable,
  FileNotWritable,
  RequestNotValid,
  ResponseTooLarge,
  TimeNotValid,
  TrustNotValid,
  Unreachable,
} from './errors.ts'
export { Failure, failure } from './failure.ts'
export type { FailureText, FailureType } from './failure.ts'
export type { Files } from './files.ts'
export type { HttpClient, HttpClientOptions, HttpHead, HttpRequest, HttpResponse, HttpStream, TlsTrust } from './http.ts'
export { httpClient } from './http-client.ts'
export { jsonLog } from './json-log.ts'
export type { Log, LogFields, LogLevel } from './log.ts'
export { memoryFiles } from './memory-files.ts'
export type { Counter, Gauge, Histogram, Labels, MetricOptions, Metrics } from './metrics.ts'
export { nearest } from './nearest.ts'
export { prometheusMetrics } from './prometheus-metrics.ts'
export type { ProcessRequest, ProcessResult, Processes } from './processes.ts'
export { realChance } from './real-chance.ts'
export { realClock } from './real-clock.ts'
export { realFiles } from './real-files.ts'
export { realProcesses } from './real-processes.ts'
export { realResolver } from './real-resolver.ts'
export type { ResolveHost } from './real-resolver.ts'
export { realWebSockets } from './real-web-sockets.ts'
export { recordingLog } from './recording-log.ts'
export { Secret } from './secret.ts'
export { seededChance } from './seeded-chance.ts'
export { serveHandler } from './served-handler.ts'
export type { ServedHandler, ServedHandlerOptions } from './served-handler.ts'
export { silentLog } from './silent-log.ts'
export { simulatedHttp } from './simulated-http.ts'
export type { HttpHandler, ServedRequest, ServedResponse } from './simulated-http.ts'
export { simulatedWebSockets } from './simulated-web-sockets.ts'
export type { ServedWebSocket, WebSocketHandler } from './simulated-web-sockets.ts'
export { textLine } from './text-line.ts'
export { isoTime, isoTimeMicro, parseTime } from './time.ts'
export { unlessAborted } from './unless-aborted.ts'
export { VirtualClock } from './virtual-clock.ts'
export { deadlineBy, sleepBy } from './waiting.ts'
export type { WebSocketConnection, WebSocketRequest, WebSockets } from './web-socket.ts'
export { holdYoungSpace, limitYoungSpace } from './young-space.ts'
