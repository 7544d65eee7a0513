import { readNote, type Vm } from '../../platform/index.ts'
import { readName } from '../vim/object-name.ts'
import { refOf } from '../vim/property-collector.ts'
import { timeOf } from '../vim/time.ts'
import { child, children, childText, type XmlElement } from '../xml/element.ts'

/** What is watched of each VM. Never `summary`, `guest` or `config` as a whole: statistics would stream for every running VM. */
export const vmPaths: readonly string[] = [
  'name',
  'runtime.powerState',
  'runtime.bootTime',
  'runtime.host',
  'config.annotation',
  'config.template',
  'summary.config.numCpu',
  'summary.config.memorySizeMB',
  'guest.ipAddress',
  'guest.net',
  'guest.guestOperationsReady',
]

/** A VM, with the parts that make up its addresses. */
export interface VmRecord {
  readonly vm: Vm
  readonly address: string
  readonly cards: readonly string[]
  /** vCenter still makes it: there is a name, but no configuration yet. */
  readonly unfinished: boolean
}

type Changes = ReadonlyMap<string, XmlElement | undefined>

/** The record of a VM of which nothing but `id` is known yet. */
export function emptyRecord(id: string): VmRecord {
  return {
    vm: {
      id,
      name: '',
      template: false,
      power: 'off',
      cpus: 0,
      memoryMB: 0,
      annotation: '',
      note: undefined,
      addresses: [],
      guestReady: false,
      bootedAt: undefined,
      host: undefined,
    },
    address: '',
    cards: [],
    unfinished: true,
  }
}

/** The record after changes. */
export function changedRecord(old: VmRecord, changes: Changes): VmRecord {
  const vm: { -readonly [Field in keyof Vm]: Vm[Field] } = { ...old.vm }
  let { address, cards, unfinished } = old
  for (const [path, value] of changes) {
    switch (path) {
      case 'name':
        // Every VM has one: if it cannot be read, it is not known to be another.
        if (value !== undefined) vm.name = readName(value.text)
        break
      case 'runtime.powerState':
        // Likewise: a VM that goes off is on its way to be removed.
        if (value !== undefined) vm.power = powerOf(value.text)
        break
      case 'runtime.bootTime':
        vm.bootedAt = timeOf(value?.text)
        break
      case 'runtime.host':
        vm.host = value === undefined ? undefined : refOf(value).id
        break
      case 'config.annotation': {
        const annotation = value?.text ?? ''
        if (vm.annotation === annotation) break
        vm.annotation = annotation
        vm.note = readNote(annotation)
        break
      }
      case 'config.template':
        vm.template = value?.text === 'true'
        unfinished = value === undefined
        break
      case 'summary.config.numCpu':
        vm.cpus = Number(value?.text ?? 0)
        break
      case 'summary.config.memorySizeMB':
        vm.memoryMB = Number(value?.text ?? 0)
        break
      case 'guest.ipAddress':
        address = value?.text ?? ''
        break
      case 'guest.net':
        cards = value === undefined ? [] : addressesOf(value)
        break
      case 'guest.guestOperationsReady':
        vm.guestReady = value?.text === 'true'
        break
    }
  }
  if (address !== old.address || cards !== old.cards) vm.addresses = ordered(address, cards)
  const record = { vm: Object.freeze(vm), address, cards, unfinished }
  return unfinished && !old.unfinished ? unreadable(record, old.vm) : record
}

/**
 * The record of a VM that had a configuration and now shows none: vCenter cannot reach its files at the moment. What the configuration
 * said, and above all whose VM it is, has not changed by that.
 */
export function unreadable(record: VmRecord, { annotation, note, template, cpus, memoryMB }: Vm): VmRecord {
  return { ...record, vm: Object.freeze({ ...record.vm, annotation, note, template, cpus, memoryMB }) }
}

function powerOf(state: string): Vm['power'] {
  return state === 'poweredOn' ? 'on' : state === 'suspended' ? 'suspended' : 'off'
}

function addressesOf(net: XmlElement): string[] {
  const cards = children(net, 'GuestNicInfo')
  return cards.flatMap(card => {
    const listed = children(card, 'ipAddress').map(({ text }) => text)
    const config = child(card, 'ipConfig')
    const configured = config === undefined ? [] : children(config, 'ipAddress').map(entry => childText(entry, 'ipAddress') ?? '')
    return [...listed, ...configured].filter(text => text !== '')
  })
}

/** Each once, v4 first. */
function ordered(address: string, cards: readonly string[]): readonly string[] {
  const all = [...new Set(address === '' ? cards : [address, ...cards])]
  return [...all.filter(one => !one.includes(':')), ...all.filter(one => one.includes(':'))]
}
