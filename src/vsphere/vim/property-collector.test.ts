import { expect, test } from 'vitest'
import { VimFault } from '../errors.ts'
import { scriptedConnection } from '../testing/scripted-connection.ts'
import { retrieveOne } from './property-collector.ts'

const vm = { type: 'VirtualMachine', id: 'vm-1' }

/** What is read of a VM none of whose properties can be read, for that fault. */
function refusedFor(fault: string) {
  const why = `<fault><fault xmlns:xsi="x" xsi:type="${fault}"><privilegeId>System.Read</privilegeId></fault></fault>`
  const object = `<objects><obj type="VirtualMachine">vm-1</obj><missingSet><path>name</path>${why}</missingSet></objects>`
  const { connection } = scriptedConnection(method => (method === 'RetrievePropertiesEx' ? `<returnval>${object}</returnval>` : undefined))
  return retrieveOne(connection.session, vm, ['name'])
}

test('an object that went away while it was read is not there', async () => {
  expect(await refusedFor('ManagedObjectNotFound')).toBeUndefined()
})

test('an object that may not be read is not taken for one that is gone', async () => {
  const error = await refusedFor('NoPermission').catch((refused: unknown) => refused)
  expect(VimFault.is(error) && error.details).toMatchObject({ fault: 'NoPermission', about: 'System.Read' })
})
