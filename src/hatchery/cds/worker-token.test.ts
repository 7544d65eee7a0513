import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { CdsBench } from '../testing/cds-bench.ts'
import { testRsaKey } from '../testing/operator-file.ts'
import type { WorkerIdentity } from './cds.ts'
import { HatcheryKeyNotValid, JobNumberNotValid } from './errors.ts'
import { readHatcheryKey } from './hatchery-key.ts'

const bench = new CdsBench()
const now = Math.floor(bench.clock.now() / 1000)
const worker: WorkerIdentity = {
  worker: 'brave-curie',
  version: 1,
  jobId: '123',
  registerOnly: false,
  modelId: 5,
  modelName: 'deb',
}

/** The two texts of a token, after its signature was checked. */
function open(token: Secret): { readonly header: string; readonly claims: string } {
  const [header = '', content = '', signature = ''] = token.reveal().split('.')
  const key = createPublicKey(testRsaKey())
  expect(verify('RSA-SHA512', Buffer.from(`${header}.${content}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  return { header: Buffer.from(header, 'base64url').toString(), claims: Buffer.from(content, 'base64url').toString() }
}

function claims(identity: Partial<WorkerIdentity>): string {
  const { claims: text } = open(bench.cds.workerToken({ ...worker, ...identity }))
  const jti = (JSON.parse(text) as { jti: string }).jti
  expect(jti).toMatch(/^[0-9a-f-]{36}$/)
  return text.replace(jti, 'ID')
}

describe('a worker’s token', () => {
  const frame = `"iss":"aviary","sub":"brave-curie","jti":"ID","iat":${now},"exp":${now + 3600}`

  test('is RS512, and each has an id of its own', () => {
    expect(open(bench.cds.workerToken(worker)).header).toBe('{"alg":"RS512","typ":"JWT"}')
    expect(bench.cds.workerToken(worker).reveal()).not.toBe(bench.cds.workerToken(worker).reveal())
  })

  test.each<[string, Partial<WorkerIdentity>, string]>([
    [
      'for a V1 job on a V1 model',
      {},
      '{"worker_model":"brave-curie","model":{"id":5,"name":"deb"},"job_id":123,"register_only":false,"hatchery_name":"aviary"}',
    ],
    [
      'for a V1 job on a V2 model',
      { modelId: undefined },
      '{"worker_model":"brave-curie","model":{},"job_id":123,"register_only":false,"hatchery_name":"aviary"}',
    ],
    [
      'for a V1 job with a number larger than JavaScript can hold',
      { jobId: '9007199254740993' },
      '{"worker_model":"brave-curie","model":{"id":5,"name":"deb"},"job_id":9007199254740993,"register_only":false,"hatchery_name":"aviary"}',
    ],
    [
      'for a registration',
      { jobId: '', registerOnly: true },
      '{"worker_model":"brave-curie","model":{"id":5,"name":"deb"},"register_only":true,"hatchery_name":"aviary"}',
    ],
    [
      'for a V2 job',
      { version: 2, jobId: '4f0c', modelId: undefined },
      '{"worker_model":"brave-curie","model_name":"deb","run_job_id":"4f0c","hatchery_name":"aviary"}',
    ],
  ])('%s has exactly these claims', (_case, identity, expected) => {
    expect(claims(identity)).toBe(`{${frame},"Worker":${expected}}`)
  })

  test('is not made for what is no V1 job', () => {
    expect(() => bench.cds.workerToken({ ...worker, jobId: '1 or 2' })).toThrow(expect.objectContaining({ code: JobNumberNotValid.code }))
  })
})

describe('the hatchery’s key', () => {
  test.each([
    ['nothing', '', 'not a private key'],
    ['a public key', createPublicKey(testRsaKey()).export({ type: 'pkcs1', format: 'pem' }), 'not a private key'],
    ['a key that is cut short', testRsaKey().slice(0, 200), 'damaged'],
    [
      'a key of another sort',
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIGx4bDnJgHHLo2gHmjY7Y1y7G6v0k0Wd0mXlG9Gv1dJo\n-----END PRIVATE KEY-----\n',
      'not RSA',
    ],
    ['a key with a passphrase', '-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----', 'passphrase'],
  ])('%s is refused, without a word of it', (_case, pem, why) => {
    let caught: unknown
    try {
      readHatcheryKey(new Secret(String(pem)))
    } catch (error) {
      caught = error
    }
    expect(caught).toMatchObject({ code: HatcheryKeyNotValid.code, message: expect.stringContaining(why), fix: expect.any(String) })
    expect((caught as Error).cause).toBeUndefined()
  })
})
