import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../hatchery/ground.ts'
import { startOriginalHatchery } from './original-hatchery.ts'
import { impatience, RealGround } from './real-ground.ts'

let ground: RealGround

beforeAll(async () => {
  ground = await RealGround.lay()
})
afterAll(() => ground?.[Symbol.asyncDispose]())

/** A hatchery that runs, whoever's. */
interface Running {
  log(): string
  stop(): Promise<unknown>
}

/** What one job shows of a hatchery, with the worker's own name and what is different each time taken out. */
interface Shown {
  /** What whoever watches the job reads. */
  readonly infos: readonly string[]
  readonly config: Readonly<Record<string, unknown>>
  readonly variables: readonly string[]
  readonly program: string
  /** What the script does, without how it finds out whether curl or wget is there. */
  readonly commands: readonly string[]
  readonly size: { readonly cpus: number | undefined; readonly memoryMB: number | undefined }
  /** Whether the VM stood ready before. */
  readonly stoodReady: boolean
  readonly claims: unknown
}

const command = /^(-n ;|curl|wget|echo|PATH|sudo)/

/** Lets a hatchery make VMs ready and do one job of the flavor large. */
async function show(name: string, start: () => Promise<Running>): Promise<Shown> {
  const hatchery = await start()
  const saw = () => hatchery.log().split('\n').slice(-40).join('\n')
  try {
    const own = () => ground.ready().filter(({ note }) => (note as { hatchery_name: string }).hatchery_name === name)
    await until(() => own().length === 2, 180, saw)
    const standing = own().map(({ id }) => id)
    // The original takes a moment to notice that a VM which it switched off is off.
    await sleep(3_000)
    ground.guests.worksFor(600_000)
    const job = await ground.startJob({ flavor: 'large' })
    await until(async () => (await ground.administrator.jobV2(job)).status === 'Building', 90, saw)
    const { worker_name: worker = '' } = await ground.administrator.jobV2(job)
    const [vm] = ground.other.platform.inventory.byName(worker)
    ground.guests.worksFor(0)
    await until(async () => (await ground.administrator.jobV2(job)).status === 'Success', 90, saw)
    const started = ground.guests.programs.findLast(({ environment }) => environment['CDS_CONFIG'] !== undefined) ?? expect.unreachable()
    const neutral = (text: string) => text.replaceAll(worker, 'WORKER').replaceAll(name, 'HATCHERY').replaceAll(job, 'JOB')
    const config = JSON.parse(neutral(Buffer.from(started.environment['CDS_CONFIG'] ?? '', 'base64').toString())) as Record<string, unknown>
    const [, payload = ''] = String(config['api_token']).split('.')
    const {
      jti: _,
      iat: issued,
      exp: ends,
      ...claims
    } = JSON.parse(neutral(Buffer.from(payload, 'base64url').toString())) as Record<string, number>
    return {
      infos: (await ground.administrator.infosV2(job)).map(({ message }) => neutral(message)),
      config: { ...config, api_token: 'TOKEN', api_endpoint: 'API' },
      variables: Object.keys(started.environment).toSorted(),
      program: started.program,
      commands: neutral(started.args)
        .replaceAll(ground.door.url, 'API')
        .split('\n')
        .map(line => line.trim().replace(/;$/, ''))
        .filter(line => command.test(line)),
      size: { cpus: vm?.cpus, memoryMB: vm?.memoryMB },
      stoodReady: standing.includes(vm?.id ?? ''),
      claims: { ...claims, lasts: (ends ?? 0) - (issued ?? 0) },
    }
  } finally {
    await hatchery.stop()
  }
}

test(
  'on the same API and vCenter a job looks as it does with CDS’s own hatchery: to its user, to its worker, and on its VM',
  { timeout: 800_000 },
  async () => {
    const theirs = await show('original', async () => {
      const { v1: tokenV1, v2: tokenV2 } = await ground.administrator.addHatchery('original', { region: ground.region })
      const vcenter = { ...ground.sim, url: ground.proxy.url }
      return await startOriginalHatchery({ name: 'original', api: ground.door.url, tokenV1, tokenV2, vcenter, ready: 2, more: impatience })
    })
    const ours = await show('ours', async () => {
      const file = await ground.operatorFile('ours', { ready: 2 })
      const hatchery = await ground.start(file, `${ground.folder}/data`)
      return { log: hatchery.log, stop: () => hatchery.kill('SIGTERM') }
    })
    expect(ours).toEqual(theirs)
    expect(ours.commands).toHaveLength(6)
  },
)
