import { expect, test } from 'vitest'
import { aVm } from '../../platform/testing/a-vm.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { CloneMemory } from './clone-memory.ts'

const template = aVm({ id: 'vm-1', name: 'debian', template: true })

/** A template whose current snapshot is `snapshot.id`. */
function remembering() {
  const snapshot = { id: 'snapshot-1' }
  const { connection } = scriptedConnection(method => {
    if (method !== 'RetrievePropertiesEx') return undefined
    const current = `<val type="VirtualMachineSnapshot">${snapshot.id}</val>`
    return `<returnval>${listed('VirtualMachine', 'vm-1', { 'snapshot.currentSnapshot': current })}</returnval>`
  })
  connection.inventory.replace([template])
  const memory = new CloneMemory(connection)
  return { connection, snapshot, current: async () => (await memory.template('vm-1')).snapshot?.id }
}

test('a template is read once', async () => {
  const { snapshot, current } = remembering()
  expect(await current()).toBe('snapshot-1')
  snapshot.id = 'snapshot-2'
  expect(await current()).toBe('snapshot-1')
})

test('a template that was a VM for a while is read again, so that clones hang on what it is now', async () => {
  const { connection, snapshot, current } = remembering()
  await current()
  connection.inventory.put({ ...template, template: false })
  snapshot.id = 'snapshot-2'
  connection.inventory.put(template)
  expect(await current()).toBe('snapshot-2')
})
