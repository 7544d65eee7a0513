import { expect, test } from 'vitest'
import { scriptedConnection } from '../testing/scripted-connection.ts'
import { queryEvents } from './events.ts'

test('events are told oldest first, in the words of a platform', async () => {
  const event = (key: number, type: string, minute: number, more = '') =>
    `<returnval xmlns:xsi="x" xsi:type="${type}"><key>${key}</key><createdTime>2026-01-01T00:0${minute}:00Z</createdTime>${more}` +
    `<vm><name>robin</name><vm type="VirtualMachine">vm-1</vm></vm><fullFormattedMessage>${type} of robin</fullFormattedMessage></returnval>`
  const events = [
    event(6, 'CustomizationFailed', 4, '<reason>rawCloudConfig</reason>'),
    event(5, 'CustomizationNetworkSetupFailed', 3),
    event(4, 'VmMessageEvent', 2),
    event(3, 'VmStartingEvent', 2),
    event(2, 'VmReconfiguredEvent', 1, '<configSpec><name>robin</name></configSpec>'),
    event(1, 'VmClonedEvent', 0),
  ]
  const { connection } = scriptedConnection(method => (method === 'QueryEvents' ? events.join('') : undefined))
  const told = await queryEvents(connection.session, { type: 'VirtualMachine', id: 'vm-1' }, new AbortController().signal)
  expect(told.map(({ type }) => type)).toEqual(['created', 'renamed', 'started', 'other', 'notCustomized', 'notCustomized'])
  expect(told.at(-1)).toMatchObject({ vm: 'vm-1', name: 'robin', message: 'CustomizationFailed of robin' })
})
