import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import type { V1Model } from '../cds/cds.ts'
import type { Job } from '../jobs/job.ts'
import { aV2Model, GateWorld, type GateWorldOptions } from '../testing/gate-world.ts'

const reference = 'P/vcs/owner/repo/debian'

/** Which model a V1 job gets, or why none. */
async function choice(world: GateWorld, job: Job): Promise<string> {
  const verdict = await world.decide(job)
  return verdict.kind === 'go'
    ? `${verdict.plan.model.version} ${verdict.plan.model.name}`
    : verdict.kind === 'wait'
      ? verdict.refusal.reason
      : verdict.kind
}

describe('a V1 job that names a model as code', () => {
  test('gets it', async () => {
    const world = new GateWorld()
    world.v2Models.set(`${reference}@main`, aV2Model({}))
    expect(await choice(world, world.v1Job('1', [`model:${reference}@main`]))).toBe('2 debian')
  })

  test.each<{ why: string; options?: GateWorldOptions; model?: ReturnType<typeof aV2Model>; says: string }>([
    { why: 'nobody can ask for it', options: { tokens: [1] }, model: aV2Model({}), says: 'NoV2Token' },
    { why: 'there is none', says: 'ModelNotFound' },
    { why: 'it is for another sort of hatchery', model: aV2Model({ type: 'docker' }), says: 'WrongModelType' },
    { why: 'it has no image', model: aV2Model({ image: '' }), says: 'ModelNotValid' },
  ])('waits if $why', async ({ options = {}, model, says }) => {
    const world = new GateWorld(options)
    world.v1Model()
    if (model !== undefined) world.v2Models.set(reference, model)
    expect(await choice(world, world.v1Job('1', [`model:${reference}`]))).toBe(says)
  })

  test('is told how to write it if nobody can read it', async () => {
    const world = new GateWorld()
    expect(await world.decide(world.v1Job('1', ['model:P/vcs/owner/repo/']))).toMatchObject({
      refusal: {
        gate: 'Model',
        reason: 'ModelNotFound',
        message: '"P/vcs/owner/repo/" names no worker model',
        unblock: expect.stringMatching(/^write PROJECT/),
      },
    })
  })
})

test.each(['service:postgres', 'memory:4096', 'hostname:h1'])('a V1 job on a model as code is refused too if it wants %s', async need => {
  const world = new GateWorld()
  world.v2Models.set(reference, aV2Model({}))
  expect(await choice(world, world.v1Job('1', [`model:${reference}`, need]))).toBe('UnsupportedRequirement')
})

describe('a V1 job that names no model', () => {
  const settings = { defaultModelsV2: [{ model: reference, binaries: ['docker'] }] }

  test('gets the default that has its binary', async () => {
    const world = new GateWorld({ settings })
    world.v2Models.set(reference, aV2Model({}))
    expect(await choice(world, world.v1Job('1', ['binary:docker']))).toBe('2 debian')
  })

  test('gets a V1 model if no default has its binary', async () => {
    const world = new GateWorld({ settings })
    world.v1Model()
    expect(await choice(world, world.v1Job('1', ['binary:git']))).toBe('1 debian-v1')
  })

  test('gets a V1 model if there is a default and no token to read it with; nothing breaks', async () => {
    const world = new GateWorld({ settings, tokens: [1] })
    expect(await choice(world, world.v1Job('1', ['binary:docker']))).toBe('NoModel')
    const other = new GateWorld({ settings, tokens: [1] })
    other.v1Model({ capabilities: ['docker'] })
    expect(await choice(other, other.v1Job('1', ['binary:docker']))).toBe('1 debian-v1')
  })

  test('names, where none suits, what is wrong with each', async () => {
    const world = new GateWorld()
    world.v1Model({ name: 'a', capabilities: [] })
    world.v1Model({ name: 'b', group: 'team', isDeprecated: true })
    const verdict = await world.decide(world.v1Job('1', ['binary:git']))
    expect(verdict).toMatchObject({
      refusal: { gate: 'Model', message: 'none of 2 worker models suits the job: a: it has no binary git; team/b: it is deprecated' },
    })
  })
})

describe('a V1 model is taken', () => {
  const cases: {
    what: string
    model?: Partial<V1Model>
    needs?: string[]
    job?: Partial<Job>
    region?: string
    template?: boolean
    takes: boolean
  }[] = [
    { what: 'if nothing speaks against it', takes: true },
    { what: 'not if it is of another type', model: { type: 'docker' }, takes: false },
    { what: 'not if it is disabled', model: { disabled: true }, takes: false },
    { what: 'not without its template', template: false, takes: false },
    { what: 'not if CDS wants it registered', model: { needRegistration: true }, takes: false },
    { what: 'with five failures', model: { spawnErrors: 5 }, takes: true },
    { what: 'not with six', model: { spawnErrors: 6 }, takes: false },
    { what: 'if its group may run the job', job: { groups: ['shared.infra', 'team'] }, takes: true },
    { what: 'not if its group may not', job: { groups: ['team'] }, takes: false },
    { what: 'not if it is deprecated', model: { isDeprecated: true }, takes: false },
    { what: 'if it is deprecated but named', model: { isDeprecated: true }, needs: ['model:debian-v1'], takes: true },
    { what: 'by group and name', needs: ['model:shared.infra/debian-v1'], takes: true },
    { what: 'by name and what follows a space', needs: ['model:debian-v1 --port=8080'], takes: true },
    { what: 'by its bare name though its group is another', model: { group: 'team' }, needs: ['model:debian-v1'], takes: true },
    { what: 'not by another group’s name', needs: ['model:team/debian-v1'], takes: false },
    { what: 'not by another name', needs: ['model:rocky'], takes: false },
    { what: 'if it has the binaries', needs: ['binary:git', 'binary:bash'], takes: true },
    { what: 'not if it lacks one', needs: ['binary:git', 'binary:docker'], takes: false },
    { what: 'if it lacks one but is named', needs: ['model:debian-v1', 'binary:docker'], takes: true },
    { what: 'if it is of the architecture', needs: ['os-architecture:linux/amd64'], takes: true },
    { what: 'not if it is of another', needs: ['os-architecture:linux/arm64'], takes: false },
    { what: 'if its architecture is not known', model: { registeredArch: '' }, needs: ['os-architecture:linux/arm64'], takes: true },
    { what: 'with a flavor', needs: ['flavor:small'], takes: true },
    { what: 'in the region', needs: ['region:eu'], region: 'eu', takes: true },
    { what: 'not in another', needs: ['region:us'], region: 'eu', takes: false },
    { what: 'not with a service', needs: ['service:postgres'], takes: false },
    { what: 'not with memory', needs: ['memory:1024'], takes: false },
    { what: 'not with a host name', needs: ['hostname:h1'], takes: false },
    { what: 'not without a command', model: { cmd: '' }, takes: false },
  ]
  test.each(cases)('$what', async ({ model = {}, needs = [], job = {}, region = '', template = true, takes }) => {
    const world = new GateWorld({ provision: { region } })
    const made = world.v1Model(model)
    if (!template) world.inventory.drop(world.fleet.modelTemplate(made.name)?.vm.id ?? '')
    const verdict = await world.decide(world.v1Job('1', needs, job))
    expect(verdict.kind).toBe(takes ? 'go' : 'wait')
  })

  test('not if it failed too often; that is said also where it is for that reason not registered, and what helps', async () => {
    const world = new GateWorld()
    world.v1Model({ spawnErrors: 6, needRegistration: true })
    expect(await world.decide(world.v1Job('1'))).toMatchObject({
      refusal: {
        reason: 'NoModel',
        message: 'none of 1 worker models suits the job: debian-v1: starting it failed 6 times',
        unblock: 'see its last error in CDS and save the model again, which forgets them',
      },
    })
  })

  test.each([
    { model: { needRegistration: true }, job: { groups: ['team'] }, says: 'group shared.infra may not run the job' },
    { model: { needRegistration: true, isDeprecated: true }, job: {}, says: 'it is deprecated' },
    { model: {}, job: {}, says: 'it has no binary docker' },
  ])('not if it does not suit the job, and then nobody is sent to mend it: $says', async ({ model, job, says }) => {
    const world = new GateWorld()
    world.v1Model({ spawnErrors: 6, ...model })
    expect(await world.decide(world.v1Job('1', ['binary:docker'], job))).toMatchObject({
      refusal: {
        message: `none of 1 worker models suits the job: debian-v1: ${says}`,
        unblock: 'add a worker model that suits the job, or correct its requirements',
      },
    })
  })

  test('the first that suits, in the order of CDS', async () => {
    const world = new GateWorld()
    world.v1Model({ name: 'a', capabilities: [] })
    world.v1Model({ name: 'b' })
    world.v1Model({ name: 'c' })
    expect(await choice(world, world.v1Job('1', ['binary:git']))).toBe('1 b')
  })

  test('with its secrets filled in', async () => {
    const world = new GateWorld()
    world.v1Model({ password: '{{.secrets.pw}}' })
    world.secrets.set('secrets.pw', new Secret('hidden'))
    const verdict = await world.decide(world.v1Job('1'))
    expect(verdict.kind === 'go' && verdict.plan.model.password?.reveal()).toBe('hidden')
  })

  test('whose secrets cannot be read waits', async () => {
    const world = new GateWorld()
    world.v1Model({ password: '{{.secrets.pw}}' })
    world.failing.add('v1.modelSecrets')
    expect(await choice(world, world.v1Job('1'))).toBe('CdsNotAnswering')
  })

  test('without a question for secrets as long as there is no room', async () => {
    const world = new GateWorld({ settings: { maxCpus: 1 } })
    world.v1Model({ password: '{{.secrets.pw}}', flavor: 'small' })
    expect(await choice(world, world.v1Job('1'))).toBe('MaxCpusReached')
    expect(world.calls.filter(call => call.startsWith('v1.modelSecrets'))).toEqual([])
  })
})

describe('a V2 job', () => {
  test.each<{ what: string; job: Partial<Job>; says: string }>([
    { what: 'gets its model', job: {}, says: '2 debian' },
    { what: 'waits without runs-on', job: { runsOn: { model: '', flavor: '' } }, says: 'NoModel' },
    { what: 'waits if CDS does not know the model', job: { model: undefined }, says: 'ModelNotFound' },
    { what: 'waits with a model of another type', job: { model: aV2Model({ type: 'openstack' }) }, says: 'WrongModelType' },
    { what: 'waits with a model without an image', job: { model: aV2Model({ image: '' }) }, says: 'ModelNotValid' },
  ])('$what', async ({ job, says }) => {
    const world = new GateWorld()
    expect(await choice(world, world.v2Job('1', job))).toBe(says)
  })
})
