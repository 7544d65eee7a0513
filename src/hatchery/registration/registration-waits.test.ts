import { describe, expect, test } from 'vitest'
import type { Refusal } from '../gates/verdict.ts'
import { bareJob } from '../jobs/bare-job.ts'
import type { Bench, BenchOptions } from '../testing/keeping-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { v1Model } from '../testing/scripted-cds.ts'
import { startedRegistrar } from './testing/started-registrar.ts'

describe('a job that wants a model which has to wait for its registration says why', () => {
  const { provision } = plainSettings()
  const allTaken = (bench: Bench) => {
    for (let number = 2; number < 64; number++) bench.world.addVm({ name: `taker-${number}`, power: 'on', addresses: [`10.0.0.${number}`] })
  }
  const otherTemplate = (bench: Bench) =>
    void bench.addVm('debian', { hatcheryName: 'other', model: true, workerModelPath: 'shared.infra/debian' }, { template: true })
  const oneMore = (bench: Bench) => (bench.cds.models = [v1Model({ id: 2, name: 'a', needRegistration: true }), ...bench.cds.models])
  const settings = (given: Partial<typeof provision>) => ({ settings: { provision: { ...provision, ...given } } })
  const wrongLogin = { world: { templates: [{ name: 'debian12', login: { user: 'root', password: 'another' } }] } }

  test.each<{ because: string; options?: BenchOptions; prepare?: (bench: Bench) => void; says: string; unblock: string }>([
    {
      because: 'registering is switched off',
      options: settings({ maxConcurrentRegistering: undefined }),
      says: 'RegisteringOff: models are not registered here: maxConcurrentRegistering is -1',
      unblock: 'set provision.maxConcurrentRegistering to 1 or more',
    },
    {
      because: 'nobody looks for models to register',
      options: settings({ registerEvery: undefined }),
      says: 'RegisteringOff: models are not registered here: registerFrequency is less than 1',
      unblock: 'set provision.registerFrequency to 1 or more',
    },
    {
      because: 'others are being registered',
      options: settings({ maxConcurrentRegistering: 1 }),
      prepare: oneMore,
      says: 'TooManyRegistering: 1 models are being registered, and maxConcurrentRegistering is 1',
      unblock: 'raise provision.maxConcurrentRegistering above 1',
    },
    { because: 'no address is free', prepare: allTaken, says: 'NoAddressFree: no VM stands ready', unblock: 'add a range to iprange' },
    {
      because: 'its template is another’s',
      prepare: otherTemplate,
      says: 'TemplateOfOther: its template',
      unblock: 'let hatchery "other"',
    },
    {
      because: 'CDS does not answer',
      prepare: bench => void bench.cds.failing.add('v1.bookModel'),
      says: 'CdsNotAnswering: CDS could not be asked to keep it for its registration: v1.bookModel fails',
      unblock: 'add a worker model',
    },
    { because: 'it is under way', says: 'ModelUnderWay: it is being registered at this moment', unblock: 'add a worker model' },
    {
      because: 'the last attempt failed',
      options: wrongLogin,
      says: 'RegistrationFailed: the last attempt failed: the first program in the guest did not happen within 1 min',
      unblock: 'add a worker model',
    },
  ])('if $because', async ({ options = {}, prepare, says, unblock }) => {
    const { bench, registrar, gates } = await startedRegistrar(options, prepare)
    const job = bareJob({ version: 1, id: '7', requirements: [{ type: 'model', name: 'debian', value: 'debian' }] })
    bench.cds.jobs.set('7', job)
    let refusal: Refusal | undefined
    for (let tries = 0; tries < 60 && refusal?.message.includes(says) !== true; tries++) {
      await bench.clock.advance(5_000)
      const verdict = await gates.decide(job, new AbortController().signal)
      if (verdict.kind === 'wait') ({ refusal } = verdict)
    }
    expect(refusal).toMatchObject({ gate: 'Model', reason: 'NoModel', unblock: expect.stringContaining(unblock) })
    expect(refusal?.message).toContain(`no worker model "debian" suits the job: debian: it is not registered yet (${says}`)
    await registrar.stop()
  })

  test('and it is said in the log once, until it is for another reason', async () => {
    const { bench, registrar, said } = await startedRegistrar({}, allTaken)
    await bench.pass(10)
    expect(said()).toMatchObject([{ level: 'info', fields: { model: 'shared.infra/debian', reason: 'NoAddressFree' } }])
    bench.world.removeVm(bench.world.byName('taker-9')!.id)
    bench.world.removeVm(bench.world.byName('taker-10')!.id)
    bench.cds.failing.add('v1.bookModel')
    await bench.pass(10)
    expect(said().map(({ fields }) => fields?.['reason'])).toEqual(['NoAddressFree', 'CdsNotAnswering'])
    await registrar.stop()
  })
})
