// @peculiar/x509 needs this one loaded before it.
import 'reflect-metadata'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Secret, seededChance } from '../../ports/index.ts'
import { makeAuthority, makeServerCertificate, signingKey } from './make-certificate.ts'

const now = Date.UTC(2026, 10, 16, 6, 30)
const day = 24 * 3_600_000
const request = { name: 'Birds & bees, "Ärger"', now, lifetime: 100 * day, chance: seededChance('certificates') }
const authority = await makeAuthority(request)

/** Read by a library that has nothing to do with what wrote it. */
const readBack = (pem: string) => new x509.X509Certificate(pem)

describe('a certificate, as an independent reader sees it,', () => {
  test('of an authority may sign certificates of servers and nothing below them', () => {
    const read = readBack(authority.certificate)
    expect(read.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: true, pathLength: 0, critical: true })
    expect(read.getExtension(x509.KeyUsagesExtension)).toMatchObject({
      usages: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
      critical: true,
    })
    expect(read.subjectName.getField('CN')).toEqual([request.name])
    expect(read.issuer).toBe(read.subject)
    expect(new X509Certificate(authority.certificate).verify(new X509Certificate(authority.certificate).publicKey)).toBe(true)
  })

  test('of a server is for that alone, and names its authority as that names itself', async () => {
    const made = await makeServerCertificate({ ...request, name: 'aviary', names: ['localhost'], authority })
    const [read, above] = [readBack(made.certificate), readBack(authority.certificate)]
    expect(read.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: false, critical: true })
    expect(read.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([x509.ExtendedKeyUsage.serverAuth])
    expect(read.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).toBe(
      above.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
    )
    expect(await read.verify({ publicKey: above.publicKey, date: new Date(now) })).toBe(true)
  })

  test('is good for exactly the names and addresses that were asked for', async () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
    const dnsName = fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => labels.join('.'))
    const addresses = fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          dnsName.filter(name => !/^[\d.]+$/.test(name)),
          { maxLength: 60 },
        ),
        addresses,
        async (hosts, ips) => {
          const { certificate } = await makeServerCertificate({ ...request, names: ['localhost', ...hosts, ...ips], authority })
          const made = new X509Certificate(certificate)
          for (const host of hosts) expect(made.checkHost(host)).toBe(host)
          for (const ip of ips) expect(made.checkIP(ip)).toBe(ip)
          expect(readBack(certificate).getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON()).toHaveLength(
            1 + hosts.length + ips.length,
          )
        },
      ),
      { numRuns: 30 },
    )
  })

  test.each([
    ['this century', 100 * day],
    ['after 2050, where times are written in another way', 30 * 365 * day],
  ])('holds for as long as it says, %s', async (_, lifetime) => {
    const { certificate, notAfter } = await makeAuthority({ ...request, lifetime })
    expect(notAfter).toBe(now + lifetime)
    expect(readBack(certificate)).toMatchObject({ notBefore: new Date(now - 5 * 60_000), notAfter: new Date(now + lifetime) })
  })

  test('has a serial number of its own, positive and of full length', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeAuthority(request)))
    const numbers = made.map(({ certificate }) => readBack(certificate).serialNumber)
    expect(new Set(numbers).size).toBe(20)
    for (const number of numbers) expect(number).toMatch(/^[4-7][0-9a-f]{31}$/)
  })
})

test('an authority that a library of others made can sign as well', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const other = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Somebody else, O=Elsewhere',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  const pair = { certificate: other.toString('pem'), key: new Secret(key), notBefore: now, notAfter: now + day }
  const { certificate } = await makeServerCertificate({ ...request, names: ['localhost'], authority: pair })
  expect(new X509Certificate(certificate).checkIssued(new X509Certificate(pair.certificate))).toBe(true)
})

test('an authority whose key is of another sort is refused', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  expect(() => signingKey({ ...authority, key })).toThrow('its key is of type rsa, not ec')
})
