import { describe, expect, test } from 'vitest'
import { seededChance } from '../ports/index.ts'
import { flavors } from './flavors.ts'
import { sizeProblem } from './sizes.ts'
import { generateVmName, vmName, vmNameProblem } from './vm-name.ts'

const [small, medium, large] = [
  { name: 'small', cpus: 2, memoryMB: 4096 },
  { name: 'Medium', cpus: 4, memoryMB: 8192 },
  { name: 'large', cpus: 8, memoryMB: 16_384 },
] as const
const known = flavors([small, medium, large])

describe('flavors', () => {
  test('are found whatever the case', () => {
    expect(known.get('MEDIUM')).toEqual(medium)
    expect(known.find('huge')).toBeUndefined()
    expect(() => known.get('huge')).toThrow('no flavor "huge"')
  })

  test('know the smallest that is smaller', () => {
    expect([small, medium, large].map(known.smallerCpus)).toEqual([undefined, 2, 2])
  })

  test.each([
    [[small, { ...large, name: 'SMALL' }], 'flavors[1].name: "SMALL" is there twice'],
    [[{ ...small, cpus: 0 }], 'flavors[0].cpus: 0 is not'],
    [[{ ...small, memoryMB: 1.5 }], 'flavors[0].memoryMB: 1.5'],
    [[{ ...small, name: '' }], 'flavors[0].name: it is empty'],
  ])('refuse what makes no sense: %j', (given, message) => {
    expect(() => flavors(given)).toThrow(message)
  })
})

describe('room within limits', () => {
  test.each([
    { wants: 8, used: 56, keep: 0, fits: true },
    { wants: 8, used: 57, keep: 0, fits: false },
    { wants: 8, used: 52, keep: 4, fits: true },
    { wants: 8, used: 53, keep: 4, fits: false },
  ])('$wants more than $used of 64 with $keep kept: $fits', ({ wants, used, keep, fits }) => {
    const problem = sizeProblem({ cpus: wants, memoryMB: 0 }, { cpus: used, memoryMB: 0 }, { maxCpus: 64, maxMemoryMB: 0, keepCpus: keep })
    expect(problem === undefined).toBe(fits)
  })

  test('memory counts too, and no limit is no limit', () => {
    const used = { cpus: 4, memoryMB: 4000 }
    expect(sizeProblem({ cpus: 1, memoryMB: 97 }, used, { maxCpus: 0, maxMemoryMB: 4096 })).toBe(
      '97 MB of memory are wanted, 4000 of 4096 are in use',
    )
    expect(sizeProblem({ cpus: 100, memoryMB: 100_000 }, used, { maxCpus: 0, maxMemoryMB: 0, keepCpus: 8 })).toBeUndefined()
  })
})

describe('names of VMs', () => {
  test.each(['', 'x'.repeat(81), 'a/b', 'a\\b', '50%', 'a\nb', ' a'])('"%s" is none', name => {
    expect(vmNameProblem(name)).toBeTypeOf('string')
    expect(() => vmName(name)).toThrow('cannot be the name of a VM')
  })

  test('are made with an ending that nobody has', () => {
    const chance = seededChance(7)
    const taken = new Set<string>()
    for (let made = 0; made < 200; made++) taken.add(generateVmName('worker', chance, name => taken.has(name)))
    expect(taken.size).toBe(200)
    expect([...taken][0]).toMatch(/^worker-[a-z0-9]{5}$/)
    const long = generateVmName('x'.repeat(200), chance, () => false)
    expect([long.length, vmNameProblem(long)]).toEqual([80, undefined])
  })
})
