import { describe, expect, test } from 'vitest'
import { base, type Spec } from '../testing/table-pool.ts'
import { poolVersion } from './pool-version.ts'

const currentVersion = poolVersion(base)

describe('the pool version', () => {
  const of = (spec: Partial<Spec>) => poolVersion({ ...base, ...spec })

  test('does not depend on what is in the inventory, only on whether there is one', () => {
    const a = of({ inventory: { clusterDeployments: [{ name: 'a' }] } })
    expect(of({ inventory: { clusterDeployments: [{ name: 'b' }, { name: 'c' }] } })).toBe(a)
    expect(of({})).not.toBe(a)
  })

  test('without an inventory is what it was before there were inventories', () => {
    // Written down once: if this changes, every unclaimed cluster of every pool is replaced by an upgrade.
    expect(of({})).toBe('fa073ea9e3df35db')
    expect(of({ size: 7, labels: { a: 'b' }, installAttemptsLimit: 3 })).toBe('fa073ea9e3df35db')
  })

  test.each([
    ['platform', { platform: { aws: { region: 'x' } } }],
    ['baseDomain', { baseDomain: 'foo.example.com' }],
    ['imageSetRef', { imageSetRef: { name: 'abc123' } }],
    ['installConfigSecretTemplateRef', { installConfigSecretTemplateRef: { name: 'abc123' } }],
    ['customizationRef', { customizationRef: { name: 'abc123' } }],
  ] as const)('changes with %s', (_, spec) => expect(of(spec)).not.toBe(currentVersion))

  test('does not change with the order of fields', () => {
    expect(of({ platform: { aws: { region: 'region', credentialsSecretRef: { name: 'aws-creds' } } } })).toBe(currentVersion)
  })
})
