import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { memoryFiles, seededChance, VirtualClock } from '../../ports/index.ts'
import type { Files } from '../../ports/index.ts'
import { AuthorityNotUsable } from '../errors.ts'
import { ownCertificate } from './own-certificate.ts'

const day = 24 * 3_600_000
const start = 1_800_000_000_000
const chance = seededChance('tls')

function certificate(files: Files, options: { names?: readonly string[]; now?: number } = {}) {
  const { names = ['localhost', '127.0.0.1', '::1', 'bird.example.com'], now = start } = options
  return ownCertificate({ folder: '/data/tls', names, files, clock: new VirtualClock({ start: now }), chance })
}

describe('the certificate of our own authority', () => {
  test('is for a server, signed by the authority, and good for all its names', async () => {
    const { certificate: pem, ca, notAfter, renewed } = await certificate(memoryFiles())
    const [leaf, authority] = [new X509Certificate(pem), new X509Certificate(ca)]
    expect(renewed).toBe(true)
    expect(leaf.verify(authority.publicKey)).toBe(true)
    expect(leaf.checkIssued(authority)).toBe(true)
    expect([leaf.ca, authority.ca]).toEqual([false, true])
    expect(leaf.checkHost('bird.example.com')).toBe('bird.example.com')
    expect([leaf.checkIP('127.0.0.1'), leaf.checkIP('::1')]).toEqual(['127.0.0.1', '::1'])
    expect(leaf.checkHost('other.example.com')).toBeUndefined()
    expect(notAfter).toBe(start + 365 * day)
    expect(authority.validToDate.getTime()).toBe(start + 3650 * day)
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  })

  interface Change {
    readonly madeAt?: number
    readonly now?: number
    readonly names?: readonly string[]
  }

  test('stays the same from start to start', async () => {
    const files = memoryFiles()
    const first = await certificate(files)
    const second = await certificate(files, { now: start + 300 * day })
    expect(second).toMatchObject({ certificate: first.certificate, ca: first.ca, renewed: false })
  })

  test.each<[string, Change]>([
    ['it ends within a month', { now: start + 336 * day }],
    ['it is not valid yet, because it was made while the clock was 400 days ahead', { madeAt: start + 400 * day, now: start + day }],
    ['a name is missing', { names: ['localhost', 'new.example.com'] }],
  ])('is renewed by the same authority if %s', async (_, { madeAt = start, ...change }: Change) => {
    const files = memoryFiles()
    const authority = await certificate(files)
    await files.remove('/data/tls/server.pem')
    const first = await certificate(files, { now: madeAt })
    expect(first.ca).toBe(authority.ca)
    const second = await certificate(files, change)
    expect(second.renewed).toBe(true)
    expect(second.notBefore).toBeLessThanOrEqual(change.now ?? start)
    expect(second.ca).toBe(first.ca)
    expect(second.certificate).not.toBe(first.certificate)
  })

  test('is made again if its file is broken', async () => {
    const files = memoryFiles()
    await certificate(files)
    await files.write('/data/tls/server.pem', 'half a fi')
    expect((await certificate(files)).renewed).toBe(true)
  })

  test.each([
    ['cut off', (text: string) => text.slice(0, text.length - 100), 'there is no PEM certificate in it'],
    ['without its key', (text: string) => text.slice(text.indexOf('-----BEGIN CERT')), 'there is no PEM private key in it'],
    ['spoilt', (text: string) => text.replace(/CERTIFICATE-----\nMII/, 'CERTIFICATE-----\nAAA'), 'the certificate cannot be parsed'],
  ])('is refused, and nothing touched, if the authority is %s', async (_, damage, why) => {
    const files = memoryFiles()
    await certificate(files)
    const damaged = damage(await files.read('/data/tls/authority.pem'))
    await files.write('/data/tls/authority.pem', damaged)
    const error = await certificate(files).catch((caught: unknown) => caught)
    expect(AuthorityNotUsable.is(error) && error.details.why).toBe(why)
    expect(await files.read('/data/tls/authority.pem')).toBe(damaged)
  })

  test('is refused if the authority belongs to another key', async () => {
    const files = memoryFiles()
    const others = memoryFiles()
    await certificate(files)
    await certificate(others)
    const [ours, theirs] = [await files.read('/data/tls/authority.pem'), await others.read('/data/tls/authority.pem')]
    await files.write(
      '/data/tls/authority.pem',
      ours.slice(0, ours.indexOf('-----BEGIN CERT')) + theirs.slice(theirs.indexOf('-----BEGIN CERT')),
    )
    await expect(certificate(files)).rejects.toThrow('the private key is not that of the certificate')
  })

  test('is refused once the authority has expired', async () => {
    const files = memoryFiles()
    await certificate(files)
    await expect(certificate(files, { now: start + 3650 * day })).rejects.toThrow('expired')
  })

  test('is refused if the authority is not valid yet, with the time from which it is', async () => {
    const files = memoryFiles()
    await certificate(files, { now: start + 400 * day })
    const before = await files.read('/data/tls/authority.pem')
    await expect(certificate(files)).rejects.toMatchObject({
      code: 'SERVER_AUTHORITY_NOT_USABLE',
      message: expect.stringContaining('it is valid only from 2028-02-19T'),
    })
    expect(await files.read('/data/tls/authority.pem')).toBe(before)
  })

  test('never prints its key', async () => {
    const made = await certificate(memoryFiles())
    expect(JSON.stringify(made)).not.toContain('PRIVATE')
  })
})
