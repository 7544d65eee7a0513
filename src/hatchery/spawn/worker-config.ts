import type { Cdn } from '../cds/cds.ts'
import { jobNumber } from '../cds/worker-token.ts'
import type { StarterModel } from '../models/starter-model.ts'
import { Secret } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'

/** Which worker is told what. */
export interface WorkerConfigOptions {
  readonly settings: Pick<HatcherySettings, 'name' | 'provision'>
  readonly worker: string
  readonly model: Pick<StarterModel, 'version' | 'name' | 'path'>
  /** Which queue the job comes from, whatever its model. */
  readonly version: 1 | 2
  /** Empty for a registration. */
  readonly jobId: string
  /** Of the sign-in for V2, of the configuration for V1. Empty: none. */
  readonly region: string
  readonly token: Secret
  readonly cdn: Cdn
}

/** What a worker reads from CDS_CONFIG: base64 of JSON, keys and omissions as the worker's own program expects them. */
export function workerConfig(options: WorkerConfigOptions): Secret {
  return new Secret(Buffer.from(asGoWrites(contents(options)), 'utf8').toString('base64'))
}

function contents({ settings, worker, model, version, jobId, region, token, cdn }: WorkerConfigOptions): object {
  const { environment, worker: told } = settings.provision
  const tls = told.cdn.tcpTls ?? cdn.tcpTls
  return {
    name: worker,
    basedir: told.basedir,
    log: logOf(worker, told.log),
    hatchery_name: settings.name,
    api_endpoint: told.apiUrl,
    ...(told.apiInsecure && { api_endpoint_insecure: true }),
    api_token: token.reveal(),
    cdn_endpoint: told.cdn.url ?? cdn.http,
    gelf_service_addr: told.cdn.tcp ?? cdn.tcp,
    ...(tls && { gelf_service_addr_enable_tls: true }),
    model: model.version === 1 ? model.path : model.name,
    ...(version === 1 && jobId !== '' && { booked_job_id: jobNumber(jobId) }),
    ...(version === 2 && jobId !== '' && { run_job_id: jobId }),
    ...(region !== '' && { region }),
    ...(Object.keys(environment).length > 0 && { inject_env_vars: inOrder(environment) }),
  }
}

/** These keys are names of fields in the worker's program, and ports are texts: so it is. */
function logOf(worker: string, { level, graylog, syslog }: HatcherySettings['provision']['worker']['log']): object {
  return {
    Level: level,
    Format: '',
    TextFields: null,
    SkipTextFields: null,
    GraylogHost: graylog.host,
    GraylogPort: String(graylog.port),
    GraylogProtocol: graylog.protocol,
    GraylogExtraKey: graylog.extraKey,
    GraylogExtraValue: graylog.extraValue,
    GraylogFieldCDSServiceType: 'worker',
    GraylogFieldCDSServiceName: worker,
    GraylogFieldCDSVersion: '',
    GraylogFieldCDSOS: '',
    GraylogFieldCDSArch: '',
    SyslogHost: syslog.host,
    SyslogPort: String(syslog.port),
    SyslogProtocol: syslog.protocol,
    SyslogExtraTag: syslog.extraTag,
  }
}

function inOrder(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** JSON to the byte as the original writes it, so that the two can be compared. */
function asGoWrites(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
