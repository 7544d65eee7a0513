import type { Session } from '../soap/session.ts'
import { child, children, childText } from '../xml/element.ts'
import { reference, type Ref } from '../xml/writer.ts'

/** On which object of the configuration a privilege is needed. */
export type PrivilegePlace = 'folder' | 'resourcePool' | 'datastore' | 'network' | 'template'

/** A privilege, and what does not work without it. */
export interface Privilege {
  readonly id: string
  readonly on: PrivilegePlace
  readonly breaks: string
}

/** Everything that Aviary's account must be allowed to do. */
export const privileges: readonly Privilege[] = [
  { id: 'System.View', on: 'folder', breaks: 'VMs cannot be seen' },
  { id: 'System.Read', on: 'folder', breaks: 'VMs cannot be watched' },
  { id: 'VirtualMachine.Inventory.CreateFromExisting', on: 'folder', breaks: 'no VM can be made there' },
  { id: 'VirtualMachine.Config.AddNewDisk', on: 'folder', breaks: 'no VM can be made there: it gets no disk' },
  { id: 'VirtualMachine.Inventory.Delete', on: 'folder', breaks: 'VMs cannot be removed and pile up' },
  { id: 'VirtualMachine.Interact.PowerOn', on: 'folder', breaks: 'VMs cannot be started' },
  { id: 'VirtualMachine.Interact.PowerOff', on: 'folder', breaks: 'VMs cannot be stopped, so neither claimed nor removed' },
  { id: 'VirtualMachine.Config.Rename', on: 'folder', breaks: 'ready VMs cannot be claimed' },
  { id: 'VirtualMachine.Config.Annotation', on: 'folder', breaks: 'VMs cannot be marked as ours, so none is ever touched again' },
  { id: 'VirtualMachine.Config.CPUCount', on: 'folder', breaks: 'VMs cannot get the CPUs of their flavor' },
  { id: 'VirtualMachine.Config.Memory', on: 'folder', breaks: 'VMs cannot get the memory of their flavor' },
  { id: 'VirtualMachine.Config.DiskExtend', on: 'folder', breaks: 'disks cannot be made as large as a flavor wants them' },
  { id: 'VirtualMachine.Config.EditDevice', on: 'folder', breaks: 'VMs cannot be put on the configured network' },
  {
    id: 'VirtualMachine.Config.AddRemoveDevice',
    on: 'folder',
    breaks: 'a network card of another type cannot take the place of the template’s',
  },
  { id: 'VirtualMachine.Config.Settings', on: 'folder', breaks: 'VMware Tools cannot be told what to do when a VM starts' },
  { id: 'VirtualMachine.Provisioning.MarkAsTemplate', on: 'folder', breaks: 'no template can be built for a worker model' },
  { id: 'VirtualMachine.GuestOperations.Execute', on: 'folder', breaks: 'workers cannot be started inside VMs' },
  { id: 'VirtualMachine.GuestOperations.Query', on: 'folder', breaks: 'how a program in a VM ended cannot be seen' },
  { id: 'VirtualMachine.Provisioning.DeployTemplate', on: 'template', breaks: 'the template cannot be cloned' },
  { id: 'VirtualMachine.Provisioning.Customize', on: 'template', breaks: 'clones cannot be given a name and an address' },
  { id: 'Resource.AssignVMToPool', on: 'resourcePool', breaks: 'no VM can run in the pool' },
  { id: 'Datastore.AllocateSpace', on: 'datastore', breaks: 'VMs get no disks' },
  { id: 'Network.Assign', on: 'network', breaks: 'VMs cannot be put on the network' },
]

/** Which of the privileges the session's account does not have on the object. */
export async function missingPrivileges(
  session: Session,
  entity: Ref,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { manager } = await session.content(signal)
  const args = { entity: [reference(entity)], sessionId: session.key, privId: [...ids] }
  const answer = await session.call('HasPrivilegeOnEntities', manager('authorizationManager'), args, { signal })
  const result = child(answer, 'returnval')
  const granted = (result === undefined ? [] : children(result, 'privAvailability'))
    .filter(entry => childText(entry, 'isGranted') === 'true')
    .map(entry => childText(entry, 'privId') ?? '')
  return new Set(ids.filter(id => !granted.includes(id)))
}
