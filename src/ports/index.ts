export type { Chance } from './chance.ts'
export type { Clock, Deadline, Timer } from './clock.ts'
export {
  CommandNotFound,
  CommandNotStarted,
  DeadlineExceeded,
  FileNotFound,
  FileNotReadable,
  FileNotWritable,
  ResponseTooLarge,
  Unreachable,
} from './errors.ts'
export { Failure, failure } from './failure.ts'
export type { FailureText, FailureType } from './failure.ts'
export type { Files } from './files.ts'
export type { HttpClient, HttpClientOptions, HttpHead, HttpRequest, HttpResponse, HttpStream, TlsTrust } from './http.ts'
export type { Log, LogFields, LogLevel } from './log.ts'
export type { Counter, Gauge, Histogram, Labels, MetricOptions, Metrics } from './metrics.ts'
export type { ProcessRequest, ProcessResult, Processes } from './processes.ts'
export { Secret } from './secret.ts'
