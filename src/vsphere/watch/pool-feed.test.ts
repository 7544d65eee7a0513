import { expect, test } from 'vitest'
import { child } from '../xml/element.ts'
import { readXml } from '../xml/reader.ts'
import { capacityOf } from './pool-feed.ts'

const said = (name: string, most: number) => {
  const xml = readXml(
    `<r><${name}><maxUsage>${most}</maxUsage><unreservedForVm>3000000001</unreservedForVm><overallUsage>7</overallUsage></${name}></r>`,
  )
  return [`runtime.${name}`, child(xml, name)!] as const
}

test('what a resource pool has is what vCenter says, to the byte; without a limit there is none', () => {
  const { cpuMHz, memoryMB } = capacityOf(new Map([said('cpu', -1), said('memory', 4_000_000_003)]))!
  expect(cpuMHz).toEqual({ limit: undefined, unreserved: 3_000_000_001, used: 7 })
  expect(Object.values(memoryMB).map(each => (each ?? 0) * 1024 * 1024)).toEqual([4_000_000_003, 3_000_000_001, 7])
})

test('a resource pool that says nothing is not an empty one', () => {
  expect(capacityOf(new Map([said('cpu', 1)]))).toBeUndefined()
})
