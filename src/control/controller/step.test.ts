import { expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { type Controller, controller, type Pass } from './controller.ts'
import { again, done, met, next, record, remove, report, type Step, wait } from './step.ts'

const well = { reason: 'Fine', message: 'all is well' }

test('outcomes are plain data', () => {
  expect(next).toEqual({ go: 'on' })
  expect(done).toEqual({ go: 'end' })
  expect(again(5)).toEqual({ go: 'on', again: 5 })
  expect(report<Nest>({ phase: 'Building' })).toEqual({ go: 'on', status: { phase: 'Building' } })
  expect(record<Nest>({ hatched: 1 })).toEqual({ go: 'restart', status: { hatched: 1 } })
  expect(remove('old')).toEqual({ go: 'remove', why: 'old' })
  expect(met('Ready', well)).toEqual({ go: 'on', condition: { type: 'Ready', status: 'well', ...well } })
  expect(wait('Ready', { ...well, until: 7, then: 'x' })).toMatchObject({ go: 'end', again: 7, condition: { status: 'unwell', then: 'x' } })
})

test('steps that are plain functions over a pass of their own fit a controller whose snapshot gives what they need', () => {
  type NestPass = Pass<Nest> & { readonly pace: number; readonly rival: Nest | undefined }
  const simple = ({ now }: Pass<Nest>): Step<Nest> => again(now + 1)
  const needy = ({ rival, pace }: NestPass): Step<Nest> => report({ hatched: rival === undefined ? pace : 0 })
  const made = [
    controller(Nest, {
      snapshot: ({ read, object }) => ({ pace: 3, rival: read(Nest).get(object.metadata.name) }),
      steps: [simple, needy],
    }),
    controller(Nest, { snapshot: async ({ object }) => ({ pace: 3, rival: object }), steps: [needy], always: [simple], cleanup: [needy] }),
    // @ts-expect-error the snapshot lacks what a step needs
    controller(Nest, { snapshot: ({ object }) => ({ rival: object }), steps: [simple, needy] }),
  ]
  expect(made).toHaveLength(3)
})

test('the type checker knows what a status has, wherever a step is written', () => {
  const inFunction = (): Step<Nest> => [report({ phase: 'Hatched' }), met('Ready', well)]
  const made: Controller[] = [
    controller(Nest, { steps: [inFunction, () => report({ phase: 'Hatched' })] }),
    controller(Nest, { steps: [({ object }) => [report({ hatched: object.spec.eggs }), done]] }),
    controller(Nest, {
      steps: [() => (made.length > 0 ? next : record({ phase: 'Hatched' })), async () => report({ hatched: undefined })],
    }),
    controller(Nest, { snapshot: () => ({ limit: 3 }), steps: [({ limit }) => report({ hatched: limit })] }),
    // @ts-expect-error there is no such phase
    controller(Nest, { steps: [() => report({ phase: 'Flying' })] }),
    // @ts-expect-error there is no such field
    controller(Nest, { steps: [() => report({ colour: 'red' })] }),
    // @ts-expect-error conditions are written by other means
    controller(Nest, { steps: [() => report({ conditions: [] })] }),
    // @ts-expect-error a wait says what happens then
    controller(Nest, { steps: [() => wait('Ready', well)] }),
  ]
  expect(made.map(({ name }) => name)).toEqual(made.map(() => 'nest'))
})
