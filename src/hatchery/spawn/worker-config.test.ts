import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { testSettings } from '../testing/hatchery-world.ts'
import { workerConfig, type WorkerConfigOptions } from './worker-config.ts'

const cdn = { http: 'http://cdn:8089', tcp: 'cdn:8090', tcpTls: false }
const base: WorkerConfigOptions = {
  settings: testSettings(),
  worker: 'brave-heron',
  model: { version: 2, name: 'debian12-model', path: '' },
  version: 2,
  jobId: 'b5e1a1c4-6d5c-4a3e-9d5f-0a1b2c3d4e5f',
  region: 'eu',
  token: new Secret('a.b.c'),
  cdn,
}
const textOf = (options: Partial<WorkerConfigOptions>) =>
  Buffer.from(workerConfig({ ...base, ...options }).reveal(), 'base64').toString('utf8')

const log =
  '"log":{"Level":"","Format":"","TextFields":null,"SkipTextFields":null,"GraylogHost":"","GraylogPort":"0","GraylogProtocol":"","GraylogExtraKey":"","GraylogExtraValue":"","GraylogFieldCDSServiceType":"worker","GraylogFieldCDSServiceName":"brave-heron","GraylogFieldCDSVersion":"","GraylogFieldCDSOS":"","GraylogFieldCDSArch":"","SyslogHost":"","SyslogPort":"0","SyslogProtocol":"","SyslogExtraTag":""}'

describe('CDS_CONFIG', () => {
  test('of a V2 job is to the byte what the worker reads', () => {
    expect(textOf({})).toBe(
      `{"name":"brave-heron","basedir":"",${log},"hatchery_name":"hv1","api_endpoint":"http://cds.test","api_token":"a.b.c","cdn_endpoint":"http://cdn:8089","gelf_service_addr":"cdn:8090","model":"debian12-model","run_job_id":"b5e1a1c4-6d5c-4a3e-9d5f-0a1b2c3d4e5f","region":"eu"}`,
    )
  })

  test('of a V1 job carries its number, the path of the model, and no region if there is none', () => {
    const model = { version: 1 as const, name: 'm', path: 'shared.infra/m' }
    expect(textOf({ version: 1, jobId: '123', model, region: '' })).toMatch(/"model":"shared\.infra\/m","booked_job_id":123}$/)
  })

  test('of a V1 job has its number exactly, however large it is', () => {
    expect(textOf({ version: 1, jobId: '9007199254740993', region: '' })).toMatch(/"booked_job_id":9007199254740993}$/)
  })

  test('of a V1 job on a V2 model has the bare name of the model', () => {
    expect(textOf({ version: 1, jobId: '123', region: '' })).toMatch(/"model":"debian12-model","booked_job_id":123}$/)
  })

  test('of a registration names no job', () => {
    const model = { version: 1 as const, name: 'm', path: 'shared.infra/m' }
    expect(textOf({ version: 1, jobId: '', model, region: '' })).toMatch(/"model":"shared\.infra\/m"}$/)
  })

  test('has the settings for workers before those of the hatchery, and is escaped as the original is', () => {
    const { provision, ...rest } = testSettings()
    const worker = {
      ...provision.worker,
      apiInsecure: true,
      basedir: '/tmp/<a>&b',
      cdn: { url: 'https://cdn', tcp: 'cdn:1', tcpTls: true },
      log: { ...provision.worker.log, level: 'info', graylog: { ...provision.worker.log.graylog, host: 'graylog', port: 12_202 } },
    }
    const text = textOf({ settings: { ...rest, provision: { ...provision, worker, environment: { B: '2', A: '1' } } } })
    expect(text).toContain('"basedir":"/tmp/\\u003ca\\u003e\\u0026b"')
    expect(text).toContain('"api_endpoint_insecure":true,"api_token"')
    expect(text).toContain('"cdn_endpoint":"https://cdn","gelf_service_addr":"cdn:1","gelf_service_addr_enable_tls":true,"model"')
    expect(text).toContain('"GraylogHost":"graylog","GraylogPort":"12202"')
    expect(text).toMatch(/"inject_env_vars":\{"A":"1","B":"2"\}\}$/)
  })

  test('is a secret', () => expect(String(workerConfig(base))).toBe('***'))
})
