import { DiskNotGrown } from '../../platform/index.ts'
import { child, childText, type XmlElement } from '../xml/element.ts'
import { typed, type XmlFields } from '../xml/writer.ts'

const kibPerGib = 1024 * 1024

/** The first disk of a VM: what must be repeated to change it. */
export interface FirstDisk {
  readonly key: number
  readonly controllerKey: number
  readonly unitNumber: number
  readonly sizeGB: number
  /** What holds its data, and whether that is only the difference to another disk. */
  readonly backing: { readonly type: string; readonly fileName: string; readonly diskMode: string; readonly hasParent: boolean }
}

/** The first disk among a VM's devices, the one that guests boot from. */
export function firstDiskOf(devices: XmlElement | undefined): FirstDisk | undefined {
  const device = devices?.children.find(({ type }) => type === 'VirtualDisk')
  if (device === undefined) return undefined
  const backing = child(device, 'backing')
  const text = (name: string) => (backing === undefined ? undefined : childText(backing, name)) ?? ''
  const number = (name: string) => Number(childText(device, name) ?? 0)
  return {
    key: number('key'),
    controllerKey: number('controllerKey'),
    unitNumber: number('unitNumber'),
    sizeGB: number('capacityInKB') / kibPerGib,
    backing: {
      type: backing?.type ?? '',
      fileName: text('fileName'),
      diskMode: text('diskMode'),
      hasParent: backing !== undefined && child(backing, 'parent') !== undefined,
    },
  }
}

/**
 * The device change that makes a disk larger; undefined if it is large enough. Throws DiskNotGrown for a disk with a parent, as
 * linked clones have: vCenter refuses to expand those.
 */
export function growth(disk: FirstDisk | undefined, wantedGB: number, name: string): XmlFields | undefined {
  if (disk === undefined) throw DiskNotGrown({ name, has: 0, wanted: wantedGB, why: 'it has none' })
  const { sizeGB, key, backing, controllerKey, unitNumber } = disk
  if (sizeGB >= wantedGB) return undefined
  if (backing.hasParent) {
    throw DiskNotGrown({ name, has: sizeGB, wanted: wantedGB, why: 'a linked clone shares the disk of its template' })
  }
  return {
    operation: 'edit',
    device: typed('VirtualDisk', {
      key,
      backing: typed(backing.type, { fileName: backing.fileName, diskMode: backing.diskMode }),
      controllerKey,
      unitNumber,
      capacityInKB: Math.ceil(wantedGB * kibPerGib),
    }),
  }
}
