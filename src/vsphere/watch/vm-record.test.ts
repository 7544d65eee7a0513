import { expect, test } from 'vitest'
import { readXml } from '../xml/reader.ts'
import { changedRecord, emptyRecord } from './vm-record.ts'

const told = (values: Readonly<Record<string, string | undefined>>) =>
  new Map(Object.entries(values).map(([path, text]) => [path, text === undefined ? undefined : readXml(`<val>${text}</val>`)]))

test('what cannot be read of a VM is what it was: it is neither nameless nor switched off by that', () => {
  const running = changedRecord(
    emptyRecord('vm-1'),
    told({ name: 'robin', 'runtime.powerState': 'poweredOn', 'config.template': 'false', 'config.annotation': 'mine' }),
  )
  const away = changedRecord(
    running,
    told({ name: undefined, 'runtime.powerState': undefined, 'config.template': undefined, 'config.annotation': undefined }),
  )
  expect(away.vm).toMatchObject({ name: 'robin', power: 'on', template: false, annotation: 'mine' })
  expect(changedRecord(away, told({ 'runtime.powerState': 'suspended' })).vm.power).toBe('suspended')
  expect(changedRecord(away, told({ 'runtime.powerState': 'poweredOff' })).vm.power).toBe('off')
})
