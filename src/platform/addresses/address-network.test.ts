import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aVm } from '../testing/a-vm.ts'
import { addressEvidence } from './address-evidence.ts'
import { addressNetwork } from './address-network.ts'
import { firstOfBlock, formatIpv4, parseIpv4, prefixOfMask, sizeOfPrefix } from './ipv4.ts'
import { leaseName } from './lease-name.ts'

describe('addresses as numbers', () => {
  test('every number is one address and back', () =>
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), number => parseIpv4(formatIpv4(number)) === number)))

  test.each(['', '10.0.0', '10.0.0.256', '10.0.0.01', '10.0.0.1 ', '::1', '1.2.3.4.5', '10.0.0.-1'])('"%s" is none', text =>
    expect(parseIpv4(text)).toBeUndefined(),
  )

  test('every mask has its prefix, and nothing else is a mask', () => {
    for (let bits = 1; bits <= 32; bits++) expect(prefixOfMask(formatIpv4(2 ** 32 - sizeOfPrefix(bits)))).toBe(bits)
    expect(['255.0.255.0', '0.0.0.1', 'x', '255.255.255.253'].map(prefixOfMask)).toEqual(Array.from({ length: 4 }, () => undefined))
  })

  test('a block begins at a multiple of its size, also above 128.0.0.0', () => {
    expect(formatIpv4(firstOfBlock(parseIpv4('192.168.7.13')!, 29))).toBe('192.168.7.8')
  })
})

describe('a network', () => {
  const usable = (given: Partial<Parameters<typeof addressNetwork>[0]>) =>
    Array.from(addressNetwork({ name: 'n', ranges: '', ...given }).usable(), each => each.replace('10.0.0.', ''))

  test('offers its ranges in their order, each address once', () => {
    expect(usable({ ranges: '10.0.0.8/30, 10.0.0.4/31,10.0.0.8/31' })).toEqual(['8', '9', '10', '11', '4', '5'])
    expect(addressNetwork({ name: 'n', ranges: '10.0.0.8/30,10.0.0.4/31,10.0.0.8/31,10.0.0.8/30' }).size).toBe(6)
  })

  test('offers the same addresses from any place on, and round', () => {
    const network = addressNetwork({ name: 'n', ranges: '10.0.0.8/30,10.0.0.4/31,10.0.0.8/31', gateway: '10.0.0.10' })
    const all = [...network.usable()]
    expect(all.map(each => each.replace('10.0.0.', ''))).toEqual(['8', '9', '11', '4', '5'])
    expect([...network.usable(3)]).toEqual([...all.slice(2), ...all.slice(0, 2)])
    for (let from = 0; from < 40; from++) expect([...network.usable(from)].toSorted()).toEqual(all.toSorted())
  })

  test('keeps gateway, name servers and both ends of the subnet to itself', () => {
    expect(usable({ ranges: '10.0.0.0/29', subnetMask: '255.255.255.248', gateway: '10.0.0.1', dns: ['10.0.0.2'] })).toEqual([
      '3',
      '4',
      '5',
      '6',
    ])
    expect(usable({ ranges: '10.0.0.252/30' })).toEqual(['252', '253', '254'])
  })

  test('counts the addresses that it offers without walking them', () => {
    const block = fc.tuple(fc.integer({ min: 0, max: 1023 }), fc.integer({ min: 22, max: 32 }))
    const address = fc.integer({ min: 0, max: 1023 }).map(number => formatIpv4(parseIpv4('10.0.0.0')! + number))
    const given = fc.record({
      ranges: fc.array(block, { minLength: 1, maxLength: 4 }),
      prefix: fc.integer({ min: 21, max: 32 }),
      gateway: fc.option(address, { nil: '' }),
      dns: fc.array(address, { maxLength: 3 }),
    })
    fc.assert(
      fc.property(given, ({ ranges, prefix, gateway, dns }) => {
        const blocks = ranges.map(([number, bits]) => `${formatIpv4(parseIpv4('10.0.0.0')! + number)}/${bits}`)
        const subnetMask = formatIpv4(2 ** 32 - sizeOfPrefix(prefix))
        const network = addressNetwork({ name: 'n', ranges: blocks.join(','), subnetMask, gateway, dns })
        const offered = [...network.usable()]
        expect(network.size).toBe(offered.length)
        expect(offered.every(network.isUsable)).toBe(true)
      }),
    )
    expect(addressNetwork({ name: 'n', ranges: '10.0.0.0/8', subnetMask: '255.0.0.0' }).size).toBe(2 ** 24 - 2)
  })

  test.each(['10.0.0.0', '10.0.0.7', '10.0.0.1', '10.0.0.2', '10.0.0.8', 'x'])('%s is not one that a guest may have', address => {
    const network = addressNetwork({
      name: 'n',
      ranges: '10.0.0.0/29',
      subnetMask: '255.255.255.248',
      gateway: '10.0.0.1',
      dns: ['10.0.0.2'],
    })
    expect([network.isUsable(address), network.isUsable('10.0.0.3'), network.size]).toEqual([false, true, 4])
  })

  test('may use the ends of a range that are not ends of the subnet', () => {
    expect(usable({ ranges: '10.0.0.16/30' })).toEqual(['16', '17', '18', '19'])
  })

  test.each([
    [{ ranges: '10.0.0.0' }, 'iprange: "10.0.0.0" is not a block'],
    [{ ranges: '10.0.0.0/33' }, 'is not a block'],
    [{ ranges: '10.0.0.0/29,' }, 'iprange: "" is not a block'],
    [{ ranges: '0.0.0.0/0' }, 'larger than any network'],
    [{ ranges: '10.0.0.0/29', subnetMask: '255.0.255.0' }, 'subnetMask: "255.0.255.0"'],
    [{ ranges: '10.0.0.0/29', gateway: 'router' }, 'gateway: "router"'],
    [{ ranges: '10.0.0.0/29', dns: ['10.0.0.1', '8.8'] }, 'dns: "8.8"'],
  ])('refuses %j and says which field is wrong', (given, message) => {
    expect(() => addressNetwork({ name: 'n', ...given })).toThrow(message)
  })
})

test('a VM shows an address by its guest, its annotation and its name, a template by nothing', () => {
  const annotation = '{"ip_address":"10.0.0.2"}'
  const vm = aVm({ id: 'vm-1', name: 'provision-v2-ip-10-0-0-3-abcde', annotation, addresses: ['10.0.0.1', 'fe80::1'] })
  expect(addressEvidence(vm).toSorted()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', 'fe80::1'])
  expect(addressEvidence({ ...vm, template: true })).toEqual([])
  expect(addressEvidence(aVm({ id: 'vm-2', name: 'ship-10-0-0-3', annotation: '{"ip_address":7}' }))).toEqual([])
})

test('no two addresses share the name of a lease, and every name is one that Kubernetes takes', () => {
  const part = fc.constantFrom('vc', 'VC', 'v c', 'v-c', 'VLAN 10/prod', 'vlan-10-prod', '--', 'ü', 'x'.repeat(100))
  const key = fc.record({ platform: part, network: part, address: fc.constantFrom('10.0.0.1', '10.0.0.10', '1.0.0.0') })
  fc.assert(
    fc.property(key, key, (one, other) => {
      expect(leaseName(one) === leaseName(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      expect(leaseName(one)).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)
    }),
  )
})
