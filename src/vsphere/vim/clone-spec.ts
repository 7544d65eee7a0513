import type { CloneRequest } from '../../platform/index.ts'
import { reference, typed, type Ref, type XmlFields } from '../xml/writer.ts'
import { coresPerSocket } from './cores-per-socket.ts'

/** Where a clone goes and what it comes from. */
export interface ClonePlan {
  readonly folder: Ref
  readonly resourcePool: Ref
  readonly datastore: Ref | undefined
  /** Whether the clone shares the template's disk. */
  readonly linked: boolean
  /** How many cores the template has in each socket. */
  readonly coresPerSocket: number
  /** The template's current snapshot: what a linked clone hangs on. */
  readonly snapshot: Ref | undefined
  readonly deviceChanges: readonly XmlFields[]
  /** How many network cards the clone has. */
  readonly cards: number
}

/** The arguments of CloneVM_Task: everything that the VM shall be, in the one call that makes it. Never powered on by it. */
export function cloneArguments(request: CloneRequest, plan: ClonePlan): XmlFields {
  const { linked } = plan
  return {
    folder: reference(plan.folder),
    name: request.name,
    spec: {
      location: {
        datastore: plan.datastore === undefined ? undefined : reference(plan.datastore),
        // Without a snapshot there is nothing that a child could hang on; what vCenter then shares is the template's parent disks.
        diskMoveType: linked
          ? plan.snapshot === undefined
            ? 'moveChildMostDiskBacking'
            : 'createNewChildDiskBacking'
          : 'moveAllDiskBackingsAndDisallowSharing',
        pool: reference(plan.resourcePool),
      },
      template: false,
      config: {
        annotation: request.annotation,
        tools: request.toolsAfterPowerOn === undefined ? undefined : toolsSettings(request.toolsAfterPowerOn),
        numCPUs: request.cpus,
        numCoresPerSocket: coresPerSocket(request.cpus, plan.coresPerSocket),
        memoryMB: request.memoryMB,
        deviceChange: plan.deviceChanges.length === 0 ? undefined : [...plan.deviceChanges],
      },
      customization: request.guest === undefined ? undefined : customization(request.guest, plan.cards),
      powerOn: false,
      snapshot: linked && plan.snapshot !== undefined ? reference(plan.snapshot) : undefined,
    },
  }
}

function toolsSettings(afterPowerOn: boolean): XmlFields {
  return { afterPowerOn, afterResume: afterPowerOn, beforeGuestStandby: true, beforeGuestShutdown: true, beforeGuestReboot: true }
}

/** How the guest is set up when it first boots: its name, and its address on the first card; further cards use DHCP. */
function customization({ hostName, domain, address }: NonNullable<CloneRequest['guest']>, cards: number): XmlFields {
  const dhcp = { adapter: { ip: typed('CustomizationDhcpIpGenerator', {}) } }
  const first =
    address.kind === 'dhcp'
      ? dhcp
      : {
          adapter: {
            ip: typed('CustomizationFixedIp', { ipAddress: address.address }),
            subnetMask: address.subnetMask,
            // Where there is none, none is named: an empty one is not an address.
            gateway: address.gateway === '' ? undefined : [address.gateway],
          },
        }
  return {
    identity: typed('CustomizationLinuxPrep', { hostName: typed('CustomizationFixedName', { name: hostName }), domain }),
    globalIPSettings: { dnsServerList: address.kind === 'static' ? [...address.dns] : undefined },
    nicSettingMap: [first, ...Array.from({ length: Math.max(0, cards - 1) }, () => dhcp)],
  }
}
